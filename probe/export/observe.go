package export

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/metrics/watchstat"
)

// recordMs adds a figure in ms as seconds; an unknown one is left out.
func (t *table) recordMs(instrument int, l labels, extra string, v metrics.Value, from origin) {
	if v.OK {
		t.record(instrument, l, extra, v.V/1000, from)
	}
}

// span returns the seconds between two moments, if both are known.
func span(from, to metrics.Stamp) (float64, bool) {
	d, ok := to.Sub(from)
	return float64(d) / 1e9, ok && d >= 0
}

// addRequest adds an ended request. Times of requests that did not end well are
// left out, apart from the duration, which says why.
func (t *table) addRequest(l labels, s *metrics.Stream, f *metrics.Figures, from origin) {
	l = t.admit(l)
	class := ""
	if s.Fault != nil {
		class = string(s.Fault.Kind)
	}
	// All outcomes of a series exist from its first request on, so that a rate of
	// failures needs no second one.
	is := map[metrics.State]float64{s.State: 1}
	for state := metrics.Done; state <= metrics.Cancelled; state++ {
		t.record(requests, l, state.String(), is[state], from)
	}
	if s.State == metrics.Failed || s.State == metrics.Truncated {
		t.record(failures, l, class, 1, from)
	}
	if d, ok := span(s.Marks.Start, s.Marks.End); ok {
		t.record(opDuration, l, class, d, from)
	}
	t.addTokens(l, class, s, f, from)
	t.record(chunks, l, "", float64(f.Chunks), from)
	for i := range f.Suspect {
		t.record(suspects, l, string(f.Suspect[i].Code), 1, from)
	}
	if s.State == metrics.Done {
		t.addTimes(l, s, f, from)
	}
	t.record(lastRequest, l, "", float64(from.at.UnixMilli())/1000, from)
	if found := verdict.Of(verdict.Input{Stream: s, Figures: f}); len(found) > 0 {
		worst := verdict.Good
		for i := range found {
			worst = max(worst, found[i].Grade)
		}
		t.record(lastGrade, l, "", float64(worst), from)
	}
	if s.Observer.N > 0 {
		t.record(lag, l, "", s.Observer.LateP99.Seconds(), from)
	}
}

// noModality says that the counts of a server do not tell text from sound and pictures.
const noModality = "unknown"

// addTokens adds what the server counted. Estimates are no tokens. class is that of the fault.
func (t *table) addTokens(l labels, class string, s *metrics.Stream, f *metrics.Figures, from origin) {
	reported := func(kind string, v float64, of, sum int) {
		if !t.latest {
			t.record(tokenUsage, l, kind, v, from)
			return
		}
		t.record(of, l, class, v, from)
		t.record(sum, l, noModality, v, from)
	}
	if s.Usage.Prompt >= 0 && f.PromptTokens.OK {
		reported("input", f.PromptTokens.V, inferenceInput, usedInput)
		t.record(tokens, l, "input", f.PromptTokens.V, from)
	}
	for instrument, n := range map[int]int{usedCacheRead: s.Usage.Cached, usedCacheWrite: s.Usage.CacheWritten,
		usedReasoning: s.Usage.Reasoning} {
		if t.latest && n >= 0 && (n > 0 || instrument != usedCacheWrite) { // 0 written: perhaps not told
			t.record(instrument, l, noModality, float64(n), from)
		}
	}
	if !f.Tokens.OK || f.TokenSource == metrics.TokensUnknown || f.TokenSource == metrics.TokensEstimated {
		return
	}
	t.record(tokens, l, "output", f.Tokens.V, from)
	if f.TokenSource == metrics.TokensUsage || f.TokenSource == metrics.TokensContinuous {
		reported("output", f.Tokens.V, inferenceOutput, usedOutput)
	}
}

// addTimes adds the times of a request that ended well.
func (t *table) addTimes(l labels, s *metrics.Stream, f *metrics.Figures, from origin) {
	if d, ok := span(s.Marks.Start, s.Marks.FirstEvent); ok {
		t.record(opFirstChunk, l, "", d, from)
	}
	var gaps *distribution // looked up once: a request has hundreds
	for i := range s.Chunks {
		if ms, ok := s.Gap(i); ok && !f.AtOnce() {
			if gaps == nil {
				gaps = t.at(keyOf(t.newest(opPerChunk), l, "")).dist
			}
			gaps.add(ms/1000, from)
		}
	}
	t.record(gapsUnknown, l, "", float64(f.GapsUnknown), from)
	t.record(stalls, l, "", float64(len(f.Stalls)), from)
	t.recordMs(ttfb, l, "", f.TTFB, from)
	t.recordMs(ttft, l, "", f.TTFT, from)
	t.recordMs(ttfc, l, "", f.TTFC, from)
	t.recordMs(tpot, l, "", f.TPOT, from)
	t.recordMs(lastChunk, l, "", f.Total, from)
	t.recordMs(longestGap, l, "", f.Longest, from)
	t.recordMs(phase, l, "dns", f.DNS, from)
	t.recordMs(phase, l, "tcp", f.TCP, from)
	t.recordMs(phase, l, "tls", f.TLS, from)
	t.recordMs(phase, l, "upload", f.Send, from)
	if f.Total.OK && f.TTFT.OK {
		t.record(phase, l, "decode", (f.Total.V-f.TTFT.V)/1000, from)
	}
	for _, w := range f.Wait {
		switch {
		case w.Server && w.Name == metrics.ServerQueue:
			t.recordMs(serverPhase, l, "queue", w.Ms, from)
		case w.Server && w.Name == metrics.ServerPrefill:
			t.recordMs(serverPhase, l, "prefill", w.Ms, from)
		}
	}
}

// setVerdict replaces the gauges of a figure of a target. What is not known is not exported.
func (t *table) setVerdict(l labels, r *watchstat.Row, since time.Time, now origin) {
	set := func(instrument int, v float64, known bool) {
		if known && metrics.Finite(v, 0).OK {
			t.record(instrument, l, r.Figure.String(), v, now)
		} else {
			t.remove(instrument, l, r.Figure.String())
		}
	}
	set(baselineRatio, r.Ratio, r.Ratio > 0)
	set(baselineLower, r.Low, r.High > 0) // else there is no interval yet
	set(baselineUpper, r.High, r.High > 0)
	is := map[bool]float64{true: 1}
	set(changed, is[r.Changed], true)
	set(suspected, is[r.Suspected], true)
	set(changedSince, float64(since.UnixMilli())/1000, r.Changed && !since.IsZero())
}
