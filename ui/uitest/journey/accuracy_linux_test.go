package journey

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
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
	server, err := probetest.Spawn(probetest.Options{Timed: true})
	must(b, err)
	defer server.Close()
	transport.SpareProcs()
	e := client.New(client.Options{UserStamps: userStamps})
	defer e.Close()
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "script", URL: server.URL(text), Model: "m"}, Auth: endpoint.AuthNone, Server: "script"}
	tokens := probetest.MustParse(text).Tokens()
	var gaps, ttfts []int64
	shared, chunks := 0, 0
	for b.Loop() {
		for _, v := range measure(b, e, target, streams, drawn) {
			if v.State != metrics.Done || len(v.Chunks) != len(tokens) {
				b.Fatalf("%v with %d of %d chunks: %v", v.State, len(v.Chunks), len(tokens), v.Fault)
			}
			shared += v.Observer.SharedReads
			chunks += len(v.Chunks)
			truth := logOf(b, e, server, v.Work.Prompt)
			at := func(i int) int64 { return truth.Writes[tokens[i].Write].Before }
			ttfts = append(ttfts, off(int64(v.Chunks[0].At-v.Marks.Sent), at(0)-truth.Arrived))
			for i := 1; i < len(tokens); i++ {
				gaps = append(gaps, off(int64(v.Chunks[i].At-v.Chunks[i-1].At), at(i)-at(i-1)))
			}
		}
	}
	for name, v := range map[string][]int64{"gap": gaps, "ttft": ttfts} {
		slices.Sort(v)
		b.ReportMetric(float64(v[len(v)/2])/1e3, name+"_p50_µs")
		b.ReportMetric(float64(v[len(v)*99/100])/1e3, name+"_p99_µs")
	}
	b.ReportMetric(100*float64(shared)/float64(chunks), "shared_%")
	b.ReportMetric(0, "ns/op")
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
		m := ui.New(registry.All(), s, ui.Options{Profile: themes.TrueColor, Screens: screen.Options{Work: work(0)}, Start: true, Yield: transport.Yield, Output: nowhere{}})
		s.SetNotify(m.Notify)
		ctx, cancel := context.WithCancel(context.Background())
		in, feed := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- m.Run(ctx, tea.WithInput(in), tea.WithWindowSize(200, 50), tea.WithoutSignalHandler())
		}()
		defer func() {
			cancel()
			_ = feed.Close()
			if err := <-done; err != nil {
				b.Error(err)
			}
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

// nowhere takes what is drawn, on a thread that gives way as the program's does.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) {
	transport.Yield()
	return len(b), nil
}

var (
	round  int
	logs   = map[string]*probetest.Log{}
	prompt = regexp.MustCompile(`stream \d+ of round \d+\.`)
)

// logOf finds what the server saw of the request with that prompt.
func logOf(b *testing.B, e *client.Engine, p *probetest.Process, text string) *probetest.Log {
	b.Helper()
	if logs[text] == nil {
		list, err := p.Logs()
		must(b, err)
		for _, l := range list {
			if m := prompt.Find(l.Body); m != nil {
				logs[string(m)] = l
			}
		}
	}
	if logs[text] == nil {
		b.Fatal("the server saw no request with " + strconv.Quote(text))
	}
	return logs[text]
}

func off(measured, was int64) int64 { return int64(math.Abs(float64(measured - was))) }
