package explain

import (
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
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

// cell draws a knob over at: its name above its position, or before it in one row.
func (p *canvas) cell(k serving.Knob, at draw.Rect, name string) {
	role, value := p.roles(k)
	l := p.Row(at, 0)
	if at.H > 1 {
		l.Skip(1)
		l.Cut(role, name)
		_, at = at.SplitV(1)
		l, name = p.Row(at, 0), ""
	}
	if p.v.Knob == k {
		p.Grid.Fill(at, ' ', value)
		l.Set(value, p.Glyphs.Ghost)
		role = value
	} else {
		l.Skip(1)
	}
	if name != "" {
		l.Write(role, name)
		l.Skip(1)
	}
	l.Cut(value, say.KnobPosition(k, &p.v.Explain.Knobs))
}

// roles are the roles of a knob's name and position.
func (p *canvas) roles(k serving.Knob) (name, value themes.Role) {
	name, value = themes.Dim, themes.Strong
	if speaksOf(p.v, k) {
		name, value = themes.Figure, themes.Figure
	}
	if p.v.Knob == k {
		value = themes.Selected
	}
	return name, value
}

// roomForAll reports whether all knobs and options fit into the rows of r. A row can
// lose as many columns as the longest position needs.
func roomForAll(k *serving.Knobs, r draw.Rect) bool {
	sum, longest := 0, 0
	for i, d := range dials {
		n := 2 + draw.Width(say.KnobPosition(serving.Knob(i), k))
		if d.short != "" {
			n += draw.Width(d.short) + 1
		}
		sum, longest = sum+n, max(longest, n)
	}
	return sum <= r.H*(r.W-longest/2)
}

// knobRows writes the knobs from a first one on one behind the other over the rows of
// r, with the options if they are shown. Where not all have room the selected
// one does in any case, and the options in their usual position go first.
func (p *canvas) knobRows(r draw.Rect, from serving.Knob, options bool) {
	k := &p.v.Explain.Knobs
	row := 0
	l := p.Row(r, 0)
	tight := from == 0 && options && !roomForAll(k, r)
	var places [serving.NumKnobs]draw.Rect // of the drawn knobs
	first := 0                             // of the present row
	for i, d := range dials {
		value := say.KnobPosition(serving.Knob(i), k)
		if serving.Knob(i) < from || serving.Knob(i) >= serving.Options && !options {
			continue
		}
		if tight && serving.Knob(i) >= serving.Options {
			changed := value != say.KnobPosition(serving.Knob(i), &usual)
			if !changed && serving.Knob(i) != p.v.Knob {
				continue
			}
			if changed && serving.Knob(i) == serving.KnobSoftware {
				d.short = "" // its name speaks for itself
			}
		}
		if serving.Knob(i) == serving.KnobAccept && k.DraftK <= 0 && p.v.Knob != serving.KnobAccept {
			continue
		}
		n := 1 + draw.Width(value)
		if d.short != "" {
			n += draw.Width(d.short) + 1
		}
		if n+1 > l.Left() && row+1 < r.H {
			row++
			l = p.Row(r, row)
			first = i
		}
		selected := serving.Knob(i) == p.v.Knob
		if n > l.Left() {
			if !selected || row != r.H-1 {
				continue
			}
			// The selected knob replaces the last ones, each as a whole.
			l.X = l.End - min(n+1, r.W)
			for j := first; j < i; j++ {
				if at := &places[j]; !at.Empty() && at.Right() >= l.X {
					l.X = min(l.X, at.X)
					*at = draw.Rect{}
				}
			}
			p.Grid.Fill(draw.Rect{X: l.X, Y: l.Y, W: l.Left(), H: 1}, ' ', themes.Text)
		}
		places[i] = draw.Rect{X: l.X, Y: l.Y, W: min(n, l.Left()), H: 1}
		p.cell(serving.Knob(i), places[i], d.short)
		l.X = places[i].Right() + 1
	}
	for i, at := range places {
		if serving.Knob(i) < from {
			continue // drawn in the table
		}
		p.Grid.Target(at, onKnob(i))
	}
}
