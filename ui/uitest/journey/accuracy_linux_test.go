package journey

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
	"tokscope/themes"
	"tokscope/ui"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
)

// BenchmarkAccuracy is the whole program against a server in another process
// that logs the monotonic time around every write: the engine with its folding
// and decoding, headless and with the real interface drawing one of the
// streams at 200x50 and 30 frames a second. It compares gap by gap.
func BenchmarkAccuracy(b *testing.B) {
	for _, s := range []struct {
		name      string
		streams   int
		responses string
	}{
		{"1x20ms", 1, "lockstep 1; prefill 100ms; 75 tokens @ 20ms"},
		{"1x1.4ms", 1, "lockstep 1; prefill 100ms; 1000 tokens @ 1.4ms"},
		{"1x0.3ms", 1, "lockstep 1; prefill 100ms; 4000 tokens @ 0.3ms"},
		{"64x10ms", 64, "lockstep 64; spread 10ms; prefill 100ms; 150 tokens @ 10ms"},
		{"1000x20ms", 1000, "lockstep 1000; spread 20ms; prefill 500ms; 75 tokens @ 20ms"},
	} {
		for _, drawn := range []bool{false, true} {
			for _, user := range []bool{false, true} {
				name := fmt.Sprintf("%s/%s/%s", s.name, map[bool]string{false: "headless", true: "ui"}[drawn], map[bool]string{false: "kernel", true: "user"}[user])
				b.Run(name, func(b *testing.B) { accuracy(b, s.streams, s.responses, drawn, user) })
			}
		}
	}
}

func accuracy(b *testing.B, streams int, text string, drawn, userStamps bool) {
	server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true}))(b)
	defer server.Close()
	transport.SpareProcs()
	e := client.New(client.Options{UserStamps: userStamps})
	defer e.Close()
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "script", URL: server.URL(text), Model: "m"}, Auth: endpoint.AuthNone, Server: "script"}
	plan := probetest.MustParse(text)
	var c probetest.Comparison
	shared := 0
	for b.Loop() {
		all := measure(b, e, target, streams, drawn)
		logs := testkit.Must(server.LogsBy(prompt))(b)
		for i := range all {
			v := &all[i]
			truth := logs[v.Work.Prompt]
			if v.State != metrics.Done || truth == nil {
				b.Fatalf("%v with %d chunks: %v", v.State, len(v.Chunks), v.Fault)
			}
			shared += v.Observer.SharedReads
			must(b, c.Add(plan, truth, seenOf(v)))
		}
	}
	printErrors(b, "gap", c.Gap)
	printErrors(b, "ttft", c.TTFT)
	b.ReportMetric(100*float64(shared)/float64(len(c.Lag)), "shared_%")
	b.ReportMetric(0, "ns/op")
}

// seenOf is what the program measured of a stream.
func seenOf(v *metrics.Stream) probetest.Seen {
	s := probetest.Seen{Sent: int64(v.Marks.Sent)}
	for i := range v.Chunks {
		s.Tokens = append(s.Tokens, int64(v.Chunks[i].At))
	}
	return s
}

// printErrors reports two quantiles of errors in ns, nothing of none.
func printErrors(b *testing.B, name string, values []int64) {
	if len(values) > 0 {
		b.ReportMetric(float64(probetest.Quantile(values, 0.5))/1e3, name+"_p50_µs")
		b.ReportMetric(float64(probetest.Quantile(values, 0.99))/1e3, name+"_p99_µs")
	}
}

// measure runs the streams at the same time and returns them when all have
// ended. With drawn, the interface shows the first one while they run.
func measure(b *testing.B, e *client.Engine, t endpoint.Target, streams int, drawn bool) []metrics.Stream {
	b.Helper()
	round++
	work := func(i int) metrics.Workload {
		return metrics.Workload{Prompt: fmt.Sprintf("stream %d of round %d.", i, round), Concurrency: streams, Connection: metrics.ReuseWarm}
	}
	var all []metrics.Stream
	var others []*client.Stream
	if drawn {
		s := app.New(app.Options{Engine: e, Resolver: &endpoint.Resolver{}, Target: t})
		_, end := drawing(b, s, ui.Options{Screens: screen.Options{Work: work(0)}, Start: true, Output: nowhere{}})
		defer func() {
			end()
			s.Wait()
		}()
		for s.Snapshot().State == metrics.Idle {
			time.Sleep(time.Millisecond)
		}
		for i := 1; i < streams; i++ {
			others = append(others, e.Start(context.Background(), t, work(i)))
		}
		for !s.Snapshot().State.Ended() {
			time.Sleep(10 * time.Millisecond)
		}
		all = append(all, s.Snapshot())
	} else {
		for i := range streams {
			others = append(others, e.Start(context.Background(), t, work(i)))
		}
	}
	for _, s := range others {
		<-s.Done()
		all = append(all, s.Snapshot())
	}
	return all
}

// drawing runs the real interface on s at 200x50. What is written to feed is typed;
// end ends it.
func drawing(b *testing.B, s *app.Session, o ui.Options) (feed *io.PipeWriter, end func()) {
	b.Helper()
	o.Profile, o.Yield = themes.TrueColor, transport.Yield
	m := ui.New(registry.All(), s, o)
	s.SetNotify(m.Notify)
	ctx, cancel := context.WithCancel(context.Background())
	in, feed := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- m.Run(ctx, tea.WithInput(in), tea.WithWindowSize(200, 50), tea.WithoutSignalHandler())
	}()
	return feed, func() {
		cancel()
		_ = feed.Close()
		testkit.Is(b, <-done, nil)
	}
}

// nowhere takes what is drawn, on a thread that gives way as the program's does.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) {
	transport.Yield()
	return len(b), nil
}

var (
	round  int
	prompt = regexp.MustCompile(`stream \d+ of round \d+\.`)
)
