package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"tokscope/metrics/testkit"
)

// trimmedRuns returns ended runs of random gaps, and a copy of them of which a
// Trimmer has kept room bytes.
func trimmedRuns(t *testing.T, n, room int) (whole, trimmed []Run) {
	t.Helper()
	const seed = 11
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	trim := Trimmer{Room: room}
	for range n {
		p := newPlay()
		at := 100.0
		for i := range 200 {
			at += 5 + rng.ExpFloat64()*20
			p.every(at, 1, 1, "a word ")
			if i%50 == 49 {
				p.every(at, 0, 2, "b")
			}
		}
		r := Run{Stream: p.usage(300).done().Stream}
		r.Figures = Measure(&r.Stream, Options{})
		whole = append(whole, r)
		trim.Add(&r)
		trimmed = append(trimmed, r)
	}
	return whole, trimmed
}

// What runs lose by a Trimmer changes no figure of a summary. Everything lost is
// counted.
func TestTrimmedRunsKeepTheirSummary(t *testing.T) {
	for _, room := range []int{0, 40_000} {
		whole, trimmed := trimmedRuns(t, 20, room)
		a, b := Summarize(whole), Summarize(trimmed)
		chunks, text, lost := 0, 0, 0
		for i := range trimmed {
			if r := &trimmed[i]; r.Trimmed != nil {
				lost++
				chunks, text = chunks+len(whole[i].Stream.Chunks), text+len(whole[i].Stream.Text)
				if r.Stream.Chunks != nil || r.Stream.Text != nil || r.Figures.Bursts != nil ||
					r.Trimmed.Bursts != len(whole[i].Figures.Bursts) {
					t.Errorf("run %d keeps %d chunks, %d bytes of text", i, len(r.Stream.Chunks), len(r.Stream.Text))
				}
			}
		}
		if lost == 0 || room > 0 && lost == len(trimmed) || b.Trimmed != lost || b.ChunksTrimmed != chunks ||
			b.TextTrimmed != text {
			t.Errorf("room %d: %d runs trimmed, the summary says %d with %d chunks and %d bytes, want %d and %d", room, lost,
				b.Trimmed, b.ChunksTrimmed, b.TextTrimmed, chunks, text)
		}
		if a.GapsUnknown != b.GapsUnknown || a.Stalls != b.Stalls || a.Window != b.Window || a.Throughput != b.Throughput ||
			a.TTFT != b.TTFT || a.Longest != b.Longest {
			t.Errorf("room %d: another summary\n%+v\n%+v", room, a, b)
		}
		for name, d := range map[string][2]Dist{"gaps": {a.Gaps, b.Gaps}, "itl": {a.ITL, b.ITL}} {
			is, was := d[1], d[0]
			testkit.That(t, is.N == was.N && is.N != 0 && is.Min == was.Min && is.Max == was.Max && is.Method == was.Method,
				"%s: %+v, was %+v", name, is, was)
			for what, v := range map[string][2]Value{"p50": {is.P50, was.P50}, "p90": {is.P90, was.P90},
				"p95": {is.P95, was.P95}, "p99": {is.P99, was.P99}} {
				testkit.That(t, v[0].OK && math.Abs(v[0].V/v[1].V-1) <= 1e-9, "%s %s: %v, was %v", name, what, v[0], v[1])
			}
			testkit.That(t, math.Abs(is.Mean.V/was.Mean.V-1) <= 1e-9, "%s: mean %v, was %v", name, is.Mean, was.Mean)
		}
	}
	if chunkBytes != unsafe.Sizeof(Chunk{}) {
		t.Errorf("a chunk has %d bytes", unsafe.Sizeof(Chunk{}))
	}
}

// A summary keeps no gap: what it needs is that of one run at a time.
func TestSummaryKeepsNoGap(t *testing.T) {
	const n, chunks = 60, 2000
	s := longStream(chunks, 1)
	s.State = Done
	r := Run{Stream: *s}
	r.Figures = Measure(&r.Stream, Options{})
	trim := Trimmer{Room: n * (r.Size() + 1)}
	var runs []Run
	for range n + 1 {
		one := r
		trim.Add(&one)
		runs = append(runs, one)
	}
	if runs[n-1].Trimmed != nil || runs[n].Trimmed == nil {
		t.Fatal("not one run is trimmed")
	}
	Summarize(runs) // the Trimmer's own buffers grow once
	var sum Summary
	bytes := float64(testkit.Allocated(func() { sum = Summarize(runs) })) / float64(n*chunks)
	t.Logf("%d gaps, %.1f bytes for each chunk", sum.Gaps.N, bytes)
	if sum.Trimmed != 1 || sum.Gaps.N < n*chunks*9/10 || bytes > 8 {
		t.Errorf("%d gaps, %.1f bytes for each chunk", sum.Gaps.N, bytes)
	}
}
