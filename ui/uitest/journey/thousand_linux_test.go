package journey

import (
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
	"tokscope/ui"
	"tokscope/ui/screen"
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
	server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true}))(b)
	defer server.Close()
	transport.SpareProcs()
	e := client.New(client.Options{})
	defer e.Close()
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: "script", URL: server.URL(text), Model: "m", Ready: true}, Auth: endpoint.AuthNone, Server: "script"}
	plan := probetest.MustParse(text)
	var c probetest.Comparison
	var own []int64
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
		logs := testkit.Must(server.LogsBy(probetest.Nonce))(b)
		for user := 1; user <= thousandUsers; user++ {
			st, ok := s.LoadStream(user)
			truth := logs[st.Work.Nonce]
			if !ok || st.State != metrics.Done || truth == nil {
				b.Fatalf("user %d: %v with %d chunks, %v", user, st.State, len(st.Chunks), st.Fault)
			}
			must(b, c.Add(plan, truth, seenOf(&st)))
			last := len(st.Chunks) - 1
			alone := func(k int) bool {
				return (k == 0 || st.Chunks[k-1].Read != st.Chunks[k].Read) && (k == last || st.Chunks[k+1].Read != st.Chunks[k].Read)
			}
			for i, e := range c.Gap[len(c.Gap)-last:] {
				if !alone(i + 1) {
					shared++
				} else if alone(i) {
					own = append(own, e)
				}
			}
		}
		s.LoadStop()
		s.LoadStop()
		end()
		s.Wait()
	}
	printErrors(b, "gap", c.Gap)
	printErrors(b, "own_gap", own)
	printErrors(b, "ttft", c.TTFT)
	b.ReportMetric(100*float64(shared)/float64(len(c.Gap)), "shared_%")
	b.ReportMetric(frames/seconds, "frames/s")
	b.ReportMetric(float64(len(c.Lag))/float64(b.N), "chunks/op")
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
	feed, end := drawing(b, s, ui.Options{Screens: screen.Options{Work: work, LoadWork: work}, Output: out})
	for _, keys := range []string{"2", "u", "\x15", "1000", "\r", " "} { // \x15 empties the line
		time.Sleep(300 * time.Millisecond)
		testkit.Must(feed.Write([]byte(keys)))(b)
	}
	return end
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
