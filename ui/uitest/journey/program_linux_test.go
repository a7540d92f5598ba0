package journey

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

var (
	otherProgram = flag.String("program", "", "for BenchmarkProgram: measure this binary instead of the one of the tree")
	oldProgram   = flag.String("old", "", "for BenchmarkProgram: measure this binary in alternation with the other one")
	rounds       = flag.Int("rounds", 1, "for BenchmarkProgram: how often each case is measured")
	unstamped    = flag.Bool("unstamped", false,
		"for BenchmarkProgram: no binary writes its stamps, for the memory of an ordinary run")
)

// how says in which way the program is run.
type how int

const (
	onLive  how = iota // tokscope URL on a pseudo terminal
	onIdle             // the same, for idleFor after its request has ended
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
	cols    int // of the terminal; 0: 200x50
	rows    int
	uneven  bool // gaps of 0.4 and 1.6 times gap, five each, and users out of step
}

// size is the size of the terminal in cells.
func (c programCase) size() (cols, rows int) {
	if c.cols == 0 {
		return 200, 50
	}
	return c.cols, c.rows
}

// text is the script of n streams that begin together.
func (c programCase) text(n int) string {
	if c.uneven {
		us := c.gap.Microseconds()
		ten := fmt.Sprintf("5 tokens @ %dus; 5 tokens @ %dus; ", us*4/10, us*16/10)
		return fmt.Sprintf("lockstep %d; spread 500ms; prefill 500ms; %sfinish; usage; done", n,
			strings.Repeat(ten, c.tokens/10))
	}
	return fmt.Sprintf("lockstep %d; spread %dus; prefill 500ms; %d tokens @ %dus; finish; usage; done", n,
		c.gap.Microseconds(), c.tokens, c.gap.Microseconds())
}

const ms = time.Millisecond

// programCases run for three to six seconds each.
var programCases = []programCase{
	{name: "live-20ms", how: onLive, streams: 1, tokens: 250, gap: 20 * ms},
	{name: "live-1.4ms", how: onLive, streams: 1, tokens: 2500, gap: 1400 * time.Microsecond},
	{name: "live-0.3ms", how: onLive, streams: 1, tokens: 10000, gap: 300 * time.Microsecond},
	{name: "live-6.8ms", how: onLive, streams: 1, tokens: 1000, gap: 6800 * time.Microsecond},
	{name: "live-6.8ms-120x40", how: onLive, streams: 1, tokens: 1000, gap: 6800 * time.Microsecond, cols: 120, rows: 40},
	{name: "idle", how: onIdle, streams: 1, tokens: 200, gap: 6800 * time.Microsecond},
	{name: "load-64x10ms", how: onLoad, streams: 64, tokens: 500, gap: 10 * ms},
	{name: "load-64-uneven", how: onLoad, streams: 64, tokens: 500, gap: 10 * ms, uneven: true},
	{name: "load-256x20ms", how: onLoad, streams: 256, tokens: 250, gap: 20 * ms},
	{name: "load-1000x20ms", how: onLoad, streams: 1000, tokens: 250, gap: 20 * ms},
	{name: "load-20k", how: onLoad, streams: 64, tokens: 1500, gap: 3200 * time.Microsecond},
	{name: "load-40k", how: onLoad, streams: 64, tokens: 3000, gap: 1600 * time.Microsecond},
	{name: "json-64x10ms", how: asJSON, streams: 64, tokens: 500, gap: 10 * ms},
	{name: "json-1000x20ms", how: asJSON, streams: 1000, tokens: 250, gap: 20 * ms},
	{name: "json-4096x300ms", how: asJSON, streams: 4096, tokens: 40, gap: 300 * ms},
	{name: "json-40k", how: asJSON, streams: 64, tokens: 3000, gap: 1600 * time.Microsecond},
	{name: "json-60k", how: asJSON, streams: 64, tokens: 4500, gap: 1066 * time.Microsecond},
	{name: "json-80k", how: asJSON, streams: 64, tokens: 6000, gap: 800 * time.Microsecond},
	{name: "json-100k", how: asJSON, streams: 64, tokens: 7500, gap: 640 * time.Microsecond},
	{name: "ndjson-64x10ms", how: asLines, streams: 64, tokens: 500, gap: 10 * ms},
	{name: "ndjson-1000x20ms", how: asLines, streams: 1000, tokens: 250, gap: 20 * ms},
	{name: "sweep-64x10ms", how: asSweep, streams: 64, tokens: 500, gap: 10 * ms},
	{name: "sweep-256x20ms", how: asSweep, streams: 256, tokens: 250, gap: 20 * ms},
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
	during        time.Duration // of which it used cpu; 0: until its end
	late          []int64       // ns from the kernel's stamp to the clock of the client
	reported      float64       // ms, the p99 that the program printed; 0: it printed none
	rss           int           // kB; 0: not known
	frames        float64       // a second; 0: nothing is drawn
	stamped       bool          // the stamps of the client are known
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
		list := testkit.Must(server.Logs())(b)
		plan := probetest.MustParse(text)
		o.sent = len(plan.Tokens()) * c.streams
		o.written = o.sent
		for _, s := range got {
			testkit.OK(b, s.Err)
			o.counted += len(s.Tokens)
			o.late = append(o.late, s.Late...)
			must(b, o.Add(plan, list[s.Request-1], s))
		}
		o.print(b)
	}
}

// spawn starts the server of one measurement.
func spawn(b *testing.B) *probetest.Process {
	b.Helper()
	server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true, ChatOnly: true}))(b)
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
	if o.during > 0 {
		b.ReportMetric(100*float64(o.cpu)/float64(o.during), "cpu_%core")
	}
	if o.written > 0 {
		b.ReportMetric(float64(o.cpu.Nanoseconds())/1e3/float64(o.written), "cpu_µs/chunk")
	}
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
