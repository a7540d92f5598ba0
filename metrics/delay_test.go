package metrics

import (
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// late gives every chunk a stamp of the kernel, and its own stamp that much
// later.
func (s *play) late(ms ...float64) *play {
	for i := range s.Chunks {
		s.Chunks[i].Kernel = true
		s.Chunks[i].User = s.Chunks[i].At + stamp(ms[min(i, len(ms)-1)])
	}
	s.Stamps = SourceKernel
	return s
}

// Whether lateness is a doubt depends on who took the stamps.
func TestDelay(t *testing.T) {
	timer := Observer{N: 40, LateP99: 15 * time.Millisecond, LateMax: 40 * time.Millisecond}
	bursts := func() *play {
		s := newPlay()
		for i := range 20 {
			s.chunk(500+20*float64(i), "a").together("b")
		}
		return s.usage(40).done()
	}
	single := func() *play { return newPlay().every(500, 20, 30, "a").usage(30).done() }
	with := func(s *play) *play { s.Observer = timer; return s }
	mixed := with(bursts().late(12))
	mixed.Chunks[3].Kernel = false
	for _, c := range []struct {
		name string
		s    *play
		want Delay
	}{
		{"in time", single().late(0.01), Delay{}},
		{"late reads of one chunk each: the kernel's stamps stand", with(single().late(12)), Delay{}},
		{"late reads of several chunks", bursts().late(12), Delay{Code: DelayReads, P99: 12, Max: 12, Shared: 20.0 / 39,
			First: true}},
		{"the worst read", bursts().late(300, 12), Delay{Code: DelayReads, P99: 300, Max: 300, Shared: 20.0 / 39,
			First: true}},
		{"the server's bursts, read in time", with(bursts().late(0.01)), Delay{}},
		{"bursts, late by less than half a gap", bursts().late(8), Delay{}},
		{"own stamps", with(single()), Delay{Code: DelayStamps, P99: 15, Max: 40}},
		{"own stamps of reads of several chunks", with(bursts()), Delay{Code: DelayStamps, P99: 15, Max: 40,
			Shared: 20.0 / 39}},
		{"both", mixed, Delay{Code: DelayMixed, P99: 15, Max: 40, Shared: 20.0 / 39}},
	} {
		f := c.s.measure()
		if d := f.Delay; d.Code != c.want.Code || !within(d.P99, c.want.P99) || !within(d.Max, c.want.Max) ||
			!within(d.Shared, c.want.Shared) || d.First != c.want.First {
			t.Errorf("%s: %+v, want %+v", c.name, d, c.want)
		}
		trusted := c.want.Code == "" || c.want.Code == DelayReads
		testkit.That(t, f.GapsUnknown <= 0 || f.Gaps.Missing.P50.OK == trusted, "%s: bounds %+v", c.name, f.Gaps.Missing)
		doubted := false
		for i := range f.Suspect {
			doubted = doubted || f.Suspect[i].Code == SuspectLate && f.Suspect[i].Delay == f.Delay
		}
		testkit.Is(t, doubted, c.want.Code != "", c.name, "doubts", f.Suspect)
	}
	// A summary has the worst of its requests.
	a, b := bursts().late(12), bursts().late(80)
	a.Observer = Observer{KernelStamps: 40, LagP99: 12 * time.Millisecond, LagMax: 14 * time.Millisecond}
	b.Observer = Observer{KernelStamps: 40, LagP99: 80 * time.Millisecond, LagMax: 90 * time.Millisecond}
	var runs []Run
	for _, s := range []*play{a, b} {
		runs = append(runs, Run{Stream: s.Stream, Figures: s.measure()})
	}
	if d := Summarize(runs).Delay; d != (Delay{Code: DelayReads, P99: 80, Max: 90, Shared: 40.0 / 78, First: true}) {
		t.Errorf("summary: %+v", d)
	}
}

// within allows for the bins of a LagHistogram.
func within(a, b float64) bool { return a >= 0.95*b && a <= 1.05*b }

// A late read joins gaps. What it joined is no stall of the server, unless the
// time is too long for all of its chunks.
func TestLateReadsAreNoStalls(t *testing.T) {
	make := func(many int) *play {
		s := newPlay().every(500, 10, 60, "a")
		s.chunk(500+59*10+80, "late")
		for range many {
			s.together("b")
		}
		return s.usage(61 + many).done()
	}
	for _, c := range []struct {
		name   string
		s      *play
		stalls int
	}{
		{"a gap of 80 ms", make(0).late(20), 1},
		{"8 chunks in 80 ms, read in time: held back by the server", make(7).late(0.01), 1},
		{"8 chunks in 80 ms, while reads are late", make(7).late(20), 0},
		{"2 chunks in 1080 ms, while reads are late", newPlay().every(500, 10, 60, "a").chunk(500+590+1080,
			"b").together("c").usage(62).done().late(20), 1},
	} {
		f := c.s.measure()
		testkit.Is(t, len(f.Stalls), c.stalls, c.name, "stalls", f.Stalls, "delay", f.Delay, "median", f.Gaps.P50)
	}
}
