package verdict

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// Input is what a verdict rests on.
type Input struct {
	Stream  *metrics.Stream
	Figures *metrics.Figures
	Now     metrics.Stamp // the moment of the look; of no use after the end
	// Earlier are runs of the session, in any order. The stream's own run among
	// them is left out.
	Earlier []metrics.Run
	Session bool         // also say how many of Earlier failed
	Pinned  *metrics.Run // the reference that the person chose; nil without one
	Lens    string       // key of the chosen lens; "" for none
	Task    slo.AgentTask
}

// Of returns what a stream shows, the most important first. It is empty
// before the first request. It changes nothing of in, and the caller owns
// the result; its pointers share in's data.
func Of(in Input) []Finding {
	r := rules{Input: in}
	if in.Stream.State == metrics.Idle {
		return nil
	}
	r.ending()
	r.session()
	r.finish()
	r.present()
	r.doubts()
	r.connection()
	r.firstToken()
	r.speed()
	r.media()
	r.stalls()
	r.tools()
	r.earlier()
	r.pinned()
	r.lens()
	order(r.found)
	return r.found
}

// rules collects the findings on one stream.
type rules struct {
	Input
	found []Finding
}

func (r *rules) add(f Finding) {
	f.Running = !r.Stream.State.Ended()
	r.found = append(r.found, f)
}

// ending says how a stream ended that did not end well.
func (r *rules) ending() {
	s := r.Stream
	// A trimmed run has lost its chunks, not their number.
	f := Finding{Grade: Bad, Evidence: ByFault, Fault: s.Fault, N: max(len(s.Chunks), r.Figures.Chunks),
		Ms: metrics.Since(s.Marks.Sent, s.Marks.End, 0).V}
	switch s.State {
	case metrics.Failed:
		f.Code = Failed
		if s.Fault == nil {
			return
		}
		if s.Fault.Kind == metrics.FaultEmpty {
			f.Of = s.Events
		}
		if s.Ran().OK {
			f.Part, _ = StageOf(s)
		}
	case metrics.Truncated:
		f.Code = Truncated
		if f.N == 0 {
			f.Of = s.Events
		}
	case metrics.Cancelled:
		f.Code, f.Grade = Stopped, Notable
		if _, ms, ok := r.silentUntil(s.Marks.End); ok {
			f.PartMs, f.Grade = ms, noted(ms)
		}
	default:
		return
	}
	r.add(f)
}

// present says what a running stream waits for.
func (r *rules) present() {
	s := r.Stream
	switch s.State {
	case metrics.Connecting:
		r.connecting()
	case metrics.Waiting:
		r.waiting()
	case metrics.Decoding:
		if len(s.Chunks) == 0 {
			r.waiting()
			return
		}
		r.silent()
	}
}

// since is the time from a moment to now, ms; 0 where it is unknown.
func (r *rules) since(at metrics.Stamp) float64 { return metrics.Since(at, r.Now, 0).V }

func (r *rules) connecting() {
	k := &r.Stream.Marks
	f := Finding{Code: Connecting, Evidence: ByMarks | ByClock, Owner: OwnerNetwork}
	var from metrics.Stamp
	switch {
	case r.Stream.Asking:
		f.Code, f.Owner, from = Asking, OwnerUndecided, k.Start
	case k.GotConn.Known():
		f.Part, from = metrics.ShareSend, k.GotConn
	case k.TLSStart.Known():
		f.Part, from = metrics.ShareTLS, k.TLSStart
	case k.ConnectStart.Known():
		f.Part, from = metrics.ShareTCP, k.ConnectStart
	case k.DNSStart.Known():
		f.Part, from = metrics.ShareDNS, k.DNSStart
	default:
		from = k.Start
	}
	f.Ms = r.since(from)
	f.Grade = graded(f.Ms)
	r.add(f)
}

// StageOf is how far the answer to a request without a chunk has come, by its latest
// sign, and when that came; NoStamp for no byte.
func StageOf(s *metrics.Stream) (stage string, at metrics.Stamp) {
	k := &s.Marks
	stage, at = StageSent, metrics.NoStamp
	for _, x := range [...]struct {
		stage string
		at    metrics.Stamp
	}{{StageByte, k.FirstByte}, {StageHeaders, k.Headers}, {StageComment, k.FirstComment}, {StageEvents, k.FirstEvent}} {
		if x.at.Known() {
			stage, at = x.stage, x.at
		}
	}
	return stage, at
}

// waiting says how far a request without a chunk has come, by the latest
// sign of it.
func (r *rules) waiting() {
	s := r.Stream
	k := &s.Marks
	if !k.Sent.Known() {
		return
	}
	stage, at := StageOf(s)
	f := Finding{Code: Waiting, Evidence: ByMarks | ByClock, Ms: r.since(k.Sent), Part: stage,
		AtMs: metrics.Since(k.Sent, at, metrics.WhyNoStamp).V}
	switch {
	case s.Working() != nil:
		w := s.Working()
		f.Part, f.Name, f.PartMs, f.Owner = StageTool, w.Name, r.since(w.From), OwnerServer
		f.AtMs = metrics.Since(k.Sent, w.From, metrics.WhyNoStamp).V
	case s.Progress.Total > 0:
		f.Part, f.N, f.Of = StageProgress, min(s.Progress.Processed, s.Progress.Total), s.Progress.Total
		f.PartMs = s.PrefillLeft(r.Now).V
		f.Owner, f.Evidence = OwnerServer, f.Evidence|ByServerTimes
	case s.Usage.Reasoning > 0:
		f.Part, f.N, f.Owner, f.Evidence = StageThinking, s.Usage.Reasoning, OwnerServer, f.Evidence|ByUsage
	case s.Queue == metrics.QueueWaiting:
		f.Part, f.Owner, f.Evidence = StageQueue, OwnerServer, f.Evidence|ByServerTimes
	case s.Queue == metrics.QueueAdmitted:
		f.Part, f.Owner, f.Evidence = StagePrefill, OwnerServer, f.Evidence|ByServerTimes
	}
	if f.Owner == OwnerUndecided {
		f.connects(s.Path, s.Path.ConnectsSince(k.Sent))
	}
	if f.Grade = graded(f.Ms); f.Name != "" {
		f.Grade = Good
	}
	if u := UsualOf(s, r.Figures); u.TTFT.Above(metrics.Known(f.Ms, 1)) {
		f.unusual(&u.TTFT, metrics.Known(f.Ms, 1), true)
	}
	r.add(f)
}

// silentUntil is how long nothing came before a moment, ms, since last; ok where that is
// a silence to speak of.
func (r *rules) silentUntil(now metrics.Stamp) (last metrics.Stamp, ms float64, ok bool) {
	s, g := r.Stream, &r.Figures.Gaps
	if len(s.Chunks) == 0 || s.Ending() {
		return metrics.NoStamp, 0, false
	}
	last = s.Chunks[len(s.Chunks)-1].At
	if s.LastData.Known() && s.LastData > last {
		last = s.LastData
	}
	ms = metrics.Since(last, now, 0).V
	limit := max(flow, 2*r.Figures.Longest.V)
	if g.N >= metrics.MinStallGaps && g.P50.OK {
		limit = max(g.P50.V*metrics.StallFactor, silence)
	}
	return last, ms, ms > limit
}

// silent says that a decoding stream stands still.
func (r *rules) silent() {
	s := r.Stream
	last, ms, ok := r.silentUntil(r.Now)
	if !ok {
		return
	}
	f := Finding{Code: Silent, Grade: noted(ms), Evidence: ByClock | ByGaps, Ms: ms, N: len(s.Chunks)}
	if w := s.Working(); w != nil {
		f.Ms, f.Name, f.Owner = metrics.Since(w.From, r.Now, metrics.WhyNoStamp).V, w.Name, OwnerServer
		f.Grade = Good
	} else if p := s.Path; p != nil && p.Silence.OutOfOrder > 0 && p.Silence.Chunk == len(s.Chunks) {
		f.Silence, f.Owner, f.Evidence = &p.Silence, OwnerNetwork, f.Evidence|ByPath
	} else {
		f.connects(s.Path, s.Path.ConnectsSince(last))
	}
	r.add(f)
}
