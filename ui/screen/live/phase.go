package live

import (
	"math"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// stretch is one drawn part of the wait.
type stretch struct {
	name   string
	ms     float64
	known  bool
	server bool
	role   themes.Role
	fill   scope.Fill
	shown  bool // the legend shows its pattern
}

// wait is the line about the time before the first token. Its slices are
// reused.
type wait struct {
	parts     []stretch
	legendBuf []legendItem
	few       []stretch
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
		x.role, x.fill = phaseLook(w.Name, w.Server)
		x.shown = true
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
				x.role, x.fill = phaseLook(x.name, false)
				x.shown = true
				all = append(all, x)
			}
		}
	}
	s.parts = all
	return all, total
}

// phaseLook is the color and the pattern of a part of the wait.
func phaseLook(name string, server bool) (themes.Role, scope.Fill) {
	switch name {
	case "dns", "tcp", "tls", "send", "sent", metrics.ShareUpload, metrics.ShareClient, metrics.ShareRetried:
		return themes.Network, scope.Lined
	case metrics.ServerQueue, metrics.ServerLoad:
		return themes.Queue, scope.Checked
	case "wait":
		return themes.Prefill, scope.Checked
	case metrics.ServerPrefill, metrics.ServerTTFT, metrics.ServerProcessing:
		return themes.Prefill, scope.Solid
	}
	if server {
		return themes.Queue, scope.Lined
	}
	return themes.Unexplained, scope.Sparse
}

// line writes the wait in words: its length, and its parts with their times.
func (s *wait) line(p *canvas, l line) {
	all, _ := s.stretches(p)
	st := &p.v.Stream
	f := p.ttft()
	switch {
	case f.known.OK:
		l.Write(themes.Dim, "wait ")
		l.Slot(themes.Strong, p.Duration(f.known), format.DurationWidth)
	case st.State == metrics.Waiting:
		l.Write(themes.Dim, "wait ")
		l.Slot(f.role, p.Join(f.num, " ", f.unit), clockWidth)
		l.Write(themes.Dim, " so far")
	case st.Asking:
		l.Slot(themes.Dim, "wait not begun", waitSlot)
	case st.State == metrics.Connecting:
		l.Slot(themes.Dim, "connecting", waitSlot)
	case st.State.Ended():
		l.Write(themes.Dim, "no token received")
	default:
		l.Slot(themes.Dim, p.Join("wait ", draw.Unknown), waitSlot)
	}
	l.Skip(2)
	if n := len(all); n > 0 && all[n-1].name == metrics.ShareWait && (f.known.OK || st.State == metrics.Waiting) {
		all = all[:n-1] // said already
	}
	s.phaseLegend(p, l, all)
}

// waitSlot is the width of the wait's length with its name.
const waitSlot = 5 + format.DurationWidth

// clockWidth is the width of the running clock from 100 ms to 100 s.
const clockWidth = 6

func (s *wait) phaseName(n string) string {
	switch n {
	case metrics.ShareSend:
		return "sent"
	case metrics.ShareServer:
		return "rest" // of the server-reported time
	}
	return safeName(n)
}

// legendForm is a way to write the legend of the wait.
type legendForm struct {
	slot   int  // columns of a value; 0: as many as needed
	merged bool // the parts of the connection setup are merged
	bare   bool // the unit stands behind the last value alone
	reused bool // a connection that was used again needs its words
	inside bool // the connection setup, which is not part of the wait, is left out
	few    bool // of the server's parts the largest, and the sum of the others
	sum    bool // the sum of the server's parts
}

// legendForms are the forms of the legend, the most explicit first. The first
// form that fits every part is used: a pattern without a name says nothing.
// Slots have fixed widths, so that a changed value does not change the form.
var legendForms = [...]legendForm{
	{slot: 9, reused: true}, {slot: 9, merged: true, reused: true}, {slot: 7, merged: true, bare: true, reused: true},
	{merged: true, bare: true, reused: true}, {merged: true, bare: true}, {merged: true, bare: true, inside: true},
	{merged: true, bare: true, inside: true, few: true}, {merged: true, bare: true, inside: true, sum: true},
}

// legendItem is one part of the legend.
type legendItem struct {
	lead string // text before it
	name string
	part stretch
}

// phaseLegend lists every part with its value, in places that do not move.
func (s *wait) phaseLegend(p *canvas, l line, all []stretch) {
	room := l.Left()
	var items []legendItem
	var form legendForm
	for _, form = range legendForms {
		items = s.legendItems(p, s.legendBuf[:0], all, form)
		s.legendBuf = items
		if s.legendWidth(p, items, form) <= room {
			break
		}
	}
	for i := range items {
		if i == len(items)-1 && form.bare {
			form.slot = 0 // the shared unit follows the last number
		}
		s.legend(p, &l, &items[i], form)
	}
	if form.bare && len(all) > 0 {
		l.Whole(themes.Dim, "ms")
	}
	if s.reused(p) {
		l.Skip(2)
		l.Whole(themes.Network, draw.Either(form.merged, "reused", "connection reused"))
	}
	if t := p.v.Stream.Path; t != nil && t.RTT > 0 {
		l.Skip(2)
		l.Whole(themes.Dim, p.Join("RTT ", p.Ms(float64(t.RTT)/1e6)))
	}
}

func (s *wait) reused(p *canvas) bool { return p.v.Stream.Conn.Reused }

// legendItems are the parts as a form names them.
func (s *wait) legendItems(p *canvas, items []legendItem, all []stretch, form legendForm) []legendItem {
	reused := s.reused(p)
	connect, serverTimed := 0.0, false
	if form.few || form.sum {
		all = s.fewer(all, form)
	}
	for i := range all {
		x := all[i]
		network := x.role == themes.Network && x.name != metrics.ShareUpload
		if network {
			x.shown = false
		}
		switch {
		case form.merged && network:
			connect += x.ms
			if x.name == metrics.ShareSend && !reused && connect > 0 && !form.inside {
				items = append(items, legendItem{name: "connect", part: stretch{ms: connect, known: true}})
			}
			continue
		case network && !x.known && reused:
			continue
		case form.slot == 0 && x.server && x.known && x.ms < 0.05:
			continue // 0.00: the band has no dot for it either
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

// fewer joins parts that the server reported: those beside the largest are its
// rest, or all are one.
func (s *wait) fewer(all []stretch, form legendForm) []stretch {
	out, largest := s.few[:0], -1
	for i := range all {
		if x := &all[i]; x.server && x.known && (largest < 0 || x.ms > all[largest].ms) {
			largest = i
		}
	}
	joined := -1
	for i := range all {
		x := all[i]
		if !x.server || !x.known || i == largest && !form.sum {
			out = append(out, x)
			continue
		}
		if joined >= 0 {
			out[joined].ms += x.ms
			continue
		}
		joined = len(out)
		if x.role, x.fill = phaseLook(metrics.ShareServer, true); form.sum {
			x.name, x.shown = "reported", false
		} else {
			x.name = metrics.ShareServer
		}
		out = append(out, x)
	}
	if at := joined + 1; joined >= 0 && at < len(out) && out[at].server {
		out[joined], out[at] = out[at], out[joined] // the rest follows the largest
	}
	s.few = out
	return out
}

// legendText is an item's value, and how many columns it takes.
func (s *wait) legendText(p *canvas, it *legendItem, form legendForm) (text string, columns int) {
	if !it.part.known {
		return draw.Unknown, 3
	}
	text = p.Ms(it.part.ms)
	if form.bare {
		text = p.Number(it.part.ms)
	}
	return text, max(form.slot, draw.Width(text)+1)
}

// legendWidth is how many columns the items take.
func (s *wait) legendWidth(p *canvas, items []legendItem, form legendForm) int {
	w := 0
	if s.reused(p) && form.reused {
		w = draw.Width(draw.Either(form.merged, "reused", "connection reused")) + 2
	}
	for i := range items {
		it := &items[i]
		_, n := s.legendText(p, it, form)
		w += draw.Width(it.lead) + draw.Width(it.name) + 1 + n
		if it.part.shown {
			w += 2
		}
	}
	if form.bare {
		w += 2 // ms
	}
	return w
}

// legend writes one part: its shade, name and value, or nothing where they do
// not fit.
func (s *wait) legend(p *canvas, l *line, it *legendItem, form legendForm) {
	text, columns := s.legendText(p, it, form)
	need := draw.Width(it.lead) + draw.Width(it.name) + 1 + draw.Width(text)
	if it.part.shown {
		need += 2
	}
	if l.Left() < need {
		l.X = l.End
		return
	}
	l.Whole(themes.Dim, it.lead)
	if it.part.shown {
		p.Grid.Set(l.X, l.Y, it.part.fill.Glyph(p.Glyphs), it.part.role)
		l.Skip(2)
	}
	l.Write(themes.Dim, it.name)
	l.Skip(1)
	l.Slot(themes.Text, text, columns)
}
