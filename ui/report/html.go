package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"tokscope/metrics/pick"
	"tokscope/ui/format"
)

// Markup is text that is written into HTML as it is.
type Markup string

// HTML writes form, a format of package fmt, with args. Strings among them may come from outside:
// each is one harmless line of text, between tags or in an attribute in quotes.
func HTML(b *strings.Builder, form string, args ...any) {
	for i, x := range args {
		if s, ok := x.(string); ok {
			args[i] = html.EscapeString(clean(s))
		}
	}
	fmt.Fprintf(b, form, args...)
}

// HTML returns the sentence that says what the report shows, as text, the paragraphs below it
// and all other blocks. What concerns the person at this terminal alone is left out, as in
// Markdown, and so are pictures made of characters.
func (d *Doc) HTML() (lead string, about, body Markup) {
	var above, b strings.Builder
	for i, x := range d.blocks {
		switch x := x.(type) {
		case notes:
			to := format.Either(i == 0, &above, &b)
			for _, n := range x {
				if n.lead && lead == "" {
					lead = clean(n.text)
					continue
				}
				HTML(to, "<p>%s</p>\n", n.text)
			}
		case facts:
			x.html(&b)
		case *Table:
			x.html(&b)
		}
	}
	return lead, Markup(above.String()), Markup(b.String())
}

func (f facts) html(b *strings.Builder) {
	shown := slices.DeleteFunc(slices.Clone(f), func(x Fact) bool { return x.Here })
	b.WriteString(format.If(len(shown) > 0, "<dl>\n"))
	for i, x := range shown {
		if i == 0 || x.Name != shown[i-1].Name {
			HTML(b, "<dt>%s</dt>", x.Name)
		}
		HTML(b, "<dd>%s</dd>\n", x.Text)
	}
	b.WriteString(format.If(len(shown) > 0, "</dl>\n"))
}

func (t *Table) html(b *strings.Builder) {
	if t.Title != "" {
		HTML(b, "<h3>%s</h3>\n", t.Title)
	}
	shown := t.without(func(c Column) bool { return c.Drawn })
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for i, text := range cells {
			HTML(b, "<%s%s>%s</%[1]s>", tag, Markup(format.If(!shown.Cols[i].Words, ` class="n"`)), text)
		}
		b.WriteString("</tr>\n")
	}
	if len(shown.Rows) > 0 {
		b.WriteString("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>")
		row("th", pick.Each(shown.Cols, func(c *Column) string { return format.Join(" ", c.Group, c.Name) }))
		b.WriteString("</thead>\n<tbody>")
		for _, cells := range shown.Rows {
			row("td", cells)
		}
		b.WriteString("</tbody></table></div>\n")
	}
	facts(t.Under).html(b)
}
