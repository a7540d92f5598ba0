// Package html writes a measurement as one HTML file that is handed on: the sentence, the
// charts as SVG, a player of the streams, the figures with their definitions and conditions.
//
// A page loads nothing and sends nothing: its policy allows the style and the script that it
// holds, by their hashes, and no address. Strings from outside pass report.HTML, or are
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
	"encoding/json"
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
	Figures []Figure     // of a request that can be played, and of others
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
		fmt.Fprintf(&b, ":root{--ground:%s;--raised:%s;--border:%s;--text:%s;--dim:%s;--accent:%s}",
			t.Color(themes.Ground), t.Color(themes.Raised), t.Color(themes.Border), t.Color(themes.Text),
			t.Color(themes.Dim), t.Color(themes.Accent))
		for r := range themes.Heat(themes.Levels) + 1 {
			fmt.Fprintf(&b, ".r%d{color:%s}", r, cmp.Or(t.Style(r, themes.TrueColor).Fg, t.Color(themes.Text)))
		}
		return b.String()
	}
	light := rules(themes.Default(false))
	return light + "@media screen and (prefers-color-scheme:dark){" + rules(themes.Default(true)) + "}\n" + sheet
})

// hash is how a policy names a style or a script.
func hash(text string) report.Markup {
	sum := sha256.Sum256([]byte(text))
	return report.Markup("'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var b strings.Builder
	lead, about, body := p.Doc.HTML()
	lead = cmp.Or(p.Lead, lead, "tokscope: "+p.Kind)
	report.HTML(&b, `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src %s; script-src %s; `+
		`base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="description" content="%s">
<title>tokscope: %s</title>
<style>%s</style></head>
<body><main>
<header><p class="mark">tokscope</p><p class="kind">%s</p></header>
<h1>%s</h1>
<div class="about">%s</div>
`, hash(style()), hash(script), lead, p.Kind, report.Markup(style()),
		format.Join(" · ", p.Kind, format.If(!p.When.IsZero(), p.When.UTC().Format("2006-01-02 15:04 UTC"))), lead, about)
	if p.Request != nil {
		cards(&b, p.Request)
	}
	var tracks []*track
	for i := range p.Figures {
		f := &p.Figures[i]
		f.write(&b, i > 0 && f.track != nil) // the first is there at once
		if f.track != nil {
			tracks = append(tracks, f.track)
		}
	}
	for _, n := range p.Notes {
		report.HTML(&b, "<p class=\"small\">%s</p>\n", n)
	}
	report.HTML(&b, "<section><h2>Figures and conditions</h2>\n%s</section>\n", body)
	if p.Request != nil {
		b.WriteString("<details><summary>All figures</summary>\n")
		all(&b, p.Request)
		b.WriteString("</details>\n")
	}
	p.definitions(&b)
	report.HTML(&b, "<footer><p>%s It loads nothing and sends nothing.</p><p>Made by %s.</p></footer>\n</main>\n",
		format.Either(p.Texts, "Names and texts are in this file, keys are not.",
			"Texts, names, hosts, headers and ids are left out: letters stand for names, ▒▒▒▒ for the rest."),
		p.By.String())
	if len(tracks) > 0 {
		data, err := json.Marshal(tracks) // in which no "<" stands
		if err != nil {
			return err
		}
		report.HTML(&b, "<script type=\"application/json\" id=\"tracks\">%s</script>\n<script>%s</script>\n",
			report.Markup(data), report.Markup(script))
	}
	b.WriteString("</body></html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// definitions explains figures.
func (p *Page) definitions(b *strings.Builder) {
	if len(p.Defines) == 0 && p.Request == nil {
		return
	}
	b.WriteString("<details><summary>What the figures mean</summary>\n<dl class=\"terms\">\n")
	for _, d := range say.Definitions() {
		if p.Request != nil || slices.Contains(p.Defines, d.ID) {
			report.HTML(b, "<dt>%s <code>%s</code></dt><dd>%s%s</dd>\n", d.Label, d.Formula, d.Text,
				format.If(d.Undefined != "", " Unknown "+d.Undefined+"."))
		}
	}
	b.WriteString("</dl></details>\n")
}
