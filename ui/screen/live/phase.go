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
}

// setup reports whether it is a part of the connection's setup, before the wait.
func (x *stretch) setup() bool { return x.role == themes.Network && x.name != metrics.ShareUpload }

// wait is the line about the time before the first token. Its slices are
// reused.
type wait struct {
	parts []stretch
	items []draw.Part
}

// stretches turns the figures' split of the wait into what is drawn. While
// the wait lasts the last part grows with the clock, between two counts of
// the figures too.
func (s *wait) stretches(p *canvas) []stretch {
	st := &p.v.Stream
	all, total := s.parts[:0], 0.0
	for _, w := range p.v.Figures.Wait {
		x := stretch{name: w.Name, ms: max(w.Ms.V, 0), known: w.Ms.OK, server: w.Server}
		if !x.known || math.IsInf(x.ms, 0) {
			x.ms = 0
		}
		x.role, x.fill = phaseLook(w.Name, w.Server)
		total += x.ms
		all = append(all, x)
	}
	if (st.State == metrics.Connecting || st.State == metrics.Waiting) && !st.Asking {
		if d, ok := p.v.Now.Sub(st.Marks.Start); ok && float64(d)/1e6 > total {
			more := float64(d)/1e6 - total
			if n := len(all); n > 0 && !all[n-1].server && (st.State == metrics.Connecting || all[n-1].role != themes.Network) {
				all[n-1].ms += more
				all[n-1].known = true
			} else {
				x := stretch{name: "wait", ms: more, known: true}
				x.role, x.fill = phaseLook(x.name, false)
				all = append(all, x)
			}
		}
	}
	s.parts = all
	return all
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
	all := s.stretches(p)
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
	if n := len(all); n > 0 && all[n-1].name == metrics.ShareWait && (f.known.OK || st.State == metrics.Waiting) {
		all = all[:n-1] // said already
	}
	s.legend(p, l, all)
}

// waitSlot is the width of the wait's length with its name.
const waitSlot = 5 + format.DurationWidth

// clockWidth is the width of the running clock from 100 ms to 100 s.
const clockWidth = 6

func (s *wait) phaseName(n string) string {
	if n == metrics.ShareServer {
		return "rest" // of the server-reported time
	}
	return safeName(n)
}

// Ranks of what the legend has, from what goes last to what goes first.
const (
	partRank    = 5 // of the server's smallest parts; its largest has 1
	setupRank   = 6 // the setup of the connection is no part of the wait
	leadRank    = 7 // whose word the parts are
	detailsRank = 8 // of the setup
	smallRank   = 9 // the time to send, the round trip
)

// legend lists how the connection came about, the parts of the wait with their
// patterns, and the round trip, as many of them as fit.
func (s *wait) legend(p *canvas, l line, all []stretch) {
	s.items = s.items[:0]
	st := &p.v.Stream
	connect, sent, details := 0.0, "", ""
	for i := range all {
		switch x := &all[i]; {
		case !x.setup() || !x.known:
		case x.name == metrics.ShareSend:
			sent = p.Join("  sent ", p.Ms(x.ms))
		default:
			connect += x.ms
			details = p.Join(details, format.Either(details == "", " (", ", "), s.phaseName(x.name), " ", p.Ms(x.ms))
		}
	}
	switch {
	case st.Conn.Reused:
		s.add(setupRank, themes.Network, "  connection reused", "  reused")
	case details != "":
		s.add(setupRank, themes.Dim, "  connect ", "")
		s.add(setupRank, themes.Text, p.Ms(connect), "")
		s.add(detailsRank, themes.Dim, p.Join(details, ")"), "")
	}
	s.add(smallRank, themes.Dim, sent, "")
	reported := false
	for i := range all {
		x := &all[i]
		if x.setup() || !x.known {
			continue
		}
		if x.server && !reported {
			reported = true
			s.add(leadRank, themes.Dim, "  server:", "")
		}
		rank := 0 // what nothing explains
		for j := range all {
			if x.server && all[j].server && all[j].ms >= x.ms {
				rank = min(rank+1, partRank)
			}
		}
		s.add(rank, x.role, p.Join("  ", string(x.fill.Glyph(p.Glyphs))), "")
		s.add(rank, themes.Dim, p.Join(" ", s.phaseName(x.name), " "), "")
		s.add(rank, themes.Text, p.Ms(x.ms), "")
	}
	if t := st.Path; t != nil && t.RTT > 0 {
		s.add(smallRank, themes.Dim, p.Join("  RTT ", p.Ms(float64(t.RTT)/1e6)), "")
	}
	l.Fit(s.items...)
}

func (s *wait) add(rank int, role themes.Role, text, brief string) {
	s.items = append(s.items, draw.Part{Rank: rank, Role: role, Text: text, Brief: brief})
}
