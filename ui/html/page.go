// Package html writes a measurement as one HTML file that is handed on: the sentence, the
// charts as SVG, a player of the streams, the figures with their definitions and conditions.
//
// A page loads nothing and sends nothing: its policy allows the style and the script that it
// holds, by their hashes, and no address. Strings from outside pass report.Escape, or are
// JSON without "<". What it may tell of others is decided by who makes the page, before
// (probe/session.ForPage); the package has no list of its own.
//
// The page of each kind of measurement is in the file of its name. A chart is the model of
// ui/chart, so that a title, an axis and a number mean the same as on screen.
package html

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Page is what a page shows, in this order.
type Page struct {
	Kind    string // what was measured, in two words
	When    time.Time
	Doc     *report.Doc
	Lead    string       // the sentence; "" is that of Doc
	Request *metrics.Run // whose figures head the page; nil for none
	Figures []Figure
	Tracks  []Track // requests that can be played
	Notes   []string
	// Defines are the figures whose definitions stand at the end; of a Request all do.
	Defines []figure.ID
	Texts   bool // it was asked for with names and texts
	By      report.Origin
}

//go:embed page.css
var sheet string

//go:embed player.js
var script string

// style is the style of every page: dark and light as the reader's system is, on paper light.
var style = sync.OnceValue(func() string {
	rules := func(t themes.Theme) string {
		var b strings.Builder
		fmt.Fprintf(&b, ":root{--ground:%s;--raised:%s;--border:%s;--text:%s;--dim:%s;--accent:%s}", t.Ground, t.Raised,
			t.Border, t.Text, t.Dim, t.Accent)
		for r := range themes.Heat(themes.Levels) + 1 {
			fmt.Fprintf(&b, ".r%d{color:%s}", r, cmp.Or(t.Style(r, themes.TrueColor).Fg, t.Text))
		}
		return b.String()
	}
	light := rules(themes.Default(false))
	return light + "@media screen and (prefers-color-scheme:dark){" + rules(themes.Default(true)) + "}\n" + sheet
})

// hash is how a policy names a style or a script.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var b strings.Builder
	lead, about, body := p.Doc.HTML()
	lead = cmp.Or(p.Lead, lead, "tokscope: "+p.Kind)
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src %s; script-src %s; `+
		`base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="description" content="%s">
<title>%s</title>
<style>%s</style></head>
<body><main>
<header><p class="mark">tokscope</p><p class="kind">%s</p></header>
<h1>%s</h1>
<div class="about">%s</div>
`, hash(style()), hash(script), report.Escape(lead), report.Escape("tokscope: "+p.Kind), style(),
		report.Escape(format.Join(" · ", p.Kind, format.If(!p.When.IsZero(), p.When.UTC().Format("2006-01-02 15:04 UTC")))),
		report.Escape(lead), about)
	if p.Request != nil {
		cards(&b, p.Request)
	}
	for i := range p.Figures {
		p.Figures[i].write(&b, "section", "h2")
	}
	for i := range p.Tracks { // the first is there at once
		p.Tracks[i].write(&b, format.Either(i == 0, "section", "details"), format.Either(i == 0, "h2", "summary"))
	}
	for _, n := range p.Notes {
		b.WriteString("<p class=\"small\">" + report.Escape(n) + "</p>\n")
	}
	b.WriteString("<section><h2>Figures and conditions</h2>\n" + body + "</section>\n")
	if p.Request != nil {
		b.WriteString("<details><summary>All figures</summary>\n")
		all(&b, p.Request)
		b.WriteString("</details>\n")
	}
	p.definitions(&b)
	b.WriteString("<footer><p>" + format.Either(p.Texts, "Names and texts are in this file, keys are not.",
		"Texts, names, hosts, headers and ids are left out: letters stand for names, ▒▒▒▒ for the rest.") +
		" It loads nothing and sends nothing.</p><p>Made by " + report.Escape(p.By.String()) + ".</p></footer>\n</main>\n")
	if len(p.Tracks) > 0 {
		b.WriteString("<script type=\"application/json\" id=\"tracks\">" + p.data() + "</script>\n<script>" + script +
			"</script>\n")
	}
	b.WriteString("</body></html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes a chart with its heading, in an element of that name.
func (f *Figure) write(b *strings.Builder, element, heading string) {
	fmt.Fprintf(b, "<%s class=\"chart\"><%s>%s</%[2]s>\n<figure>\n", element, heading, report.Escape(f.Title))
	if len(f.Names) > 0 {
		b.WriteString("<p class=\"names\">")
		for _, n := range f.Names {
			fmt.Fprintf(b, "<span class=\"r%d\">%s</span> ", n.Role, report.Escape(n.Text))
		}
		b.WriteString("</p>\n")
	}
	f.svg(b, wide)
	f.svg(b, narrow)
	b.WriteString(format.If(f.About != "", "<figcaption>"+report.Escape(f.About)+"</figcaption>\n"))
	fmt.Fprintf(b, "</figure></%s>\n", element)
}

// definitions explains figures.
func (p *Page) definitions(b *strings.Builder) {
	if len(p.Defines) == 0 && p.Request == nil {
		return
	}
	b.WriteString("<details><summary>What the figures mean</summary>\n<dl class=\"terms\">\n")
	for _, d := range say.Definitions() {
		if p.Request != nil || slices.Contains(p.Defines, d.ID) {
			b.WriteString("<dt>" + report.Escape(d.Label) + format.If(d.Formula != "", " <code>"+report.Escape(d.Formula)+
				"</code>") + "</dt><dd>" + report.Escape(d.Text) + format.If(d.Undefined != "", " Unknown "+
				report.Escape(d.Undefined)+".") + "</dd>\n")
		}
	}
	b.WriteString("</dl></details>\n")
}
