package watch

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestLagAloneIsSuspect: what a proxy or a cache does to the stream belongs to the
// endpoint that is watched, tokscope's own lateness does not.
func TestLagAloneIsSuspect(t *testing.T) {
	for code, want := range map[metrics.SuspectCode]bool{
		metrics.SuspectLate: true, metrics.SuspectStopped: true, metrics.SuspectBuffered: false,
		metrics.SuspectCached: false, metrics.SuspectClock: false,
	} {
		r := metrics.Run{Figures: metrics.Figures{Suspect: []metrics.Suspicion{{Code: code}}}}
		e := EntryOf(&r)
		testkit.That(t, e.Suspect == want, "%s: suspect %v", code, e.Suspect)
	}
	r := metrics.Run{Figures: metrics.Figures{Delay: metrics.Delay{Code: metrics.DelayReads}}}
	testkit.That(t, EntryOf(&r).Suspect, "a delay is not suspect")
}

// TestAMissingEndIsKept: it spoils nothing, and the entry names it.
func TestAMissingEndIsKept(t *testing.T) {
	for want, conn := range map[metrics.SuspectCode]metrics.Connection{
		metrics.SuspectLeftOpen: {LeftOpen: true, Proto: "HTTP/1.1"}, metrics.SuspectCutOff: {CutOff: true, Reused: true},
		"": {Proto: "HTTP/2.0"},
	} {
		r := metrics.Run{Stream: metrics.Stream{State: metrics.Done, Conn: conn}}
		e := EntryOf(&r)
		testkit.That(t, e.Unended == want && !e.Suspect && e.Failed == 0, "%q: %+v", want, e)
	}
}
