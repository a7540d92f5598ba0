package explain

import (
	"slices"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// dial is a knob in the head.
type dial struct {
	name  string // above its position
	width int    // of a column of the table
	short string // before its position where there is no table; "" where the position speaks for itself
}

var dials = [serving.NumKnobs]dial{
	serving.KnobHardware:    {"hardware", 10, ""},
	serving.KnobModel:       {"model", 16, ""},
	serving.KnobPrecision:   {"quantization", 12, ""},
	serving.KnobTP:          {"tp", 6, "tp"},
	serving.KnobUsers:       {"users", 5, "users"},
	serving.KnobPrompt:      {"prompt", 6, "in"},
	serving.KnobOutput:      {"output", 6, "out"},
	serving.KnobMode:        {"batching", 14, ""},
	serving.KnobBudget:      {"chunk", 6, "chunk"},
	serving.KnobPrefixCache: {"prefix", 6, "cache"},
	serving.KnobDraft:       {"draft", 5, "draft"},
	serving.KnobAccept:      {"accept", 6, "accept"},
	serving.KnobTime:        {"time", 5, "time"},
	serving.KnobSoftware:    {"software", 9, "software"},
	serving.KnobSharing:     {"sharing", 8, "sharing"},
	serving.KnobKV:          {"KV", 5, "KV"},
	serving.KnobCPU:         {"CPU experts", 11, "CPU experts"},
	serving.KnobDraftHead:   {"draft head", 10, "draft head"},
	serving.KnobAsync:       {"async", 5, "async"},
}

// usual has every option in its usual position.
var usual serving.Knobs

// optionsShown reports whether the options have a row: one is selected, or has
// not its usual value.
func optionsShown(v *View) bool { return v.Knob >= serving.Options || !v.Explain.Knobs.Usual() }

// knobs draws every knob with its position, the selected one marked: as a
// table, or one behind the other where there is no room for one. Those of
// which the lesson speaks are in color.
func (p *canvas) knobs(r draw.Rect) {
	shown := optionsShown(p.v)
	if r.H < 2 || r.W < tableW || shown && r.H < 3 {
		p.knobRows(r, 0, shown)
		return
	}
	p.knobTable(r)
	if shown {
		p.knobRows(draw.Rect{X: r.X, Y: r.Y + 2, W: r.W, H: r.H - 2}, serving.Options, true)
	}
}

func (p *canvas) knobTable(r draw.Rect) {
	sum := 0
	for _, d := range dials[:serving.Options] {
		sum += d.width
	}
	gap := min(max((r.W-sum-2)/int(serving.Options-1), 1), 8)
	x := r.X
	for i, d := range dials[:serving.Options] {
		at := draw.Rect{X: x, Y: r.Y, W: d.width + 1, H: 2}
		p.Grid.Target(at, onKnob(i))
		p.cell(serving.Knob(i), at, d.name)
		x += d.width + gap
	}
}

// cell draws a knob over at: its name above its position, or before it in one row. The
// selected one is marked.
func (p *canvas) cell(k serving.Knob, at draw.Rect, name string) {
	role, value := themes.Dim, themes.Strong
	if t := &p.v.Explain.Tour; t.On && slices.Contains(t.Lesson.Knobs, k) {
		role, value = themes.Figure, themes.Figure
	}
	l := p.Row(at, 0)
	if at.H > 1 {
		l.Skip(1)
		l.Cut(role, name)
		_, at = at.SplitV(1)
		l, name = p.Row(at, 0), ""
	}
	if p.v.Knob == k {
		role, value = themes.Selected, themes.Selected
		p.Grid.Fill(at, ' ', value)
		l.Set(value, p.Glyphs.Ghost)
	} else {
		l.Skip(1)
	}
	if name != "" {
		l.Write(role, name)
		l.Skip(1)
	}
	l.Cut(value, say.KnobPosition(k, &p.v.Explain.Knobs))
}

// rowWidth is the width of d in a row with a position.
func (d *dial) rowWidth(position string) int {
	return 1 + draw.Width(position) + format.Either(d.short != "", draw.Width(d.short)+1, 0)
}

// roomForAll reports whether all knobs and options fit into the rows of r. A row can
// lose as many columns as the longest position needs.
func roomForAll(k *serving.Knobs, r draw.Rect) bool {
	sum, longest := 0, 0
	for i := range dials {
		n := dials[i].rowWidth(say.KnobPosition(serving.Knob(i), k)) + 1
		sum, longest = sum+n, max(longest, n)
	}
	return sum <= r.H*(r.W-longest/2)
}

// knobRows writes the knobs from a first one on one behind the other over the rows of
// r, with the options if they are shown. Where not all have room the selected
// one does in any case, and the options in their usual position go first.
func (p *canvas) knobRows(r draw.Rect, from serving.Knob, options bool) {
	k := &p.v.Explain.Knobs
	tight := from == 0 && options && !roomForAll(k, r)
	chosen := dials[p.v.Knob%serving.NumKnobs].rowWidth(say.KnobPosition(p.v.Knob, k))
	l, row := p.Row(r, 0), 0
	for i := from; i < format.Either(options, serving.NumKnobs, serving.Options); i++ {
		d, selected, value := dials[i], i == p.v.Knob, say.KnobPosition(i, k)
		if tight && i >= serving.Options {
			if value == say.KnobPosition(i, &usual) && !selected {
				continue
			}
			if i == serving.KnobSoftware {
				d.short = "" // its name speaks for itself
			}
		}
		if i == serving.KnobAccept && k.DraftK <= 0 && !selected {
			continue
		}
		n := d.rowWidth(value)
		if n+1 > l.Left() && row+1 < r.H {
			row++
			l = p.Row(r, row)
		}
		room := l.Left()
		if row == r.H-1 && i < p.v.Knob {
			room -= chosen + 1
		}
		if n > room && !selected {
			continue
		}
		at := draw.Rect{X: l.X, Y: l.Y, W: min(n, l.Left()), H: 1}
		p.Grid.Target(at, onKnob(i))
		p.cell(i, at, d.short)
		l.X = at.Right() + 1
	}
}
