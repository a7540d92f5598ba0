package metrics

import (
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// hostileStamp draws anything a damaged recording could hold.
func hostileStamp() *rapid.Generator[Stamp] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(0, 5e9), func(v int64) Stamp { return Stamp(v) }),
		rapid.Just(NoStamp), rapid.Just(Stamp(0)), rapid.Just(Stamp(math.MaxInt64)), rapid.Just(Stamp(math.MinInt64+1)),
		rapid.Map(rapid.Int64(), func(v int64) Stamp { return Stamp(v) }),
	)
}

var pieces = []string{"", " ", "a", "word ", "two words", "世界", "\xe4\xb8", "\x96", "สวัสดี", "don't", "\xff\xfe",
	" — ", "3.14"}

// hostileStream draws a stream without any guarantee.
func hostileStream(t *rapid.T) Stream {
	count := rapid.OneOf(rapid.IntRange(-1, 2000), rapid.Just(-1), rapid.Just(0), rapid.Just(math.MaxInt))
	s := Stream{
		ID: rapid.IntRange(0, 3).Draw(t, "id"), State: State(rapid.IntRange(0, 7).Draw(t, "state")),
		Now: hostileStamp().Draw(t, "now"), LiveTokens: count.Draw(t, "live"),
		Usage: Usage{Prompt: count.Draw(t, "prompt"), Completion: count.Draw(t, "completion"),
			Reasoning: count.Draw(t, "reasoning"), Cached: count.Draw(t, "cached")},
		TokensFrom: TokenSource(rapid.IntRange(0, 6).Draw(t, "from")),
		Stamps:     Source(rapid.IntRange(0, 3).Draw(t, "stamps")),
		Observer: Observer{LateP99: time.Duration(rapid.Int64().Draw(t, "late")),
			ClockStep: time.Duration(rapid.Int64().Draw(t, "step"))},
	}
	for _, marks := range []reflect.Value{reflect.ValueOf(&s.Marks).Elem(),
		reflect.ValueOf(&s.Marks.RequestMarks).Elem()} {
		for i := range marks.NumField() {
			if mark := marks.Field(i); mark.CanInt() {
				mark.SetInt(int64(hostileStamp().Draw(t, "mark")))
			}
		}
	}
	for _, name := range []string{ServerQueue, ServerPrefill, ServerTTFT, ServerDecode, ServerProcessing} {
		if rapid.Bool().Draw(t, name) {
			s.Server = append(s.Server, ServerTime{Name: name, D: time.Duration(rapid.Int64().Draw(t, name))})
		}
	}
	regular := rapid.Bool().Draw(t, "regular")
	n := rapid.IntRange(0, 150).Draw(t, "n")
	read := int32(0)
	for i := range n {
		read += int32(rapid.IntRange(-1, 2).Draw(t, "read"))
		c := Chunk{Read: read, Event: int32(i), Kind: Kind(rapid.IntRange(0, 4).Draw(t, "kind")),
			Choice: rapid.SampledFrom([]uint8{0, 0, 0, 1, 255}).Draw(t, "choice"),
			Tokens: int16(rapid.SampledFrom([]int{-1, -1, 0, 1, 2, math.MaxInt16, math.MinInt16}).Draw(t, "tokens")),
			Kernel: rapid.Bool().Draw(t, "kernel")}
		if regular {
			c.At = Stamp(i) * 7e6
		} else {
			c.At = hostileStamp().Draw(t, "at")
		}
		c.User = hostileStamp().Draw(t, "user")
		s.Text = append(s.Text, rapid.SampledFrom(pieces).Draw(t, "text")...)
		c.TextEnd = int32(len(s.Text))
		if !regular && rapid.IntRange(0, 20).Draw(t, "damage") == 0 {
			c.TextEnd = rapid.Int32().Draw(t, "end")
		}
		s.Chunks = append(s.Chunks, c)
	}
	return s
}

// politeStream draws a stream as servers send them, and says how many reads it has.
func politeStream(t *rapid.T, from, to int) *play {
	s := newPlay()
	at := 50 + float64(rapid.IntRange(0, 500).Draw(t, "ttft"))
	for i := range rapid.IntRange(from, to).Draw(t, "chunks") {
		if i > 0 && rapid.IntRange(0, 5).Draw(t, "burst") == 0 {
			s.together(rapid.SampledFrom(pieces[2:]).Draw(t, "text"))
			continue
		}
		s.chunk(at, rapid.SampledFrom(pieces[2:]).Draw(t, "text"))
		at += float64(rapid.IntRange(1, 100_000_000).Draw(t, "gap")) / 1e6
	}
	return s
}

func TestNothingThatIsNoNumberLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pace := Pace{WPM: rapid.SampledFrom([]float64{238, 0, -1, 1e-300, 1e300, math.NaN(), math.Inf(1)}).Draw(t, "wpm")}
		var runs []Run
		for range rapid.IntRange(1, 3).Draw(t, "runs") {
			s := hostileStream(t)
			f := Measure(&s, Options{Pace: pace})
			testkit.WellFormed(t, "Figures", reflect.ValueOf(f))
			testkit.WellFormed(t, "Reading", reflect.ValueOf(readerAt(&s, pace)))
			runs = append(runs, Run{Stream: s, Figures: f})
		}
		testkit.WellFormed(t, "Summary", reflect.ValueOf(Summarize(runs)))
	})
}

func TestNoDistributionOfAnythingHoldsANaN(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1),
		math.MaxFloat64, -math.MaxFloat64, 5e-324, 0}))
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(value, 0, 150).Draw(t, "x")
		before := slices.Clone(x)
		testkit.WellFormed(t, "Dist", reflect.ValueOf(Distribution(x)))
		lo, hi := medianInterval(sortedFinite(x))
		testkit.WellFormed(t, "interval", reflect.ValueOf([]Value{lo, hi}))
		testkit.Given(t, cmp.Equal(before, x, cmpopts.EquateNaNs()), "the values were modified")
	})
}

func TestGapsSumToLastMinusFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := politeStream(t, 2, 200).done()
		f := s.measure()
		if f.TPOT.Why == WhyAtOnce { // eight chunks within a nanosecond: no gap is the model's
			return
		}
		first, last := s.Chunks[0].At, s.Chunks[len(s.Chunks)-1].At
		want := float64(last-first) / 1e6
		got := f.Gaps.Mean.V * float64(f.Gaps.Mean.N)
		testkit.Given(t, math.Abs(got-want) <= 1e-6*want, "gaps sum to %v, last − first is %v", got, want)
		testkit.Given(t, f.Gaps.N+f.GapsUnknown == f.Chunks-1,
			"%d known and %d unknown gaps for %d chunks", f.Gaps.N, f.GapsUnknown, f.Chunks)
		if f.Gaps.N > 0 {
			near2(t, "TTFT + (n−1)·TPOT", f.Predicted, f.Total)
		}
		inBursts := 0
		for _, b := range f.Bursts {
			inBursts += b.Count - 1
		}
		testkit.Need(t, inBursts, f.GapsUnknown, "bursts hold … unknown gaps")
	})
}

// near2 fails unless both are unknown or both are the same number.
func near2(t *rapid.T, name string, a, b Value) {
	testkit.Given(t, !a.OK || math.Abs(a.V-b.V) <= 1e-9*math.Max(1, math.Abs(b.V)), "%s: %v against %v", name, a, b)
}

// A Meter fed with a growing stream returns the figures of Measure in each
// state.
func TestMeterIsMeasure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		streams := []Stream{hostileStream(t), politeStream(t, 1, 200).Stream}
		for i := range streams {
			streams[i].ID = i
		}
		var m Meter
		for range rapid.IntRange(1, 8).Draw(t, "looks") {
			s := streams[rapid.IntRange(0, 1).Draw(t, "which")]
			n := rapid.IntRange(0, len(s.Chunks)).Draw(t, "so far")
			s.Chunks = s.Chunks[:n]
			if rapid.Bool().Draw(t, "more than before") {
				// An older snapshot of the same stream must not confuse it.
				s.State = Decoding
			}
			want := Measure(&s, Options{})
			d := cmp.Diff(want, m.Measure(&s, Options{}), cmpopts.EquateEmpty())
			testkit.Given(t, d == "", "at %d chunks (-Measure +Meter):\n%s", n, d)
		}
	})
}

func TestSummariesDoNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []Run
		for i := range rapid.IntRange(0, 12).Draw(t, "runs") {
			s := politeStream(t, 1, 20)
			s.ID = i
			s.usage(rapid.IntRange(1, 50).Draw(t, "tokens")).done()
			if rapid.IntRange(0, 3).Draw(t, "ends") == 0 {
				s.State, s.Fault = Failed, &Fault{Kind: rapid.SampledFrom([]FaultKind{FaultReset, FaultTimeout}).Draw(t, "fault")}
			}
			runs = append(runs, Run{Stream: s.Stream, Figures: s.measure()})
		}
		a := Summarize(runs)
		n := a.Done + a.Failed + a.Truncated + a.Cancelled + a.Running
		testkit.Given(t, n == len(runs) && a.Requests == n, "%d of %d requests counted", n, len(runs))
		testkit.Need(t, a.TTFT.N, a.Done, "TTFTs from … requests that ended well")
		if d := cmp.Diff(a, Summarize(rapid.Permutation(runs).Draw(t, "order")), cmpopts.EquateApprox(1e-9, 0)); d != "" {
			t.Fatal(d)
		}
	})
}

// The chunks that count and the gaps between them have one definition. Gap by
// gap or ingested, the gaps of the measured choice are the same.
func TestGapsOneByOneAreThoseOfTheFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileStream(t)
		s.State = Decoding // one that is idle has no figures
		var m Meter
		f := m.Measure(&s, Options{})
		if m.ingest.answerOnly {
			return // its gaps are those of the answer
		}
		known, longest := 0, 0.0
		for i := range s.Chunks {
			ms, ok := s.Gap(i)
			if s.Chunks[i].Choice != firstChoice(&s) {
				continue
			}
			if ok {
				known++
				longest = max(longest, ms)
			}
		}
		if f.AtOnce() {
			known = 0 // withheld: they are not the model's
		}
		testkit.Given(t, known == f.Gaps.N && (known <= 0 || longest == f.Longest.V && longest == f.Gaps.Max.V),
			"%d gaps one by one, the longest %v; the figures have %d, %v", known, longest, f.Gaps.N, f.Longest)
	})
}
