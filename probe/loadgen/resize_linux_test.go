package loadgen

import (
	"context"
	"math"
	"regexp"
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// nonceLine is what makes each prompt of a load unique.
var nonceLine = regexp.MustCompile(`\[request [0-9a-f]+-\d+\]`)

// BenchmarkResize moves the slider of one load from 50 to 500 users and back,
// twice, and cuts leaving users, while fifty long answers run. It reports the
// error of their gaps against the log of a server in another process. The
// error is given for the time before, for the second after each move, and for
// the time at 500:
//
//	go test ./probe/loadgen -run '^$' -bench 'Resize$' -benchtime 1x
//
// It fails when one of the fifty misses a chunk.
func BenchmarkResize(b *testing.B) {
	const fewest, most, answer = 50, 500, 600
	const text = "prefill 100ms; 600 tokens @ 20ms"
	server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true}))(b)
	defer server.Close()
	transport.SpareProcs()
	e := client.New(client.Options{})
	defer e.Close()
	tokens := probetest.MustParse(text).Tokens()
	const before, moving, crowded = 0, 1, 2
	var errors [3][]float64
	started := 0
	for b.Loop() {
		l := Start(context.Background(), Config{
			Engine: e, Work: metrics.Workload{Prompt: "one of many", MaxTokens: answer},
			Shape: Shape{Drive: loadstat.Drive{Users: fewest}}, Seed: 1,
			Target: endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: "script",
				URL: server.URL(text), Model: "m"}, Auth: endpoint.AuthNone, Server: "script"},
		})
		until(b, l, "fifty run", func(v *loadstat.View) bool { return v.Decoding == fewest })
		time.Sleep(2 * time.Second)
		now := e.Clock().Now
		calm := now()
		var moves []metrics.Stamp
		for range 2 {
			moves = append(moves, now())
			l.Resize(most)
			time.Sleep(2500 * time.Millisecond)
			moves = append(moves, now())
			l.Resize(fewest)
			l.Cut()
			time.Sleep(1500 * time.Millisecond)
		}
		stopped := now()
		l.Hold(true)
		until(b, l, "every request has ended", func(v *loadstat.View) bool { return v.InFlight == 0 })
		logs := map[string]*probetest.Log{}
		for _, l := range testkit.Must(server.Logs())(b) {
			logs[string(nonceLine.Find(l.Body))] = l
		}
		for user := 1; user <= fewest; user++ {
			v, _ := l.Stream(user)
			truth := logs[v.Work.Nonce]
			if v.State != metrics.Done || truth == nil || len(v.Chunks) != len(tokens) {
				b.Fatalf("user %d: %v with %d chunks, %v", user, v.State, len(v.Chunks), v.Fault)
			}
			for i := 1; i < len(tokens); i++ {
				at, when := v.Chunks[i].At, crowded
				for k, m := range moves {
					switch {
					case at >= m && at < m+metrics.Stamp(time.Second):
						when = moving
					case k%2 == 1 && at >= m+metrics.Stamp(time.Second) && when == crowded && (k == len(moves)-1 || at < moves[k+1]):
						when = -1 // back at fifty: neither
					}
				}
				if at < calm {
					when = before
				} else if at >= stopped {
					break
				}
				if when >= 0 {
					was := truth.Writes[tokens[i].Write].Before - truth.Writes[tokens[i-1].Write].Before
					errors[when] = append(errors[when], math.Abs(float64(int64(at-v.Chunks[i-1].At)-was))/1e3)
				}
			}
		}
		started += finish(l).Sent
	}
	for when, name := range []string{"before", "moving", "at500"} {
		slices.Sort(errors[when])
		b.ReportMetric(stats.Quantile(errors[when], 0.5), name+"_p50_µs")
		b.ReportMetric(stats.Quantile(errors[when], 0.99), name+"_p99_µs")
	}
	b.ReportMetric(float64(started)/float64(b.N), "requests/op")
	b.ReportMetric(0, "ns/op")
}
