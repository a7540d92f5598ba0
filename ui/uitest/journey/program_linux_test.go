package journey

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/probe/probetest"
)

var (
	otherProgram = flag.String("program", "", "for BenchmarkProgram: measure this binary instead of the one of the tree")
	oldProgram   = flag.String("old", "", "for BenchmarkProgram: measure this binary in alternation with the other one")
	rounds       = flag.Int("rounds", 1, "for BenchmarkProgram: how often each case is measured")
)

// how says in which way the program is run.
type how int

const (
	onLive  how = iota // tokscope URL on a pseudo terminal
	onLoad             // the same, with so many users on its Load screen
	asJSON             // tokscope probe --json
	asLines            // tokscope probe --ndjson
	asSweep            // tokscope sweep --json, one step
)

// programCase is one load of the program.
type programCase struct {
	name    string
	how     how
	streams int
	tokens  int
	gap     time.Duration
}

// text is the script of n streams that begin together.
func (c programCase) text(n int) string {
	return fmt.Sprintf("lockstep %d; spread %dus; prefill 500ms; %d tokens @ %dus; finish; usage; done", n, c.gap.Microseconds(), c.tokens, c.gap.Microseconds())
}

const ms = time.Millisecond

// programCases run for three to six seconds each.
var programCases = []programCase{
	{"live-20ms", onLive, 1, 250, 20 * ms},
	{"live-1.4ms", onLive, 1, 2500, 1400 * time.Microsecond},
	{"live-0.3ms", onLive, 1, 10000, 300 * time.Microsecond},
	{"load-64x10ms", onLoad, 64, 500, 10 * ms},
	{"load-256x20ms", onLoad, 256, 250, 20 * ms},
	{"load-1000x20ms", onLoad, 1000, 250, 20 * ms},
	{"load-20k", onLoad, 64, 1500, 3200 * time.Microsecond},
	{"load-40k", onLoad, 64, 3000, 1600 * time.Microsecond},
	{"json-64x10ms", asJSON, 64, 500, 10 * ms},
	{"json-1000x20ms", asJSON, 1000, 250, 20 * ms},
	{"json-40k", asJSON, 64, 3000, 1600 * time.Microsecond},
	{"json-60k", asJSON, 64, 4500, 1066 * time.Microsecond},
	{"json-80k", asJSON, 64, 6000, 800 * time.Microsecond},
	{"json-100k", asJSON, 64, 7500, 640 * time.Microsecond},
	{"ndjson-64x10ms", asLines, 64, 500, 10 * ms},
	{"ndjson-1000x20ms", asLines, 1000, 250, 20 * ms},
	{"sweep-64x10ms", asSweep, 64, 500, 10 * ms},
	{"sweep-256x20ms", asSweep, 256, 250, 20 * ms},
}

// BenchmarkProgram measures the built program, on a pseudo terminal and
// headless, against the log of a scripted server in another process. A raw
// reference reads the same load a moment before. docs/benchmark.md explains the
// command, the flags and every figure.
func BenchmarkProgram(b *testing.B) {
	binary := *otherProgram
	if binary == "" {
		binary = built(b)
	}
	for round := 1; round <= *rounds; round++ {
		for _, c := range programCases {
			name := func(who string) string { return fmt.Sprintf("%s/round=%d/%s", c.name, round, who) }
			b.Run(name("reference"), func(b *testing.B) { benchReference(b, c) })
			b.Run(name("program"), func(b *testing.B) { benchProgram(b, c, binary) })
			if *oldProgram != "" {
				b.Run(name("old"), func(b *testing.B) { benchProgram(b, c, *oldProgram) })
			}
		}
	}
}

// outcome is what one run came to.
type outcome struct {
	probetest.Comparison
	sent, counted int // chunks of the requests that count, by the server and by the client
	written       int // chunks of all requests, by the server
	cpu           time.Duration
	late          []int64 // ns from the kernel's stamp to the clock of the client
	reported      float64 // ms, the p99 that the program printed; 0: it printed none
	rss           int     // kB; 0: not known
	frames        float64 // a second; 0: nothing is drawn
	stamped       bool    // the stamps of the client are known
}

func benchReference(b *testing.B, c programCase) {
	for b.Loop() {
		server := spawn(b)
		defer server.Close()
		text := c.text(c.streams)
		var o outcome
		before := usedByThis()
		got := probetest.Reference{}.Measure(c.streams, server.URL(text))
		o.cpu = usedByThis() - before
		o.stamped = true
		list, err := server.Logs(direct())
		if err != nil {
			b.Fatal(err)
		}
		plan := probetest.MustParse(text)
		o.sent = len(plan.Tokens()) * c.streams
		o.written = o.sent
		for _, s := range got {
			if s.Err != nil {
				b.Fatal(s.Err)
			}
			o.counted += len(s.Tokens)
			if err := o.Add(plan, list[s.Request-1], s); err != nil {
				b.Fatal(err)
			}
		}
		o.print(b)
	}
}

// spawn starts the server of one measurement.
func spawn(b *testing.B) *probetest.Process {
	b.Helper()
	server, err := probetest.Spawn(probetest.Options{Timed: true, ChatOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	return server
}

// usedByThis is the CPU time that this process has used.
func usedByThis() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// print reports everything that is known and leaves out the rest.
func (o *outcome) print(b *testing.B) {
	us := func(name string, values []int64, p float64) {
		b.ReportMetric(float64(probetest.Quantile(values, p))/1e3, name)
	}
	if o.stamped {
		us("gap_p50_µs", o.Gap, 0.50)
		us("gap_p99_µs", o.Gap, 0.99)
		us("sure_p99_µs", o.Sure, 0.99)
		us("ttft_p50_µs", o.TTFT, 0.50)
		us("ttft_p99_µs", o.TTFT, 0.99)
		b.ReportMetric(float64(o.sent), "sent")
		b.ReportMetric(float64(o.counted), "counted")
		b.ReportMetric(100*float64(len(o.Gap)-len(o.Known))/float64(max(len(o.Gap), 1)), "shared_%")
	}
	if len(o.late) > 0 {
		us("late_p99_µs", o.late, 0.99)
	}
	if o.reported == 0 && o.stamped {
		o.reported = float64(probetest.Quantile(o.Known, 0.99)) / 1e6
	}
	if truth := float64(probetest.Quantile(o.True, 0.99)) / 1e6; o.reported > 0 && truth > 0 {
		b.ReportMetric(100*(o.reported/truth-1), "p99_off_%")
	}
	b.ReportMetric(float64(o.cpu.Nanoseconds())/1e3/float64(o.written), "cpu_µs/chunk")
	if o.rss > 0 {
		b.ReportMetric(float64(o.rss)/1024, "rss_MB")
	}
	if o.frames > 0 {
		b.ReportMetric(o.frames, "frames/s")
	}
	b.ReportMetric(0, "ns/op")
	if o.stamped && o.counted != o.sent {
		b.Errorf("%d chunks counted of %d sent", o.counted, o.sent)
	}
}
