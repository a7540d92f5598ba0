package journey

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
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

// BenchmarkThousandUsers is a load of a thousand users at 50 tok/s each, of a
// server in another process: through the session as the Load screen drives it,
// with nothing drawn, and with the real interface drawing the Load screen with
// its thousand lanes at 200x50. Every chunk of every user is compared with the
// server's own log:
//
//	go test ./ui/uitest/journey -run '^$' -bench ThousandUsers -benchtime 1x
//
// It fails when a chunk is missing, in the streams or in the load's own count.
//
// A reader that finds several chunks in one read has one stamp for them: a
// matter of how busy the machine is. shared_% is how many chunks came so, and
// own_ are the gaps between two chunks with a read of their own each.
func BenchmarkThousandUsers(b *testing.B) {
	for _, drawn := range []bool{false, true} {
		b.Run(map[bool]string{false: "headless", true: "ui"}[drawn], func(b *testing.B) { thousand(b, drawn) })
	}
}

const (
	thousandUsers  = 1000
	thousandChunks = 250
)

func thousand(b *testing.B, drawn bool) {
	text := fmt.Sprintf("lockstep %d; spread 20ms; prefill 500ms; %d tokens @ 20ms; finish; usage; done", thousandUsers, thousandChunks)
	server, err := probetest.Spawn(probetest.Options{Timed: true})
	must(b, err)
	defer server.Close()
	transport.SpareProcs()
	e := client.New(client.Options{})
	defer e.Close()
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: "script", URL: server.URL(text), Model: "m", Ready: true}, Auth: endpoint.AuthNone, Server: "script"}
	tokens := probetest.MustParse(text).Tokens()
	var gaps, lags, ttfts []int64
	shared := 0
	var frames, seconds float64
	for b.Loop() {
		s := app.New(app.Options{Engine: e, Resolver: &endpoint.Resolver{}, Target: target})
		work := metrics.Workload{Name: "custom", Prompt: "one of a thousand", MaxTokens: thousandChunks}
		end := func() {}
		var screen counter
		if drawn {
			end = show(b, s, work, &screen)
		} else if _, err := s.LoadStart(work, thousandUsers); err != nil {
			b.Fatal(err)
		}
		awaitLoad(b, s, func(v *loadstat.View) bool { return v.Decoding == thousandUsers })
		s.LoadHold(true) // nobody sends a second request
		from, drawnBefore := time.Now(), screen.n.Load()
		v := awaitLoad(b, s, func(v *loadstat.View) bool { return v.InFlight == 0 })
		frames, seconds = frames+float64(screen.n.Load()-drawnBefore), seconds+time.Since(from).Seconds()
		if v.Done != thousandUsers || v.Failed != 0 || v.Chunks != thousandUsers*thousandChunks {
			b.Fatalf("%d done, %d failed, %d chunks counted of %d", v.Done, v.Failed, v.Chunks, thousandUsers*thousandChunks)
		}
		logs, err := server.LogsBy(probetest.Nonce)
		must(b, err)
		for user := 1; user <= thousandUsers; user++ {
			st, ok := s.LoadStream(user)
			truth := logs[st.Work.Nonce]
			if !ok || st.State != metrics.Done || truth == nil || len(st.Chunks) != len(tokens) {
				b.Fatalf("user %d: %v with %d of %d chunks, %v", user, st.State, len(st.Chunks), len(tokens), st.Fault)
			}
			at := func(i int) int64 { return truth.Writes[tokens[i].Write].Before }
			ttfts = append(ttfts, off(int64(st.Chunks[0].At-st.Marks.Sent), at(0)-truth.Arrived))
			for i := 1; i < len(tokens); i++ {
				e := off(int64(st.Chunks[i].At-st.Chunks[i-1].At), at(i)-at(i-1))
				gaps = append(gaps, e)
				alone := func(k int) bool {
					return (k == 0 || st.Chunks[k-1].Read != st.Chunks[k].Read) && (k == len(tokens)-1 || st.Chunks[k+1].Read != st.Chunks[k].Read)
				}
				if !alone(i) {
					shared++
				} else if alone(i - 1) {
					lags = append(lags, e)
				}
			}
		}
		s.LoadStop()
		s.LoadStop()
		end()
		s.Wait()
	}
	for name, v := range map[string][]int64{"gap": gaps, "own_gap": lags, "ttft": ttfts} {
		if slices.Sort(v); len(v) == 0 {
			continue
		}
		b.ReportMetric(float64(v[len(v)/2])/1e3, name+"_p50_µs")
		b.ReportMetric(float64(v[len(v)*99/100])/1e3, name+"_p99_µs")
	}
	b.ReportMetric(100*float64(shared)/float64(len(gaps)), "shared_%")
	b.ReportMetric(frames/seconds, "frames/s")
	b.ReportMetric(float64(len(gaps)+len(ttfts))/float64(b.N), "chunks/op")
	b.ReportMetric(0, "ns/op")
}

// counter takes what is drawn and counts it, on a thread that gives way.
type counter struct {
	nowhere
	n atomic.Int64
}

func (c *counter) Write(b []byte) (int, error) {
	c.n.Add(1)
	return c.nowhere.Write(b)
}

// show runs the real interface on s and lets a person start the thousand users
// on the Load screen. The function that it returns ends it.
func show(b *testing.B, s *app.Session, work metrics.Workload, out io.Writer) (end func()) {
	b.Helper()
	m := ui.New(registry.All(), s, ui.Options{Profile: themes.TrueColor, Screens: screen.Options{Work: work, LoadWork: work}, Yield: transport.Yield, Output: out})
	s.SetNotify(m.Notify)
	ctx, cancel := context.WithCancel(context.Background())
	in, feed := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- m.Run(ctx, tea.WithInput(in), tea.WithWindowSize(200, 50), tea.WithoutSignalHandler())
	}()
	for _, keys := range []string{"2", "u", "\x15", "1000", "\r", " "} { // \x15 empties the line
		time.Sleep(300 * time.Millisecond)
		if _, err := feed.Write([]byte(keys)); err != nil {
			b.Fatal(err)
		}
	}
	return func() {
		cancel()
		_ = feed.Close()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
}

// awaitLoad waits for the load of s to be as ok says, two minutes at most.
func awaitLoad(b *testing.B, s *app.Session, ok func(*loadstat.View) bool) loadstat.View {
	b.Helper()
	for limit := time.Now().Add(2 * time.Minute); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if v := s.LoadView(); ok(&v) {
			return v
		}
	}
	v := s.LoadView()
	b.Fatalf("never as it should be: %d users, %d decoding, %d in flight, %d done, %d failed, %v", v.Users, v.Decoding, v.InFlight, v.Done, v.Failed, v.Faults)
	return v
}
