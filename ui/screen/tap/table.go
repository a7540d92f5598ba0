package tap

import (
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
