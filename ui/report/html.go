package report

import (
	"html"
	"strings"

	"tokscope/metrics/pick"
	"tokscope/ui/format"
)

// HTML returns the sentence that says what the report shows, as text, the paragraphs below it
// and all other blocks as HTML, in which no string is markup. What concerns the person at this
// terminal alone is left out, as in Markdown, and so are pictures made of characters.
func (d *Doc) HTML() (lead, about, body string) {
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
				to.WriteString("<p>" + Escape(n.text) + "</p>\n")
			}
		case facts:
			x.html(&b)
		case *Table:
			x.html(&b)
		}
	}
	return lead, above.String(), b.String()
}

// Escape returns a string from outside as one harmless line of HTML, between tags or in an
// attribute in quotes.
func Escape(s string) string { return html.EscapeString(clean(s)) }

func (f facts) html(b *strings.Builder) {
	open, before := false, ""
	for _, x := range f {
		if x.Here {
			continue
		}
		if !open {
			b.WriteString("<dl>\n")
			open = true
		}
		b.WriteString(format.If(x.Name != before, "<dt>"+Escape(x.Name)+"</dt>") + "<dd>" + Escape(x.Text) + "</dd>\n")
		before = x.Name
	}
	b.WriteString(format.If(open, "</dl>\n"))
}

func (t *Table) html(b *strings.Builder) {
	b.WriteString(format.If(t.Title != "", "<h3>"+Escape(t.Title)+"</h3>\n"))
	shown := t.without(func(c Column) bool { return c.Drawn })
	of := pick.Each(shown.Cols, func(c *Column) string { return format.If(!c.Words, ` class="n"`) })
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for i, text := range cells {
			b.WriteString("<" + tag + of[i] + ">" + Escape(text) + "</" + tag + ">")
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
