package live

import (
	"math"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// stretch is one drawn part of the wait.
type stretch struct {
	name   string
	ms     float64
	known  bool
	server bool
	role   themes.Role
	glyph  rune
}

// wait is the panel of the time before the first token. Its slices are reused.
type wait struct {
	parts     []stretch
	legendBuf []legendItem
}

// stretches turns the figures' split of the wait into what is drawn. While
// the wait lasts the last part grows with the clock, between two counts of
// the figures too.
func (s *wait) stretches(p *canvas) (all []stretch, total float64) {
	st := &p.v.Stream
	all = s.parts[:0]
	for _, w := range p.v.Figures.Wait {
		x := stretch{name: w.Name, ms: max(w.Ms.V, 0), known: w.Ms.OK, server: w.Server}
		if !x.known || math.IsInf(x.ms, 0) {
			x.ms = 0
		}
		x.role, x.glyph = s.phaseLook(p, w.Name, w.Server)
		total += x.ms
		all = append(all, x)
	}
	if (st.State == metrics.Connecting || st.State == metrics.Waiting) && !st.Asking {
		if d, ok := p.v.Now.Sub(st.Marks.Start); ok && float64(d)/1e6 > total {
			more := float64(d)/1e6 - total
			total += more
			if n := len(all); n > 0 && !all[n-1].server && (st.State == metrics.Connecting || all[n-1].role != themes.Network) {
				all[n-1].ms += more
				all[n-1].known = true
			} else {
				x := stretch{name: "wait", ms: more, known: true}
				x.role, x.glyph = s.phaseLook(p, x.name, false)
				all = append(all, x)
			}
		}
	}
	s.parts = all
	return all, total
}

// phaseLook gives a part of the wait its colour and its shade: what the
// server says is dense, what we measured is middle, what nobody explains light.
func (s *wait) phaseLook(p *canvas, name string, server bool) (themes.Role, rune) {
	switch name {
	case "dns", "tcp", "tls", "send", "sent", metrics.ShareClient, metrics.ShareRetried:
		return themes.Network, p.Glyphs.MidShade
	case metrics.ServerQueue, metrics.ServerLoad:
		return themes.Queue, p.Glyphs.Shade
	case "wait":
		return themes.Prefill, p.Glyphs.LightShade
	case metrics.ServerPrefill, metrics.ServerTTFT, metrics.ServerProcessing:
		return themes.Prefill, p.Glyphs.Shade
	}
	if server {
		return themes.Queue, p.Glyphs.Shade
	}
	return themes.Unexplained, p.Glyphs.LightShade
}

// phasePanel draws the wait on a time axis: a bar on a linear scale that only
// grows, its ticks, and every part with its value.
func (s *wait) phasePanel(p *canvas, r draw.Rect) {
	all, total := s.stretches(p)
	st := &p.v.Stream
	title := "time to first token"
	f := p.ttft()
	switch {
	case f.known.OK:
		title = p.Join(title, " ─ ", p.Duration(f.known))
	case st.State == metrics.Waiting:
		title = p.Join(title, " ─ ", f.num, " ", f.unit, " so far")
	case st.Asking:
		title = p.Join(title, " ─ not begun")
	case st.State == metrics.Connecting:
		title = p.Join(title, " ─ connecting")
	case st.State.Ended():
		title = p.Join(title, " ─ no tokens received")
	}
	right := ""
	if left, bound, ok := p.countdown(); ok && st.State <= metrics.Waiting {
		if right = p.Join(left, bound); draw.Width(title)+draw.Width(right)+9 > r.W {
			right = left
		}
	}
	in := p.Box(r, themes.Border, title, right)
	scale := nice(firstScale, total)
	if in.H >= 2 {
		s.phaseBar(p, p.Row(in, 0), all, scale, f.known.OK)
	}
	if in.H >= 3 {
		s.phaseTicks(p, p.Row(in, 1), scale)
	}
	s.phaseLegend(p, p.Row(in, in.H-1), all, in.H < 3, scale)
}

// phaseBar draws the parts to scale. A part wide enough carries its name.
func (s *wait) phaseBar(p *canvas, l line, all []stretch, scale float64, came bool) {
	w := l.Left()
	x0, at := l.X, 0.0
	from := 0
	for i := range all {
		x := &all[i]
		at += x.ms
		to := min(int(math.Round(at/scale*float64(w))), w)
		if to <= from {
			continue
		}
		p.Grid.Fill(draw.Rect{X: x0 + from, Y: l.Y, W: to - from, H: 1}, x.glyph, x.role)
		name := s.phaseName(x.name)
		if n := draw.Width(name); to-from >= n+6 {
			mid := x0 + from + (to-from-n)/2
			p.Grid.Set(mid-1, l.Y, ' ', x.role)
			p.Grid.Text(mid, l.Y, name, x.role, n)
			p.Grid.Set(mid+n, l.Y, ' ', x.role)
		}
		from = to
	}
	if came && from < w {
		p.Grid.Set(x0+from, l.Y, p.Glyphs.Mark, themes.Good)
		l.X = x0 + from + 2
		l.Whole(themes.Good, "first token")
	}
}

func (s *wait) phaseName(n string) string {
	switch n {
	case metrics.ShareSend:
		return "sent"
	case metrics.ShareServer:
		return "rest" // of the server-reported time
	}
	return safeName(n)
}

// phaseTicks prints the linear scale under the bar.
func (s *wait) phaseTicks(p *canvas, l line, scale float64) {
	w := l.Left()
	steps := 5
	if w < 50 {
		steps = 2
	}
	for i := 0; i <= steps; i++ {
		x := l.X + w*i/steps
		text := p.tick(scale * float64(i) / float64(steps))
		switch i {
		case 0:
			p.Grid.Text(x, l.Y, "0", themes.Axis, 1)
		case steps:
			p.Grid.Right(l.End, l.Y, text, themes.Axis, w)
		default:
			p.Grid.Set(x, l.Y, p.Glyphs.AxisV, themes.Faint)
			p.Grid.Text(x+1, l.Y, text, themes.Axis, w)
		}
	}
}

// legendForm is a way to write the legend of the wait.
type legendForm struct {
	slot   int  // columns of a value; 0: as many as needed
	merged bool // the parts of the connection setup are merged, without units
}

// legendForms are the forms of the legend, the most explicit first. The first
// form that fits every part is used: a shade without a name says nothing.
// Slots have fixed widths, so that a changed value does not change the form.
var legendForms = [...]legendForm{{9, false}, {7, true}, {0, true}}

// scaleRoom is the width of a scale without a row of its own: "0 to 500 ms".
const scaleRoom = 13

// legendItem is one part of the legend.
type legendItem struct {
	lead string // text before it
	name string
	part stretch
}

// phaseLegend lists every part with its value, in places that do not move.
func (s *wait) phaseLegend(p *canvas, l line, all []stretch, scaled bool, scale float64) {
	room := l.Left()
	if scaled {
		room -= scaleRoom
	}
	var items []legendItem
	var form legendForm
	for _, form = range legendForms {
		items = s.legendItems(p, s.legendBuf[:0], all, form)
		s.legendBuf = items
		if s.legendWidth(p, items, form) <= room {
			break
		}
	}
	if s.reused(p) {
		l.Whole(themes.Network, draw.Either(form.merged, "reused", "connection reused"))
		if l.Skip(1); !form.merged {
			l.Skip(1)
		}
	}
	for i := range items {
		if i == len(items)-1 && form.merged {
			form.slot = 0 // the shared unit follows the last number
		}
		s.legend(p, &l, &items[i], form)
	}
	if form.merged && len(all) > 0 {
		l.Whole(themes.Dim, "ms")
	}
	if scaled {
		text := p.Join("0 to ", p.tick(scale))
		if n := draw.Width(text); n+1 <= l.Left() {
			p.Grid.Right(l.End, l.Y, text, themes.Axis, n)
		}
	}
}

func (s *wait) reused(p *canvas) bool { return p.v.Stream.Conn.Reused }

// legendItems are the parts as a form names them.
func (s *wait) legendItems(p *canvas, items []legendItem, all []stretch, form legendForm) []legendItem {
	reused := s.reused(p)
	connect, serverTimed := 0.0, false
	for i := range all {
		x := all[i]
		network := x.role == themes.Network
		if network {
			x.glyph = 0
		}
		switch {
		case form.merged && network:
			connect += x.ms
			if x.name == metrics.ShareSend && !reused && connect > 0 {
				items = append(items, legendItem{name: "connect", part: stretch{ms: connect, known: true}})
			}
			continue
		case network && !x.known && reused:
			continue
		case form.slot == 0 && x.server && x.known && x.ms < 0.05:
			continue // 0.00: the bar has no shade for it either
		}
		lead := ""
		if x.server && !serverTimed {
			serverTimed = true
			lead = draw.Either(form.merged, "server: ", "server says: ")
		}
		items = append(items, legendItem{lead, s.phaseName(x.name), x})
	}
	return items
}

// legendText is an item's value, and how many columns it takes.
func (s *wait) legendText(p *canvas, it *legendItem, form legendForm) (text string, columns int) {
	if !it.part.known {
		return draw.Unknown, 3
	}
	text = p.Ms(it.part.ms)
	if form.merged {
		text = p.Number(it.part.ms)
	}
	return text, max(form.slot, draw.Width(text)+1)
}

// legendWidth is how many columns the items take.
func (s *wait) legendWidth(p *canvas, items []legendItem, form legendForm) int {
	w := 0
	if s.reused(p) {
		w = draw.Width(draw.Either(form.merged, "reused", "connection reused")) + 2
	}
	for i := range items {
		it := &items[i]
		_, n := s.legendText(p, it, form)
		w += draw.Width(it.lead) + draw.Width(it.name) + 1 + n
		if it.part.glyph != 0 {
			w += 2
		}
	}
	if form.merged {
		w += 2 // ms
	}
	return w
}

// legend writes one part: its shade, name and value, or nothing where they do
// not fit.
func (s *wait) legend(p *canvas, l *line, it *legendItem, form legendForm) {
	text, columns := s.legendText(p, it, form)
	need := draw.Width(it.lead) + draw.Width(it.name) + 1 + draw.Width(text)
	if it.part.glyph != 0 {
		need += 2
	}
	if l.Left() < need {
		l.X = l.End
		return
	}
	l.Whole(themes.Dim, it.lead)
	if it.part.glyph != 0 {
		p.Grid.Set(l.X, l.Y, it.part.glyph, it.part.role)
		l.Skip(2)
	}
	l.Write(themes.Dim, it.name)
	l.Skip(1)
	l.Slot(themes.Text, text, columns)
}
