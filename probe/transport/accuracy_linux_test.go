package transport_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// scenario is one load of the accuracy benchmark. Its streams are played by a
// server in another process, which logs the monotonic time around every write.
type scenario struct {
	name    string
	streams int
	answer  string
}

var scenarios = []scenario{
	{"1x20ms", 1, "lockstep 1; prefill 100ms; 75 tokens @ 20ms"},
	{"1x1.4ms", 1, "lockstep 1; prefill 100ms; 1000 tokens @ 1.4ms"},
	{"1x0.3ms", 1, "lockstep 1; prefill 100ms; 4000 tokens @ 0.3ms"},
	{"64x10ms", 64, "lockstep 64; spread 10ms; prefill 100ms; 150 tokens @ 10ms"},
	{"64x10ms-lockstep", 64, "lockstep 64; prefill 100ms; 150 tokens @ 10ms"},
	{"1000x20ms", 1000, "lockstep 1000; spread 20ms; prefill 500ms; 75 tokens @ 20ms"},
	{"40k", 64, "lockstep 64; spread 1600us; prefill 100ms; 1000 tokens @ 1600us"},
	{"60k", 64, "lockstep 64; spread 1066us; prefill 100ms; 1500 tokens @ 1066us"},
	{"80k", 64, "lockstep 64; spread 800us; prefill 100ms; 2000 tokens @ 800us"},
	{"100k", 64, "lockstep 64; spread 640us; prefill 100ms; 2500 tokens @ 640us"},
}

// client is one way to measure streams.
type client interface {
	// measure runs n streams at the same time over warm connections.
	measure(n int, url string) []probetest.Seen
	close()
}

// BenchmarkAccuracy compares what clients measure with what the server did,
// gap by gap. "kernel" and "user" are this package with the one or the other
// stamps; "goopenai" is go-openai's Recv with a clock read after it; "raw" and
// "raw-user" are the references of rawClient. "ui" adds
// a renderer's work (4 ms of CPU in 33 ms) on a background thread; for
// goopenai it runs there as well.
//
// "gap" is the error against the beginnings of the server's writes: an upper
// bound, because bytes leave some time between the beginning and the end of a
// write, and an interrupt of the machine may lie in there. "sure" is the error
// against the nearest truth those writes allow: a lower bound.
func BenchmarkAccuracy(b *testing.B) {
	for _, s := range scenarios {
		for _, secure := range []bool{false, true} {
			if secure && s.name != "1x1.4ms" && s.name != "64x10ms-lockstep" {
				continue
			}
			for _, ui := range []bool{false, true} {
				for _, kind := range []string{"kernel", "user", "goopenai", "raw", "raw-user"} {
					if secure && kind[:3] == "raw" {
						continue
					}
					name := fmt.Sprintf("%s/%s/%s/%s", s.name, word(secure, "tls", "plain"), word(ui, "ui", "headless"), kind)
					b.Run(name, func(b *testing.B) { runAccuracy(b, s, secure, ui, kind) })
				}
			}
		}
	}
}

func word(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func runAccuracy(b *testing.B, s scenario, secure, ui bool, kind string) {
	server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true, TLS: secure}))(b)
	defer server.Close()
	c := newClient(kind, server)
	defer c.close()
	if kind != "goopenai" {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(transport.Procs())) // as the program does
	}
	if ui {
		defer drawing()()
	}
	var r report
	for b.Loop() {
		r.round(b, c, server, s)
	}
	r.print(b)
}

// report collects the errors of a client and what it cost.
type report struct {
	probetest.Comparison
	cpu time.Duration
}

// round lets a client measure the scenario once and compares.
func (r *report) round(b *testing.B, c client, server *probetest.Process, s scenario) {
	plan := probetest.MustParse(s.answer)
	cpu := cpuTime()
	got := c.measure(s.streams, server.URL(s.answer))
	r.cpu += cpuTime() - cpu
	logs := testkit.Must(server.Logs())(b)
	for _, g := range got {
		testkit.OK(b, g.Err)
		testkit.OK(b, r.Add(plan, logs[g.Request-1], g))
	}
}

func (r *report) print(b *testing.B) {
	for name, v := range map[string][]int64{"gap": r.Gap, "sure": r.Sure, "lag": r.Lag, "ttft": r.TTFT} {
		b.ReportMetric(us(v, 0.50), name+"_p50_µs")
		b.ReportMetric(us(v, 0.99), name+"_p99_µs")
	}
	b.ReportMetric(r.off(0.50), "itl_p50_%")
	b.ReportMetric(r.off(0.99), "itl_p99_%")
	b.ReportMetric(us(r.Window, 0.99), "window_p99_µs")
	b.ReportMetric(100*float64(r.Outside)/float64(len(r.Lag)), "outside_%")
	b.ReportMetric(cpu(r), "cpu_µs/chunk")
	b.ReportMetric(0, "ns/op")
}

// off is by how many per cent a quantile of the gaps differs from the truth's.
func (r *report) off(p float64) float64 {
	return 100 * (float64(probetest.Quantile(r.Measured, p))/float64(probetest.Quantile(r.True, p)) - 1)
}

// us is a quantile in µs.
func us(v []int64, p float64) float64 { return float64(probetest.Quantile(v, p)) / 1e3 }

// cpuTime is what this process has used so far.
func cpuTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// drawing does a renderer's work until the returned function is called.
func drawing() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		undo, _ := transport.Background()
		defer undo()
		tick := time.NewTicker(33 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			for end := threadTime() + 4*time.Millisecond; threadTime() < end; {
			}
		}
	}()
	return func() { close(quit); <-done }
}

func threadTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
