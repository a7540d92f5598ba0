package loadgen

import (
	"context"
	"fmt"
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

// Hundreds of users that begin and are cut must not disturb running ones. The
// benchmark compares eight streams with a chunk every 10 ms with the log of a
// server in another process. They run alone and while 300 users join and
// leave twice.
func BenchmarkManyUsers(b *testing.B) {
	for _, others := range []int{0, 300} {
		b.Run(fmt.Sprintf("%dothers", others), func(b *testing.B) {
			server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true}))(b)
			defer server.Close()
			transport.SpareProcs()
			e := client.New(client.Options{})
			defer e.Close()
			at := func(text string) endpoint.Target {
				return endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: "script", URL: server.URL(text), Model: "m"}, Auth: endpoint.AuthNone, Server: "script"}
			}
			const text = "prefill 100ms; 400 tokens @ 10ms"
			tokens := probetest.MustParse(text).Tokens()
			var errors []float64
			started := 0
			for round := 0; b.Loop(); round++ {
				var streams []*client.Stream
				for i := range 8 {
					w := metrics.Workload{Prompt: fmt.Sprintf("stream %d of round %d.", i, round)}
					streams = append(streams, e.StartQuiet(context.Background(), at(text), w))
				}
				if others > 0 {
					time.Sleep(500 * time.Millisecond)
					l := Start(context.Background(), Config{
						Engine: e, Target: at("prefill 100ms; 40 tokens @ 20ms"), Work: metrics.Workload{Prompt: "one of many", MaxTokens: 40}, Shape: Shape{Drive: loadstat.Drive{Users: others}}, Seed: 1,
					})
					time.Sleep(1200 * time.Millisecond)
					l.Resize(1)
					l.Cut()
					time.Sleep(300 * time.Millisecond)
					l.Resize(others)
					time.Sleep(1200 * time.Millisecond)
					started += finish(l).Sent
				}
				logs := crowdLogs(b, e, server, streams)
				for _, s := range streams {
					v := s.Snapshot()
					truth := logs[v.Work.Prompt]
					if v.State != metrics.Done || truth == nil || len(v.Chunks) != len(tokens) {
						b.Fatalf("%v with %d chunks: %v", v.State, len(v.Chunks), v.Fault)
					}
					for i := 1; i < len(tokens); i++ {
						was := truth.Writes[tokens[i].Write].Before - truth.Writes[tokens[i-1].Write].Before
						errors = append(errors, math.Abs(float64(int64(v.Chunks[i].At-v.Chunks[i-1].At)-was))/1e3)
					}
				}
			}
			slices.Sort(errors)
			b.ReportMetric(stats.Quantile(errors, 0.5), "gap_p50_µs")
			b.ReportMetric(stats.Quantile(errors, 0.99), "gap_p99_µs")
			b.ReportMetric(float64(started)/float64(b.N), "others/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}

var crowdPrompt = regexp.MustCompile(`stream \d+ of round \d+\.`)

// crowdLogs waits for streams and returns the server's logs of them, by
// prompt.
func crowdLogs(b *testing.B, e *client.Engine, p *probetest.Process, streams []*client.Stream) map[string]*probetest.Log {
	for _, s := range streams {
		<-s.Done()
	}
	logs := testkit.Must(p.LogsBy(crowdPrompt))(b)
	return logs
}
