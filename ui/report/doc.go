// Package report lists what a measurement showed: one file a command, each of
// which fills a Doc with notes, facts, tables and drawings. A Doc becomes text
// of a width or Markdown, csv.go writes CSV, and nothing else in this package
// knows how a line is wrapped, a column aligned, or a string from outside made
// safe. Screens, plain mode and the headless commands print the same reports.
// Package format writes the figures.
package report

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Doc is a report: its blocks, one below the other. Their strings may come from
// outside. The zero Doc is empty.
type Doc struct {
	ASCII  bool // the text has ASCII alone
	blocks []block
}

// block is a part of a Doc. Both write whole lines, and no blank ones around them. Text
// writes strings from outside as safe returns them.
type block interface {
	text(b *strings.Builder, width int, safe func(string) string)
	markdown(b *strings.Builder)
}

const (
	lineWidth   = 100 // of prose: it fits an issue and most terminals
	labelWidth  = 12  // of the names of facts, at least
	leastText   = 20  // columns that a wrapped text has, however narrow its place
	outsideMost = 600 // columns of a string; a longer one is cut
)

// Text returns the report as lines of at most width columns; 0 or less is no limit, as
// of a file. Prose has lines of 100 columns at most. A word that is longer, such as a path, has a longer
// line, so that it can be copied. A blank line stands between blocks.
func (d *Doc) Text(width int) string {
	if width <= 0 {
		width = math.MaxInt
	}
	safe := format.Either(d.ASCII, cleanASCII, clean)
	var b strings.Builder
	for i, x := range d.blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		x.text(&b, width, safe)
	}
	if d.ASCII {
		return format.ASCII(b.String())
	}
	return b.String()
}

// Markdown returns the report for an issue: no string of it is read as Markdown or
// HTML. What concerns the person at this terminal alone is left out.
func (d *Doc) Markdown() string {
	var b strings.Builder
	for i, x := range d.blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		x.markdown(&b)
	}
	return b.String()
}

// Empty reports whether nothing was added.
func (d *Doc) Empty() bool { return len(d.blocks) == 0 }

// clean is the door for text from outside: one harmless line.
func clean(s string) string { return sanitize.Line(s, outsideMost) }

// cleanASCII is clean before lines are broken: "≥" takes two columns in ASCII.
func cleanASCII(s string) string {
	parts := strings.Split(clean(s), format.Tie)
	for i := range parts {
		parts[i] = format.ASCII(parts[i])
	}
	return strings.Join(parts, format.Tie)
}

// escaper prevents text from being read as Markdown or HTML.
var escaper = strings.NewReplacer("\\", "\\\\", "|", "\\|",
	"`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", ">", "&gt;",
	"[", "\\[", "]", "\\]", "&", "&amp;", "@", "&#64;", "#", "\\#", format.Tie, " ")

// escape returns a string from outside as one harmless line of Markdown.
func escape(s string) string { return escaper.Replace(clean(s)) }

// pad fills s with blanks to w columns.
func pad(s string, w int) string { return s + strings.Repeat(" ", max(w-draw.Width(s), 0)) }

// quantity is a number and its unit, between which no line breaks.
var quantity = regexp.MustCompile(`(\d) (%|(?:[µnm]?s|tok/s)\b)`)

// hang writes text behind prefix, broken between words. Lines after the first begin
// below its beginning.
func hang(b *strings.Builder, prefix, text string, width int) {
	column := draw.Width(prefix)
	text = quantity.ReplaceAllString(text, "$1"+format.Tie+"$2")
	for i, row := range format.Wrap(text, max(width-column, leastText)) {
		if i > 0 {
			prefix = strings.Repeat(" ", column)
		}
		b.WriteString(strings.TrimRight(prefix+row, " ") + "\n")
	}
}

// notes are paragraphs, in text one below the other.
type notes []note

type note struct {
	text string
	lead bool // what the report shows, in a sentence
}

// lead adds the sentence that says what the report shows; "" adds none.
func (d *Doc) lead(text string) {
	if text != "" {
		extend[notes](d, note{text, true})
	}
}

// Note adds a paragraph for each text; "" adds none.
func (d *Doc) Note(texts ...string) {
	for _, text := range texts {
		if text != "" {
			extend[notes](d, note{text, false})
		}
	}
}

// extend adds to the last block, or a block of its own where that is of another kind.
func extend[B interface {
	~[]E
	block
}, E any](d *Doc, more E) {
	last := len(d.blocks) - 1
	if last >= 0 {
		if have, ok := d.blocks[last].(B); ok {
			d.blocks[last] = append(have, more)
			return
		}
	}
	d.blocks = append(d.blocks, B{more})
}

func (n notes) text(b *strings.Builder, width int, safe func(string) string) {
	for _, x := range n {
		hang(b, "", safe(x.text), min(width, lineWidth))
	}
}

func (n notes) markdown(b *strings.Builder) {
	for i, x := range n {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := escape(x.text)
		if x.lead {
			text = "**" + text + "**"
		}
		b.WriteString(text + "\n")
	}
}

// Fact is a name and what is known of it, in words.
type Fact struct {
	Name, Text string
	// Here: it concerns the person at this terminal, as the path of a file does.
	Here bool
}

// facts are rows of names and texts, which begin at one column. A name that equals
// the one before is not repeated in text.
type facts []Fact

// fact adds a fact for each text; "" adds none.
func (d *Doc) fact(name string, texts ...string) {
	for _, text := range texts {
		d.facts(Fact{Name: name, Text: text})
	}
}

// here adds a fact that concerns the person at this terminal.
func (d *Doc) here(name, text string) { d.facts(Fact{name, text, true}) }

// Facts returns the facts of the report as a screen shows them: a row each, those of one name
// in one, and none of the names in but.
func (d *Doc) Facts(but ...string) (out []Fact) {
	for _, b := range d.blocks {
		rows, _ := b.(facts)
		for _, f := range rows {
			if n := len(out); n > 0 && out[n-1].Name == f.Name {
				out[n-1].Text += "; " + f.Text
			} else if !slices.Contains(but, f.Name) {
				f.Text = clean(f.Text)
				out = append(out, f)
			}
		}
	}
	return out
}

// facts adds facts below those before; one without a text is left out.
func (d *Doc) facts(more ...Fact) {
	for _, f := range more {
		if f.Text != "" {
			extend[facts](d, f)
		}
	}
}

func (f facts) text(b *strings.Builder, width int, safe func(string) string) {
	wide, before := 0, ""
	for _, x := range f {
		wide = max(wide, draw.Width(safe(x.Name))+2)
	}
	if wide > len("A  ") { // letters have a column of their own
		wide = max(wide, labelWidth)
	}
	for _, x := range f {
		name := safe(x.Name)
		if name == before {
			name = ""
		}
		before = safe(x.Name)
		hang(b, pad(name, wide), safe(x.Text), min(width, lineWidth))
	}
}

func (f facts) markdown(b *strings.Builder) {
	for _, x := range f {
		if name := escape(x.Name); !x.Here {
			b.WriteString("- " + format.If(name != "", name+": ") + escape(x.Text) + "\n")
		}
	}
}

// picture is a drawing of lines, which nothing may wrap.
type picture []string

func (p picture) text(b *strings.Builder, _ int, _ func(string) string) {
	b.WriteString(strings.Join(p, "\n") + "\n")
}

func (p picture) markdown(b *strings.Builder) {
	b.WriteString("```\n" + strings.Join(p, "\n") + "\n```\n")
}
