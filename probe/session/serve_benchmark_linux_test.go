package session

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// Promise of BenchmarkServedGaps, and the rounds in which it may be kept.
const (
	worseAtMost = 1.5
	gapRounds   = 5
	benchTokens = 300
	benchGap    = 7 * time.Millisecond
)

// BenchmarkServedGaps serves a recording of 300 tokens, 7 ms apart, beside the
// scripted server of the accuracy benchmark, both seen by its reference client. It
// fails when the error of gaps, p99, is more than 1.5 times the reference's in every
// round. The numbers mean something on a calm machine only.
func BenchmarkServedGaps(b *testing.B) {
	f := testkit.Must(Create(b.TempDir(), Options{Version: "test", Started: time.Unix(1e9, 0), Raw: true}))(b)
	var all []arrival
	for i := range benchTokens {
		all = append(all, arrival{benchGap,
			fmt.Appendf(nil, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"tok%d \"}}]}\n\n", i)})
	}
	write(f, 1, 0, true, append(all, arrival{benchGap, []byte("data: [DONE]\n\n")}))
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	rec := testkit.Must(Open(f.Path(), nil))(b)
	h := testkit.Must(NewHandler(0, rec))(b)
	ours := httptest.NewServer(http.Handler(h))
	defer ours.Close()
	theirs := testkit.Must(probetest.Listen(probetest.Options{}))(b)
	defer theirs.Close()
	plan := theirs.URL(fmt.Sprintf("prefill %v; %d tokens @ %v", benchGap, benchTokens, benchGap))
	best, at, reference := math.Inf(1), int64(0), int64(0)
	for b.Loop() {
		for range gapRounds {
			a, r := gapError(b, ours.URL+"/v1"), gapError(b, plan)
			if x := float64(a) / float64(max(r, 1)); x < best {
				best, at, reference = x, a, r
			}
			if best <= worseAtMost {
				break
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(at)/1e3, "replay-p99-µs")
	b.ReportMetric(float64(reference)/1e3, "reference-p99-µs")
	b.ReportMetric(best, "ratio")
	if best > worseAtMost {
		b.Errorf("gap error p99 %.1f µs is %.2f times the reference's %.1f µs, at most %v is promised", float64(at)/1e3,
			best, float64(reference)/1e3, worseAtMost)
	}
}

// gapError returns the p99 of the error of gaps, in ns.
func gapError(b *testing.B, url string) int64 {
	b.Helper()
	s := probetest.Reference{}.Measure(1, url)[0]
	if s.Err != nil || len(s.Tokens) != benchTokens {
		b.Fatalf("%d tokens of %d: %v", len(s.Tokens), benchTokens, s.Err)
	}
	var off []int64
	for i := 1; i < len(s.Tokens); i++ {
		d := s.Tokens[i] - s.Tokens[i-1] - int64(benchGap)
		off = append(off, max(d, -d))
	}
	return probetest.Quantile(off, 0.99)
}
