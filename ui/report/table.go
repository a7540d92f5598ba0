package report

import (
	"slices"
	"strings"

	"tokscope/metrics/pick"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Column is the head of a column. Figures end at the right, words begin at the left.
type Column struct {
	Group string // the line above the name, over all neighbors of the same group
	Name  string
	Words bool
	Drawn bool // a bar or a mark: of the text alone, and dropped where it does not fit
	Apart bool // in text it begins another table, below the one before
}

// Table is a table with a line a row.
type Table struct {
	Title string // the line above it
	Cols  []Column
	Rows  [][]string // as many cells as columns
	// Keys are the leading columns that name a row. They stand again in each part of a
	// table that is too wide for one; 0 is 1.
	Keys int
	// Dispensable are the names of columns that a narrow text does without, the
	// first one first.
	Dispensable []string
	Under       []Fact // what explains it, directly below
}

// figures and words are columns of these names.
func figures(names ...string) []Column { return columns(false, names) }

func words(names ...string) []Column { return columns(true, names) }

func columns(words bool, names []string) []Column {
	return pick.Each(names, func(name *string) Column { return Column{Name: *name, Words: words} })
}

// row adds a row.
func (t *Table) row(cells ...string) { t.Rows = append(t.Rows, cells) }

// under adds what explains the table; one without a text is left out.
func (t *Table) under(name, text string) {
	if text != "" {
		t.Under = append(t.Under, Fact{Name: name, Text: text})
	}
}

// table adds a table; one without rows and what explains them is left out.
func (d *Doc) table(t *Table) {
	if len(t.Rows)+len(t.Under) > 0 {
		d.blocks = append(d.blocks, t)
	}
}

// Widths of a text table.
const (
	columnGap = 2  // blanks between columns, 1 where the table then has fewer parts
	leastLast = 24 // columns that words at the end of a row have, which are wrapped
)

func (t *Table) text(b *strings.Builder, width int, safe func(string) string) {
	if t.Title != "" {
		hang(b, "", safe(t.Title), width)
	}
	shown := *t
	shown.Cols, shown.Rows = slices.Clone(t.Cols), make([][]string, len(t.Rows))
	for i := range shown.Cols {
		shown.Cols[i].Name = safe(shown.Cols[i].Name)
	}
	for i, r := range t.Rows {
		for _, cell := range r {
			shown.Rows[i] = append(shown.Rows[i], safe(cell))
		}
	}
	gap := columnGap
	parts := shown.parts(width, gap)
	if dense := shown.parts(width, 1); len(dense) < len(parts) {
		parts, gap = dense, 1
	}
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.write(b, width, gap)
	}
	facts(t.Under).text(b, width, safe)
}

// parts divides the table into some of at most width columns, as far as its widest
// column allows.
func (t *Table) parts(width, gap int) (out []*Table) {
	kept := *t
	kept.Dispensable = nil
	for _, name := range t.Dispensable {
		if kept.width(gap) <= width {
			break
		}
		kept = *kept.without(func(c Column) bool { return c.Name == name })
	}
	keys := max(t.Keys, 1)
	at := indexes(keys)
	for i := keys; i < len(kept.Cols); i++ {
		c, more := &kept.Cols[i], append(slices.Clone(at), i)
		if full := kept.pick(more).width(gap) > width; c.Apart || full && len(at) > keys {
			if c.Drawn {
				continue
			}
			out, more = append(out, kept.pick(at)), append(indexes(keys), i)
		}
		at = more
	}
	return append(out, kept.pick(at))
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// pick returns the table of these columns.
func (t *Table) pick(at []int) *Table {
	out := &Table{Rows: make([][]string, len(t.Rows))}
	for _, i := range at {
		out.Cols = append(out.Cols, t.Cols[i])
		for k, r := range t.Rows {
			out.Rows[k] = append(out.Rows[k], r[i])
		}
	}
	return out
}

// without returns the table without the columns for which out is true.
func (t *Table) without(out func(Column) bool) *Table {
	return t.pick(slices.DeleteFunc(indexes(len(t.Cols)), func(i int) bool { return out(t.Cols[i]) }))
}

// widths are those of the columns. The last one of a group is as wide as its name
// needs.
func (t *Table) widths(gap int) []int {
	out := make([]int, len(t.Cols))
	for i, c := range t.Cols {
		out[i] = draw.Width(c.Name)
		for _, r := range t.Rows {
			out[i] = max(out[i], draw.Width(r[i]))
		}
	}
	for i := 0; i < len(t.Cols); {
		n, span := t.group(i, out, gap)
		out[i+n-1] += max(draw.Width(t.Cols[i].Group)-span, 0)
		i += n
	}
	return out
}

// group returns the number of columns of the group that begins with column i, and
// how wide they are together.
func (t *Table) group(i int, wide []int, gap int) (n, span int) {
	for n = 1; i+n < len(t.Cols) && t.Cols[i].Group != "" && t.Cols[i+n].Group == t.Cols[i].Group; n++ {
		span += wide[i+n-1] + gap
	}
	return n, span + wide[i+n-1]
}

// width is that of a line. Words at its end can be wrapped.
func (t *Table) width(gap int) int {
	sum := gap * (len(t.Cols) - 1)
	for i, w := range t.widths(gap) {
		if c := t.Cols[i]; i == len(t.Cols)-1 && c.Words && !c.Drawn {
			w = min(w, leastLast)
		}
		sum += w
	}
	return sum
}

// write writes the heads and a line a row.
func (t *Table) write(b *strings.Builder, width, gap int) {
	wide := t.widths(gap)
	var above strings.Builder
	names := t.names()
	for i := 0; i < len(t.Cols); {
		n, span := t.group(i, wide, gap)
		before := 0 // one column aligns its group as its cells, several center it
		if room := span - draw.Width(t.Cols[i].Group); n > 1 {
			before = room / 2
		} else if !t.Cols[i].Words {
			before = room
		}
		above.WriteString(pad(strings.Repeat(" ", before)+t.Cols[i].Group, span+gap))
		i += n
	}
	if text := strings.TrimRight(above.String(), " "); text != "" {
		b.WriteString(text + "\n")
	}
	if strings.Join(names, "") != "" {
		t.line(b, names, wide, width, gap)
	}
	for _, r := range t.Rows {
		t.line(b, r, wide, width, gap)
	}
}

// names are those of the columns.
func (t *Table) names() []string { return pick.Each(t.Cols, func(c *Column) string { return c.Name }) }

// line writes the cells of a row.
func (t *Table) line(b *strings.Builder, cells []string, wide []int, width, gap int) {
	before := ""
	for i, c := range cells {
		switch {
		case !t.Cols[i].Words:
			before += strings.Repeat(" ", max(wide[i]-draw.Width(c), 0)) + c
		case i == len(cells)-1:
			hang(b, before, c, width)
			return
		default:
			before += pad(c, wide[i])
		}
		before += strings.Repeat(" ", gap)
	}
	b.WriteString(strings.TrimRight(before, " ") + "\n")
}

func (t *Table) markdown(b *strings.Builder) {
	if t.Title != "" {
		b.WriteString(escape(t.Title) + "\n\n")
	}
	shown := t.without(func(c Column) bool { return c.Drawn })
	for i, c := range shown.Cols {
		shown.Cols[i] = Column{Name: escape(format.Join(" ", c.Group, c.Name)), Words: c.Words}
		for _, r := range shown.Rows {
			r[i] = escape(r[i])
		}
	}
	wide, rule := shown.widths(0), []string(nil)
	for i, c := range shown.Cols {
		rule = append(rule, strings.Repeat("-", wide[i]+1)+format.Either(c.Words, "-", ":"))
	}
	line := func(cells []string) {
		for i, c := range cells {
			blanks := strings.Repeat(" ", wide[i]-draw.Width(c))
			b.WriteString("| " + format.Either(shown.Cols[i].Words, c+blanks, blanks+c) + " ")
		}
		b.WriteString("|\n")
	}
	line(shown.names())
	b.WriteString("|" + strings.Join(rule, "|") + "|\n")
	for _, r := range shown.Rows {
		line(r)
	}
	if len(t.Under) > 0 {
		b.WriteByte('\n')
		facts(t.Under).markdown(b)
	}
}
