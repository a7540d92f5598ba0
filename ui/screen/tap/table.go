package tap

import (
	"cmp"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
)

// row is a row of the table with what its cells are drawn with.
type row struct {
	p    *picture
	v    *View
	i    int
	turn *turn.Turn
}

// columns stand before the lanes.
var columns = []listing.Column[row]{
	{Head: "turn", Width: 7, Text: true, Write: name},
	{Head: "model", Width: 16, Text: true, Rank: 4, Least: 8, Write: func(l draw.Line, r row) {
		l.End-- // a blank
		l.Name(themes.Dim, sanitize.Line(r.turn.Model, 60))
	}},
	{Head: "tokens in", Width: 10, Rank: 3, Write: func(l draw.Line, r row) {
		l.Field(themes.Text, r.p.WholeOf(r.turn.Run.Figures.PromptTokens), 10)
	}},
	{Head: "cached", Width: 8, Rank: 2, Write: func(l draw.Line, r row) {
		role := format.Either(r.turn.Cache.Lost != nil, themes.Warn, themes.Text)
		l.Field(role, r.p.PercentOf(r.turn.Cache.Share), 8)
	}},
	{Head: "TTFT", Width: 9, Rank: 1, Write: func(l draw.Line, r row) {
		l.Field(themes.Text, r.p.Duration(r.turn.Run.Figures.TTFT), 9)
	}},
}

// name writes the number of a turn; that of a subagent stands behind the agent's letter, below the
// turn beside which it began.
func name(l draw.Line, r row) {
	c := r.v.of(r.turn)
	if c.Of == 0 {
		l.Write(themes.Strong, r.p.Int(r.turn.Number))
		return
	}
	if r.v.Filter == "" { // else other rows may be between
		last := r.i+1 == len(r.v.rows) || r.v.of(r.v.at(r.i+1)).Of == 0
		l.Set(themes.Faint, format.Either(last, r.p.Glyphs.BL, r.p.Glyphs.TeeL))
	}
	l.Write(themes.Text, r.p.Join(say.TapAgent(c.Agent), r.p.Int(r.turn.Number)))
}

// marks are what the columns of an activity are drawn with, in Unicode and in ASCII, and a word for
// it where room is short. There those of the largest rank go first; 0 has none.
var marks = [...]struct {
	unicode, ascii rune
	role           themes.Role
	brief          string
	rank           int
}{
	turn.Connect:    {'↑', '^', themes.Network, "", 0},
	turn.Upload:     {'↑', '^', themes.Network, " up ", 7},
	turn.Wait:       {'░', ':', themes.Prefill, "", 1},
	turn.Thinking:   {'▓', '%', themes.Reasoning, " think ", 2},
	turn.Text:       {'█', '#', themes.Decode, "", 3},
	turn.Call:       {'▚', '=', themes.Accent, " call ", 5},
	turn.ServerTool: {'▞', '+', themes.Dim, "", 8},
	turn.Client:     {'·', '.', themes.Text, " tools, client ", 4},
	turn.You:        {'┄', '-', themes.Dim, " you ", 6},
}

func glyph(a turn.Activity, gl *themes.Glyphs) rune {
	return format.Either(gl.ASCII, marks[a].ascii, marks[a].unicode)
}

func (p *picture) legend(l draw.Line) {
	parts := []draw.Part{{Text: " "}}
	for a, m := range marks {
		if m.rank > 0 {
			word := p.Join(" ", say.TapActivity(turn.Activity(a)), " ")
			parts = append(parts, draw.Part{Role: m.role, Text: string(glyph(turn.Activity(a), p.Glyphs)), Rank: m.rank},
				draw.Part{Role: themes.Dim, Text: word, Brief: m.brief, Rank: m.rank})
		}
	}
	l.Fit(append(parts, draw.Part{Role: themes.Bad, Text: string(p.Glyphs.Fail)},
		draw.Part{Role: themes.Dim, Text: " failed "})...)
}

// lane draws a turn on its axis, from the column at which l stands.
func (p *picture) lane(l draw.Line, a *axis, t *turn.Turn) {
	st, column := t.Stream(), func(at metrics.Stamp) int { return l.X + a.column(a.at(t, at)) }
	begin := column(st.Marks.Start)
	end := begin
	for _, s := range t.Spans {
		if a.own && s.Activity == turn.You {
			continue // it is not of the turn
		}
		x0, x1 := column(s.From), min(column(s.To), l.End)
		p.Grid.Across(x0, l.Y, x1-x0, glyph(s.Activity, p.Glyphs), marks[s.Activity].role)
		if x1 > x0 && a.columns(s.To-s.From) > x1-x0+1 { // it is cut: say how long it was
			text := p.Ms(float64(s.To-s.From) / 1e6)
			p.Grid.Center(x0, l.Y, x1-x0, format.Either(draw.Width(text) > x1-x0, string(p.Glyphs.Ellipsis), text), p.Glyphs,
				marks[turn.You].role)
		}
		end = max(end, x1)
	}
	if end == begin && len(t.Spans) > 0 { // shorter than a column
		most := slices.MaxFunc(t.Spans, func(a, b turn.Span) int { return cmp.Compare(a.To-a.From, b.To-b.From) }).Activity
		p.Grid.Set(begin, l.Y, glyph(most, p.Glyphs), marks[most].role)
		end++
	}
	if st.State > metrics.Done {
		sign, role := draw.Outcome(p.Glyphs, st.State)
		p.Grid.Set(min(max(column(st.Marks.End)-1, begin), l.End-1), l.Y, sign, role)
		l.To(end + 1)
		l.Whole(role, say.TapStatus(st))
	}
}
