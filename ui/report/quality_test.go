package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// lateRun is a request whose reads of four chunks each came 30 ms late, every 20
// ms.
func lateRun(kernel bool) metrics.Run {
	s := metrics.Stream{ID: 1, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1, Events: 400, Stamps: metrics.SourceUser}
	s.Marks.Start, s.Marks.Sent = 0, 0
	s.Observer = metrics.Observer{N: 100, LateP99: 30 * time.Millisecond, LateMax: 80 * time.Millisecond, UserStamps: 400}
	if kernel {
		s.Stamps = metrics.SourceKernel
		s.Observer = metrics.Observer{N: 100, KernelStamps: 400, LateEvents: 400, LagP99: 30 * time.Millisecond, LagMax: 80 * time.Millisecond}
	}
	for i := range 400 {
		at := metrics.Stamp(100e6 + i/4*20e6)
		s.Text = append(s.Text, "word "...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at + 30e6, Kernel: kernel, Read: int32(i / 4), Event: int32(i), TextEnd: int32(len(s.Text)), Tokens: 1})
	}
	s.Marks.End = s.Chunks[399].At
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

func wants(t *testing.T, text string, all ...string) {
	t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range all {
		if strings.Count(flat, want) != 1 {
			t.Errorf("%q is there %d times in\n%s", want, strings.Count(flat, want), text)
		}
	}
}

const (
	lateReads = "late (p99, worst 8"
	lateAll   = "TTFT and every gap may be late by as much"
	lateNext  = "use fewer users, end other programs, or take a machine with more cores"
)

// Each text says once how late tokscope was, which figures that affects, what to
// do, and who took the stamps. It prints no p99 that unknown gaps could move.
func TestLateReadsInTheReports(t *testing.T) {
	kernel, user := lateRun(true), lateRun(false)
	wants(t, summaryOf(t, kernel), "kernel stamps", "tokscope read 30.0 ms "+lateReads, "75 % of the gaps have only bounds; TTFT may be shorter", lateNext,
		"25 % of gaps known, p50 within 0–10.0 ms", "gap ≤10.0 ms")
	wants(t, summaryOf(t, user), "user stamps", lateAll, lateNext)
	wants(t, lines(kernel), "by the kernel", "75 % of the gaps have only bounds; TTFT may be shorter", lateNext, "p50 ≤10.0 ms")
	wants(t, ticket(kernel), "by the kernel", "75 % of the gaps have only bounds; TTFT may be shorter", lateNext, "p50 ≤10.0 ms")
	wants(t, ticket(user), "by tokscope", lateAll)
	wants(t, Runs([]metrics.Run{kernel, kernel}, Form{}).Text(0), "kernel stamps")

	r := reportOf(t, "ttft=500ms")
	p := &r.Steps[1].Point
	p.Delay = metrics.Delay{Code: metrics.DelayReads, P99: 14, Max: 80, Shared: 0.75}
	p.Gaps.Missing = metrics.Missing{N: 3 * p.Gaps.N, P50: metrics.Bound{High: 22, OK: true}, P99: metrics.Bound{Low: 5, High: 321, OK: true}}
	var text, md, csv bytes.Buffer
	if err := put(&text, r.Doc(false).Text(0)); err != nil {
		t.Fatal(err)
	}
	if err := put(&md, r.Doc(false).Markdown()); err != nil {
		t.Fatal(err)
	}
	if err := r.CSV(&csv); err != nil {
		t.Fatal(err)
	}
	wants(t, text.String(), "kernel stamps", "at "+r.Steps[1].Name()+": tokscope read 14.0 ms "+lateReads, lateNext, "≤22.0", "≤321", "≤ marks the largest possible value")
	wants(t, md.String(), "kernel stamps", "tokscope read 14.0 ms "+lateReads, lateNext, "≤22.0", "≤321", "≤ marks the largest possible value")
	wants(t, csv.String(), "shared_reads,14,80", ",0.25,5,321,kernel,")

	v := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Live: *p}
	v.Live.Steady, v.Live.Stamps = true, "kernel"
	wants(t, Load(v).Text(0), "kernel stamps", "tokscope read 14.0 ms "+lateReads, lateNext, "≤22.0 ms")
}
