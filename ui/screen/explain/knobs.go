package explain

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/themes"
	cell "tokscope/ui/draw"
	ink "tokscope/ui/draw"
)

// KnobValue is the position of a knob in a word: "h100", "64", "off", "0.1x".
func KnobValue(k *metrics.Knobs, knob metrics.Knob) string {
	number := func(n int, zero string) string {
		if n <= 0 {
			return zero
		}
		return strconv.Itoa(n)
	}
	switch knob {
	case metrics.KnobHardware:
		return k.Hardware
	case metrics.KnobModel:
		return k.Model
	case metrics.KnobPrecision:
		return k.Precision
	case metrics.KnobTP:
		return number(k.TP, "auto")
	case metrics.KnobUsers:
		return strconv.Itoa(k.Users)
	case metrics.KnobPrompt:
		return strconv.Itoa(k.Prompt)
	case metrics.KnobOutput:
		return strconv.Itoa(k.Output)
	case metrics.KnobMode:
		return k.Mode
	case metrics.KnobBudget:
		return number(k.Budget, "auto")
	case metrics.KnobPrefixCache:
		return ink.Either(k.PrefixCache, "on", "off")
	case metrics.KnobDraft:
		return number(k.DraftK, "off")
	case metrics.KnobAccept:
		if k.DraftK <= 0 {
			return ink.Unknown
		}
		return strconv.FormatFloat(finite(k.Accept*100), 'f', 0, 64) + " %"
	case metrics.KnobTime:
		return strconv.FormatFloat(finite(k.Time), 'g', 3, 64) + "x"
	}
	return ""
}

// dial is a knob in the head.
type dial struct {
	name  string // above its position
	width int    // of a column of the table
	short string // before its position where there is no table; "" where the position speaks for itself
}

var dials = [metrics.NumKnobs]dial{
	metrics.KnobHardware:    {"hardware", 10, ""},
	metrics.KnobModel:       {"model", 16, ""},
	metrics.KnobPrecision:   {"quantisation", 12, ""},
	metrics.KnobTP:          {"tp", 6, "tp"},
	metrics.KnobUsers:       {"users", 5, "users"},
	metrics.KnobPrompt:      {"prompt", 6, "in"},
	metrics.KnobOutput:      {"output", 6, "out"},
	metrics.KnobMode:        {"batching", 14, ""},
	metrics.KnobBudget:      {"chunk", 5, "chunk"},
	metrics.KnobPrefixCache: {"prefix", 6, "cache"},
	metrics.KnobDraft:       {"draft", 5, "draft"},
	metrics.KnobAccept:      {"accept", 6, "accept"},
	metrics.KnobTime:        {"time", 5, "time"},
}

// knobs draws every knob with its position, the selected one marked: as a
// table, or one behind the other where there is no room for one. Those of
// which the lesson speaks are in colour.
func (s *Screen) knobs(p *pen, r cell.Rect) {
	if r.H >= 2 && r.W >= tableW {
		s.knobTable(p, r)
		return
	}
	s.knobRows(p, r)
}

func (s *Screen) knobTable(p *pen, r cell.Rect) {
	k := &p.v.Explain.Knobs
	sum := 0
	for _, d := range dials {
		sum += d.width
	}
	gap := min(max((r.W-sum-2)/int(metrics.NumKnobs-1), 1), 8)
	x := r.X + 1
	for i, d := range dials {
		at := cell.Rect{X: x - 1, Y: r.Y, W: d.width + 1, H: 2}
		s.place("knob", at, i)
		name, value := s.roles(p.v, metrics.Knob(i))
		l := p.Row(at, 0)
		l.Skip(1)
		l.Cut(name, d.name)
		l = p.Row(at, 1)
		if p.v.Knob == metrics.Knob(i) {
			p.Grid.Fill(cell.Rect{X: at.X, Y: at.Y + 1, W: at.W, H: 1}, ' ', value)
			l.Set(value, p.Glyphs.Ghost)
		} else {
			l.Skip(1)
		}
		l.Cut(value, KnobValue(k, metrics.Knob(i)))
		x += d.width + gap
	}
}

// roles are those of a knob's name and of its position.
func (s *Screen) roles(v *View, k metrics.Knob) (name, value themes.Role) {
	name, value = themes.Dim, themes.Strong
	if speaksOf(v, k) {
		name, value = themes.Figure, themes.Figure
	}
	if v.Knob == k {
		value = themes.Selected
	}
	return name, value
}

// knobRows writes the knobs one behind the other over the rows of r. Where
// not all have room the selected one does in any case.
func (s *Screen) knobRows(p *pen, r cell.Rect) {
	k := &p.v.Explain.Knobs
	row := 0
	l := p.Row(r, 0)
	var from [metrics.NumKnobs]int // where those of the present row begin
	first, hits := 0, len(s.hits)  // of these; hits as they were before it
	for i, d := range dials {
		from[i] = -1
		value := KnobValue(k, metrics.Knob(i))
		if metrics.Knob(i) == metrics.KnobAccept && k.DraftK <= 0 && p.v.Knob != metrics.KnobAccept {
			continue
		}
		n := 1 + cell.Width(value)
		if d.short != "" {
			n += cell.Width(d.short) + 1
		}
		if n+1 > l.Left() && row+1 < r.H {
			row++
			l = p.Row(r, row)
			first, hits = i, len(s.hits)
		}
		selected := metrics.Knob(i) == p.v.Knob
		if n > l.Left() {
			if !selected || row != r.H-1 {
				continue
			}
			// It takes the place of the last ones, of each of them as a whole.
			l.X = l.End - min(n+1, r.W)
			kept := 0
			for j := first; j < i; j++ {
				switch {
				case from[j] < 0:
				case from[j]+s.hits[hits+kept].r.W < l.X:
					kept++
				default:
					l.X = min(l.X, from[j])
				}
			}
			s.hits = s.hits[:hits+kept]
			p.Grid.Fill(cell.Rect{X: l.X, Y: l.Y, W: l.Left(), H: 1}, ' ', themes.Ink)
		}
		name, st := s.roles(p.v, metrics.Knob(i))
		at := cell.Rect{X: l.X, Y: l.Y, W: min(n, l.Left()), H: 1}
		s.place("knob", at, i)
		from[i] = at.X
		if selected {
			p.Grid.Fill(at, ' ', st)
			l.Set(st, p.Glyphs.Ghost)
			name = st
		} else {
			l.Skip(1)
		}
		if d.short != "" {
			l.Write(name, d.short)
			l.Skip(1)
		}
		l.Cut(st, value)
		l.Skip(1)
	}
}
