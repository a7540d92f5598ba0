package transport_test

import (
	"math"
	"runtime"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// ratioRounds is how often both sides of a ratio are measured at most. The
// best of each counts: another process of the machine can only make a round
// worse.
const ratioRounds = 6

// ratios are the promises about accuracy and cost, each as the client's figure
// against the reference's in the same minute on the same machine: no more than
// most times it and slack. A slack of 10 µs is the resolution below which two
// figures are the same: the server's write, within which the truth lies, takes
// longer.
var ratios = []struct {
	name, scenario, kind, reference string
	of                              func(*report) float64
	most, slack                     float64
}{
	{"kernel gap p99", "1x0.3ms", "kernel", "raw", gapP99, 2, 10},
	{"kernel gap p99", "64x10ms", "kernel", "raw", gapP99, 2, 10},
	{"kernel gap p99", "64x10ms-lockstep", "kernel", "raw", gapP99, 2, 10},
	{"kernel gap p99", "1000x20ms", "kernel", "raw", gapP99, 2, 10},
	{"certain error of kernel gaps p99", "64x10ms-lockstep", "kernel", "raw", sureP99, 1, 10},
	{"kernel lag p99", "64x10ms-lockstep", "kernel", "raw", lagP99, 2, 10},
	{"kernel lag p99", "1000x20ms", "kernel", "raw", lagP99, 2, 10},
	{"user lag p50", "64x10ms", "user", "raw-user", lagP50, 2, 10},
	{"user lag p99", "64x10ms", "user", "raw-user", lagP99, 2.5, 10},
	// What the tool reports: in points of the truth. The p99 at 80,000 chunks a
	// second is no promise: it misses 10 points on two shared cores, and so does
	// the reference in some rounds.
	{"reported gap p50, % off", "80k", "kernel", "raw", itlP50, 1, 10},
	{"reported gap p50, % off", "1000x20ms", "kernel", "raw", itlP50, 1, 1},
	{"reported gap p99, % off", "1000x20ms", "kernel", "raw", itlP99, 1, 1},
	{"reported gap p99, % off", "64x10ms-lockstep", "kernel", "raw", itlP99, 1, 1},
	{"CPU a chunk", "1000x20ms", "kernel", "raw", cpu, 2, 0},
	{"CPU a chunk", "80k", "kernel", "raw", cpu, 2, 0},
	{"TTFT p50 against go-openai", "64x10ms", "kernel", "goopenai", ttftP50, 0.1, 0},
	{"gap p50 against go-openai", "64x10ms", "kernel", "goopenai", gapP50, 0.3, 0},
	{"gap p99 against go-openai", "64x10ms-lockstep", "kernel", "goopenai", gapP99, 0.2, 0},
}

func gapP50(r *report) float64  { return us(r.Gap, 0.50) }
func gapP99(r *report) float64  { return us(r.Gap, 0.99) }
func sureP99(r *report) float64 { return us(r.Sure, 0.99) }
func lagP50(r *report) float64  { return us(r.Lag, 0.50) }
func lagP99(r *report) float64  { return us(r.Lag, 0.99) }
func ttftP50(r *report) float64 { return us(r.TTFT, 0.50) }
func itlP50(r *report) float64  { return math.Abs(r.off(0.50)) }
func itlP99(r *report) float64  { return math.Abs(r.off(0.99)) }
func cpu(r *report) float64     { return float64(r.cpu.Nanoseconds()) / 1e3 / float64(len(r.Lag)) }

// BenchmarkRatio fails when a promise is broken in every one of its rounds.
func BenchmarkRatio(b *testing.B) {
	for _, p := range ratios {
		b.Run(p.name+"/"+p.scenario, func(b *testing.B) {
			var s scenario
			for _, s = range scenarios {
				if s.name == p.scenario {
					break
				}
			}
			ours, theirs := math.Inf(1), math.Inf(1)
			kept := func() bool { return ours <= p.most*theirs+p.slack }
			for b.Loop() {
				for range ratioRounds {
					ours = min(ours, figure(b, s, p.kind, p.of))
					theirs = min(theirs, figure(b, s, p.reference, p.of))
					if kept() {
						break
					}
				}
			}
			b.ReportMetric(ours, "ours")
			b.ReportMetric(theirs, "reference")
			b.ReportMetric(0, "ns/op")
			if !kept() {
				b.Errorf("%.1f, reference %.1f: at most %.1f times + %.0f", ours, theirs, p.most, p.slack)
			}
		})
	}
}

// figure is one round of a client.
func figure(b *testing.B, s scenario, kind string, of func(*report) float64) float64 {
	b.Helper()
	server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true}))(b)
	defer server.Close()
	c := newClient(kind, server)
	defer c.close()
	if kind == "kernel" || kind == "user" {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(transport.Procs())) // as the program does
	}
	var r report
	r.round(b, c, server, s)
	return of(&r)
}
