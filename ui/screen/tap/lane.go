package tap

import (
	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// marks are what the columns of an activity are drawn with, in Unicode and in ASCII.
var marks = map[turn.Activity]struct {
	unicode, ascii rune
	role           themes.Role
}{
	turn.Connect:    {'↑', '^', themes.Network},
	turn.Upload:     {'↑', '^', themes.Network},
	turn.Wait:       {'░', ':', themes.Prefill},
	turn.Thinking:   {'▓', '%', themes.Reasoning},
	turn.Text:       {'█', '#', themes.Decode},
	turn.Call:       {'▚', '=', themes.Accent},
	turn.ServerTool: {'▞', '+', themes.Dim},
	turn.Client:     {'·', '.', themes.Text},
	turn.You:        {'┄', '-', themes.Dim},
}

// legend are the words for the marks, long and short.
var legend = []struct {
	of          turn.Activity
	word, short string
}{
	{turn.Upload, "upload", ""}, {turn.Wait, "wait", "wait"}, {turn.Thinking, "thinking", "think"},
	{turn.Text, "text", "text"}, {turn.Call, "tool call", "call"}, {turn.Client, "tools and client", "tools and client"},
	{turn.You, "waiting for you", "you"},
}

// glyph returns the mark of an activity.
func glyph(a turn.Activity, gl *themes.Glyphs) rune {
	return format.Either(gl.ASCII, marks[a].ascii, marks[a].unicode)
}

// legend writes what the marks mean at the right end of r, in the short words where the long
// ones have no room.
func (p *picture) legend(r draw.Rect) {
	write := func(l draw.Line, long bool) int {
		from := l.X
		for _, m := range legend {
			if word := format.Either(long, m.word, m.short); word != "" {
				l.Skip(1)
				l.Set(marks[m.of].role, glyph(m.of, p.Glyphs))
				l.Write(themes.Dim, p.Join(" ", word))
			}
		}
		l.Skip(1)
		l.Set(themes.Bad, p.Glyphs.Fail)
		l.Write(themes.Dim, " failed ")
		return l.X - from
	}
	for _, long := range [...]bool{true, false} {
		if w := write(p.Line(-1<<12, r.Y, 1<<11), long); w <= r.W { // off the screen
			at := draw.Rect{X: r.Right() - w, Y: r.Y, W: w, H: 1}
			p.Grid.Fill(at, ' ', themes.Text)
			write(p.Row(at, 0), long)
			return
		}
	}
}

// lane draws a turn on its axis, from the column at which l stands.
func (p *picture) lane(l draw.Line, a *axis, t *turn.Turn) {
	from := l.X
	cell := func(x int, r rune, role themes.Role) {
		if x >= from && x < l.End {
			p.Grid.Set(x, l.Y, r, role)
		}
	}
	end := from + a.column(t.Stream().Marks.Start)
	for _, s := range t.Spans {
		x0, x1 := from+a.column(s.From), from+a.column(s.To)
		m := marks[s.Activity]
		for x := x0; x < x1; x++ {
			cell(x, glyph(s.Activity, p.Glyphs), m.role)
		}
		if s.Activity == turn.You && a.cuts(s.From, s.To) {
			p.cut(l, x0, x1, float64(s.To-s.From)/1e6)
		}
		end = max(end, x1)
	}
	st := t.Stream()
	if drawn := from + a.column(st.Marks.Start); end == drawn { // shorter than a column
		cell(end, glyph(longest(t), p.Glyphs), marks[longest(t)].role)
		end++
	}
	if st.State <= metrics.Done {
		return
	}
	sign, role := draw.Outcome(p.Glyphs, st.State)
	at := from + a.column(st.Marks.End)
	cell(max(at-1, from+a.column(st.Marks.Start)), sign, role)
	l.To(end + 1)
	l.Whole(role, say.TapStatus(st))
}

// cut writes how long a wait was whose columns are cut.
func (p *picture) cut(l draw.Line, x0, x1 int, ms float64) {
	text := p.Ms(ms)
	if n := draw.Width(text); n <= x1-x0 && x1 <= l.End {
		p.Grid.Text(x0+(x1-x0-n)/2, l.Y, text, marks[turn.You].role, n)
	} else if x1 > x0 && x1 <= l.End {
		p.Grid.Set(x0+(x1-x0)/2, l.Y, p.Glyphs.Ellipsis, marks[turn.You].role)
	}
}

// longest returns the activity that took most of a turn.
func longest(t *turn.Turn) (most turn.Activity) {
	for a := turn.Connect; a <= turn.You; a++ {
		if t.Time(a) > t.Time(most) {
			most = a
		}
	}
	return most
}
