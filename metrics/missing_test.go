package metrics

import (
	"math"
	"slices"
	"testing"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"

	"pgregory.net/rapid"
)

// merged is a stream as it was sent, and as a reader sees it that reads late
// now and then: chunks that wait are read together, with the stamp of the last.
type merged struct {
	seen   Stream
	gaps   []float64 // true gaps, ms
	tokens []float64 // true times per token, one a token, without those of the first read's chunks
	first  int       // chunks of the first read
}

func mergedStream(t *rapid.T) merged {
	n := rapid.IntRange(2, 400).Draw(t, "chunks")
	gap := rapid.OneOf(rapid.Int64Range(1, 20e6), rapid.Int64Range(6.9e6, 7.1e6), rapid.Int64Range(1, 2e9))
	together := rapid.SampledFrom([]float64{0.02, 0.3, 0.7, 0.95}).Draw(t, "share of late reads")
	late := rapid.Float64Range(0, 1)
	counted := rapid.Bool().Draw(t, "counted")
	at := make([]Stamp, n)
	at[0] = Stamp(rapid.Int64Range(1, 1e9).Draw(t, "ttft"))
	for i := 1; i < n; i++ {
		at[i] = at[i-1] + Stamp(gap.Draw(t, "gap"))
	}
	reads := make([]int, n)
	for i := 1; i < n; i++ {
		reads[i] = reads[i-1]
		if late.Draw(t, "late") >= together {
			reads[i]++
		}
	}
	out := merged{seen: Stream{ID: 1, State: Done, Marks: NewMarks(), Usage: NoUsage(), LiveTokens: -1,
		TokensFrom: TokensContinuous}}
	s := &out.seen
	s.Marks.Sent = 0
	for i := range n {
		last := i
		for last+1 < n && reads[last+1] == reads[i] {
			last++
		}
		k := int16(-1)
		if counted {
			k = int16(rapid.IntRange(1, 4).Draw(t, "tokens"))
		}
		s.Text = append(s.Text, "word "...)
		s.Chunks = append(s.Chunks, Chunk{At: at[last], User: at[last], Read: int32(reads[i]), Event: int32(i),
			TextEnd: int32(len(s.Text)), Tokens: k})
		if reads[i] == 0 {
			out.first++
		}
		if i == 0 {
			continue
		}
		ms := float64(at[i]-at[i-1]) / 1e6
		out.gaps = append(out.gaps, ms)
		for range max(k, 1) {
			if reads[i] > 0 {
				out.tokens = append(out.tokens, ms/float64(max(k, 1)))
			}
		}
	}
	if !counted {
		s.Usage.Completion, s.TokensFrom = n, TokensUsage
	}
	return out
}

// truth is the mean of the true gaps after the first read.
func (m *merged) truth() float64 {
	sum := 0.0
	for _, g := range m.gaps[m.first-1:] {
		sum += g
	}
	return sum / float64(len(m.gaps)-m.first+1)
}

func contains(t interface{ Fatalf(string, ...any) }, name string, m *Missing, truth []float64, slack float64) {
	slices.Sort(truth)
	for i, b := range m.bounds() {
		q := stats.Quantile(truth, boundLevels[i])
		if !b.OK || q < b.Low*(1-slack)-1e-9 || q > b.High*(1+slack)+1e-9 {
			t.Fatalf("%s: the true quantile %v is %v, outside of %+v", name, boundLevels[i], q, *b)
		}
	}
}

// However late the reads are, the mean of the gaps is the true one, and every
// true quantile lies in its bounds.
func TestLateReadsDoNotBiasTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := mergedStream(t)
		f := Measure(&m.seen, Options{})
		if f.Gaps.N == 0 {
			return // one read
		}
		if want := m.truth(); math.Abs(f.Gaps.Mean.V-want) > 1e-9*want {
			t.Fatalf("mean gap %v, the true one is %v: %d of %d gaps are known", f.Gaps.Mean.V, want, f.Gaps.N, len(m.gaps))
		}
		if f.Gaps.Missing.N != f.GapsUnknown || f.GapsUnknown != len(m.gaps)-f.Gaps.N {
			t.Fatalf("%d gaps, %d known, %d unknown, %d missing", len(m.gaps), f.Gaps.N, f.GapsUnknown, f.Gaps.Missing.N)
		}
		if f.ITLFrom == ITLCounted {
			sum := 0.0
			for _, v := range m.tokens {
				sum += v
			}
			near2(t, "mean ITL", f.ITL.Mean, Known(sum/float64(len(m.tokens)), 0))
		} else if want := m.truth(); math.Abs(f.ITL.Mean.V-want) > 1e-9*want {
			t.Fatalf("mean ITL %v, the true one is %v", f.ITL.Mean.V, want)
		}
		if f.GapsUnknown > 0 {
			contains(t, "gaps", &f.Gaps.Missing, m.gaps, 0)
			testkit.Need(t, f.Gaps.Missing.First, m.first > 1, m.first, "chunks in the first read, First")
		} else if f.Gaps.Missing != (Missing{}) {
			t.Fatalf("nothing is missing, but %+v", f.Gaps.Missing)
		}
		if f.ITL.Missing.N > 0 {
			contains(t, "ITL", &f.ITL.Missing, m.tokens, 0)
		}
	})
}

// The bounds are no wider than what a read allows.
func TestBoundsOfKnownReads(t *testing.T) {
	// Reads of one chunk each but one of three, 30 ms apart.
	s := newPlay().every(100, 30, 200, "a").together("b").together("c").chunk(100+200*30, "d").done()
	f := s.measure()
	near(t, "mean", f.Gaps.Mean, 200*30.0/202)
	for _, b := range f.Gaps.Missing.bounds() {
		bound(t, b, 30, 30)
	}
	if f.Gaps.Missing.N != 2 || f.Gaps.Uncertain() {
		t.Errorf("two of 202 gaps are unknown: %+v", f.Gaps.Missing)
	}
	near(t, "known share", Known(f.Gaps.KnownShare(), 0), 200.0/202)

	// Three of four chunks came in one read: any gap up to its time is possible.
	s = newPlay().chunk(100, "a").chunk(160, "b").together("c").together("d").done()
	f = s.measure()
	near(t, "mean", f.Gaps.Mean, 20)
	bound(t, &f.Gaps.Missing.P50, 0, 30)
	bound(t, &f.Gaps.Missing.Max, 20, 60)
	if !f.Gaps.Uncertain() {
		t.Errorf("three gaps of 60 ms together: %+v", f.Gaps.Missing)
	}

	// The first read says nothing of its gaps but that they came after the request.
	s = newPlay().chunk(100, "a").together("b").chunk(130, "c").done()
	f = s.measure()
	near(t, "mean after the first read", f.Gaps.Mean, 30)
	bound(t, &f.Gaps.Missing.P50, 15, 65)
	bound(t, &f.Gaps.Missing.Max, 30, 100)
	if !f.Gaps.Missing.First {
		t.Errorf("a gap within the first read: %+v", f.Gaps.Missing)
	}
}

// bound fails unless b has these ends, or ends less than a bin further out.
func bound(t *testing.T, b *Bound, low, high float64) {
	t.Helper()
	const bin = 1.011
	if !b.OK || b.Low > low || b.Low*bin < low || b.High < high || b.High > high*bin {
		t.Errorf("between %v and %v, want %v and %v", b.Low, b.High, low, high)
	}
}

// A sketch has the same mean, and bounds that hold, whenever it sees a chunk
// and however its parts are joined. A load, which tracks chunks, and a probe, which
// pools ended requests, have the same percentiles and bounds, whatever memory is left
// for their chunks. Both pool time and number of gaps, not the means of requests.
func TestSketchHoldsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts [3]Sketch
		var runs []Run
		var all []float64
		sum, n, unknown, first := 0.0, 0, 0, false
		trim := Trimmer{Room: rapid.SampledFrom([]int{1 << 30, 0, 4000}).Draw(t, "memory")}
		for range rapid.IntRange(1, 4).Draw(t, "streams") {
			m := mergedStream(t)
			var track GapTracker
			part := 0
			for i := range m.seen.Chunks {
				now, was := track.Add(&m.seen.Chunks[i], &m.seen.Marks)
				if was.Gaps == 0 {
					part = rapid.IntRange(0, len(parts)-1).Draw(t, "part")
				}
				parts[part].Track(now, was)
			}
			f := Measure(&m.seen, Options{})
			if f.TPOT.Why == WhyAtOnce { // all of it within nanoseconds: no gap is the model's
				return
			}
			run := Run{Stream: m.seen, Figures: f}
			trim.Add(&run)
			runs = append(runs, run)
			first = first || m.first > 1
			unknown += f.GapsUnknown
			if all = append(all, m.gaps...); len(m.gaps) >= m.first {
				sum, n = sum+m.truth()*float64(len(m.gaps)-m.first+1), n+len(m.gaps)-m.first+1
			}
		}
		var g Sketch
		for i := range parts {
			g.Merge(&parts[i])
		}
		d := g.Dist(WhyNoGap)
		if d.N+unknown != len(all) || g.Unknown() != unknown {
			t.Fatalf("%d known, %d unknown of %d", d.N, unknown, len(all))
		}
		if d.N == 0 {
			return
		}
		pooled, want := Summarize(runs).Gaps, sum/float64(n)
		if math.Abs(d.Mean.V-want) > 1e-9*want || math.Abs(pooled.Mean.V-want) > 1e-9*want {
			t.Fatalf("mean gap %v, pooled %v, the true one is %v", d.Mean.V, pooled.Mean.V, want)
		}
		if unknown > 0 {
			contains(t, "sketch", &d.Missing, all, 0)
			testkit.Need(t, d.Missing.First, first, "first read shared")
		}
		pooled.Mean, pooled.StdDev, d.Mean, d.StdDev = Value{}, Value{}, Value{}, Value{}
		testkit.Need(t, d, pooled, "a load")
		g.Reset()
		g.Merge(&parts[0])
		testkit.Need(t, g.Dist(WhyNoGap), parts[0].Dist(WhyNoGap), "a cleared sketch is not empty")
	})
}
