package live

import (
	"math"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// phases are the times of a stream as the scope draws them, in ms since it was sent:
// its connection, the parts of the wait, decode, and above that the silences in it.
// They reach to the present moment, also between two counts of the figures.
func (s *scopePanel) phases(p *canvas) []scope.Phase {
	st := &p.v.Stream
	s.list = s.list[:0]
	if st.State == metrics.Idle || st.Asking {
		return s.list
	}
	m, end := &st.Marks, p.v.Now
	if st.State.Ended() {
		end = m.End
	}
	if !m.Sent.Known() { // not sent yet, or never: all of it lies before
		lead, _ := end.Sub(m.Start)
		s.waits(p, float64(lead)/1e6, 0)
		s.running(!st.State.Ended())
		return s.list
	}
	lead, _ := m.Sent.Sub(m.Start)
	n := len(st.Chunks)
	if n == 0 {
		s.waits(p, float64(lead)/1e6, p.since(end))
		s.running(!st.State.Ended())
		s.tools(p, p.since(end))
		return s.list
	}
	first, last := p.since(st.Chunks[0].At), p.since(st.Chunks[n-1].At)
	s.waits(p, float64(lead)/1e6, first)
	to := last
	if st.State == metrics.Decoding && p.open() == 0 {
		to = max(last, p.since(end))
	}
	s.decode(p, first, to)
	s.pauses(p, last, p.since(end))
	for i := range s.list { // what is written adds up
		for j := range s.list {
			if f, x := &s.list[i], &s.list[j]; f.Kind == scope.Decoding && x.Kind == scope.Paused {
				f.Ms -= max(min(f.To, x.To)-max(f.From, x.From), 0)
			}
		}
	}
	s.tools(p, p.since(end))
	return s.list
}

// tools adds the times in which tools of the server worked, above all others: they have the
// color of none, as they are neither the model's nor a pause. What works at once with another
// adds only what is left of it.
func (s *scopePanel) tools(p *canvas, end float64) {
	st := &p.v.Stream
	under, free := len(s.list), math.Inf(-1)
	for _, w := range st.Waits {
		from, to := max(p.since(w.From), free), end
		if w.To.Known() {
			to = min(p.since(w.To), end)
		}
		if to <= from {
			continue
		}
		for i := range s.list[:under] {
			if f := &s.list[i]; f.Kind == scope.Waiting || f.Kind == scope.Decoding {
				f.Ms -= max(min(f.To, to)-max(f.From, from), 0)
			}
		}
		s.list = append(s.list, scope.Phase{Name: safeName(w.Name), From: from, To: to, Ms: to - from, Kind: scope.Tool,
			Role: themes.Dim, Fill: scope.Thin, Running: !w.To.Known() && !st.State.Ended()})
		free = to
	}
}

// running marks the phase added last as one that lasts still.
func (s *scopePanel) running(is bool) {
	if n := len(s.list); n > 0 {
		s.list[n-1].Running = is
	}
}

// since is a moment in ms since the request was sent; 0 for none.
func (p *canvas) since(at metrics.Stamp) float64 {
	d, _ := at.Sub(p.v.Stream.Marks.Sent)
	return float64(d) / 1e6
}

func (s *scopePanel) add(kind scope.Kind, name string, from, to float64, pace float64, fill scope.Fill) {
	s.list = append(s.list, scope.Phase{Name: name, From: from, To: to, Ms: to - from, Kind: kind,
		Role: themes.Heat(draw.Heat(pace)), Fill: fill})
}

// waits adds the parts of the connection, which took lead ms, and those of the wait
// until first. The last of each lasts until then.
func (s *scopePanel) waits(p *canvas, lead, first float64) {
	at := -lead
	for _, w := range p.v.Figures.Wait {
		kind, fill := phaseLook(w.Name, w.Server)
		if kind == scope.Connecting && w.Ms.OK && w.Ms.V > 0 {
			to := min(at+w.Ms.V, 0)
			s.add(kind, phaseName(w.Name), at, to, to-at, fill)
			at = to
		}
	}
	if at < 0 && !p.v.Stream.Marks.Sent.Known() {
		s.add(scope.Connecting, "connecting", at, 0, -at, scope.Lined)
	}
	at = 0
	for _, w := range p.v.Figures.Wait {
		kind, fill := phaseLook(w.Name, w.Server)
		if came := p.since(p.v.Stream.Marks.FirstByte); w.Name == metrics.ShareWait && came > at && came < first {
			s.add(scope.Waiting, scope.FirstByte, at, came, came-at, scope.Sparse)
			at = came
		}
		to := at + w.Ms.V
		switch {
		case kind == scope.Connecting:
			continue
		case w.Name == metrics.ShareWait, w.Name == metrics.ShareUnexplained && w.Ms.OK:
			to = first
		case !w.Ms.OK:
			continue
		}
		if to > at {
			s.add(kind, phaseName(w.Name), at, to, to-at, fill)
			at = to
		}
	}
	if n := len(s.list); first > 0 && (n == 0 || s.list[n-1].Kind == scope.Connecting) { // no figures of it yet
		s.add(scope.Waiting, metrics.ShareWait, 0, first, first, scope.Checked)
	}
}

// phaseLook is the kind and the pattern of a part of the wait.
func phaseLook(name string, server bool) (scope.Kind, scope.Fill) {
	switch name {
	case metrics.ShareDNS, metrics.ShareTCP, metrics.ShareTLS, metrics.ShareSend, metrics.ShareClient,
		metrics.ShareRetried:
		return scope.Connecting, scope.Lined
	case metrics.ShareUpload:
		return scope.Waiting, scope.Lined
	case metrics.ShareQueue, metrics.ShareLoad, metrics.ShareWait:
		return scope.Waiting, scope.Checked
	case metrics.SharePrefill, metrics.ServerTTFT, metrics.ShareProcessing:
		return scope.Waiting, scope.Solid
	}
	return scope.Waiting, format.Either(server, scope.Striped, scope.Sparse)
}

// phaseName is a part of the wait in words.
func phaseName(name string) string {
	if name == metrics.ShareServer {
		return "other server" // of the server-reported time
	}
	return safeName(name)
}

// decode adds the time in which chunks arrive, in two parts where the model reasons
// first. It has the color of their pace: a long answer is not a slow one.
func (s *scopePanel) decode(p *canvas, first, last float64) {
	v := &p.v.Figures
	at, word, pace := first, "decode", v.Gaps.P50.V
	if v.TPOT.OK { // of bursts only the gaps between them are known
		pace = min(pace, v.TPOT.V)
	}
	begins, thinks := v.Answer.First, v.Reasoning.First
	if thinks.OK && !begins.OK {
		word = "reasoning"
	} else if thinks.OK && begins.V > thinks.V && begins.V < last {
		s.add(scope.Decoding, "reasoning", first, begins.V, pace, scope.Stroke)
		at, word = begins.V, "answer"
	}
	if last > at {
		s.add(scope.Decoding, word, at, last, pace, scope.Stroke)
	}
}

// pauses adds the silences: the stalls, the one from the last chunk to the end of a stream
// that did not end by itself, and what was held back meanwhile, which is no pause.
func (s *scopePanel) pauses(p *canvas, last, end float64) {
	v, st := &p.v.Figures, &p.v.Stream
	pause := func(word string, to, ms float64) { s.add(scope.Paused, word, to-ms, to, ms, scope.Dotted) }
	for i := range v.Stalls {
		pause("paused", p.since(v.Stalls[i].At), v.Stalls[i].Ms)
	}
	if ms := p.open(); ms > 0 {
		pause("paused", end, ms)
		s.running(true)
	} else if st.State.Ended() && st.State != metrics.Done && end-last > silentAfter/1e6 {
		pause("nothing more", end, end-last)
	}
	for i := range v.Suspect {
		if x := &v.Suspect[i]; x.Code == metrics.SuspectWithheld && x.Chunk < len(st.Chunks) {
			word := format.Either(x.Name != "", "tool arguments held back", "held back")
			pause(word, p.since(st.Chunks[x.Chunk].At), x.Ms)
		}
	}
}
