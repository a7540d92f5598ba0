package export

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestSumsEqualTheRuns compares every count with the requests themselves: any
// order, bursts, failures.
func TestSumsEqualTheRuns(t *testing.T) {
	testkit.Seed(t)
	rapid.Check(t, func(t *rapid.T) {
		all := drawRequests(t)
		e, _ := filled(t, all)
		sums := e.sums()
		got := map[int]float64{} // what the points of an instrument hold together
		total := map[int]float64{}
		for k, p := range sums.points {
			if p.dist != nil {
				got[k.instrument] += float64(p.dist.n)
				total[k.instrument] += p.dist.sum
				checkDistribution(t, p.dist)
			} else {
				got[k.instrument] += p.value
			}
		}
		want, wantTotal := expected(all)
		for id := range numInstruments {
			if in := &instruments[id]; in.kind != gauge && got[id] != want[id] {
				t.Fatalf("%s holds %v, the requests have %v", in.name, got[id], want[id])
			}
		}
		for id, x := range wantTotal {
			if math.Abs(total[id]-x) > 1e-9*(1+x) {
				t.Fatalf("%s sums to %v s, the requests to %v s", instruments[id].name, total[id], x)
			}
		}
		read(t, string(pageOf(sums, "v1", false)), false)
		read(t, string(pageOf(sums, "v1", true)), true)
		backwards := slices.Clone(all)
		slices.Reverse(backwards)
		other, _ := filled(t, backwards)
		if a, b := withoutGauges(sums), withoutGauges(other.sums()); !bytes.Equal(pageOf(a, "v1", false),
			pageOf(b, "v1", false)) {
			t.Fatalf("the order of the requests changes the sums:\n%s\n%s", pageOf(a, "v1", false), pageOf(b, "v1", false))
		}
	})
}

// expected counts the requests by hand.
func expected(all []request) (n, total map[int]float64) {
	n, total = map[int]float64{}, map[int]float64{}
	ms := func(id int, v metrics.Value) {
		if v.OK {
			n[id]++
			total[id] += v.V / 1000
		}
	}
	for i := range all {
		s, f := &all[i].s, &all[i].f
		n[requests]++
		n[opDuration]++
		total[opDuration] += float64(s.Marks.End-s.Marks.Start) / 1e9
		n[chunks] += float64(f.Chunks)
		n[suspects] += float64(len(f.Suspect))
		if f.PromptTokens.OK && s.Usage.Prompt >= 0 {
			n[tokenUsage]++
			n[tokens] += f.PromptTokens.V
		}
		if f.Tokens.OK && f.TokenSource == metrics.TokensUsage {
			n[tokenUsage]++
			n[tokens] += f.Tokens.V
		}
		if s.State == metrics.Failed || s.State == metrics.Truncated {
			n[failures]++
		}
		if s.State != metrics.Done {
			continue
		}
		n[opFirstChunk]++
		n[opPerChunk] += float64(f.Gaps.N)
		n[gapsUnknown] += float64(f.GapsUnknown)
		n[stalls] += float64(len(f.Stalls))
		ms(ttfb, f.TTFB)
		ms(ttft, f.TTFT)
		ms(ttfc, f.TTFC)
		ms(tpot, f.TPOT)
		ms(lastChunk, f.Total)
		ms(longestGap, f.Longest)
		for _, v := range []metrics.Value{f.DNS, f.TCP, f.TLS, f.Send, f.Total} {
			ms(phase, v)
		}
		if f.Total.OK { // it stood for decode
			total[phase] -= f.TTFT.V / 1000
		}
	}
	return n, total
}

// withoutGauges returns t without gauges, whose last value depends on the order,
// and without sums, which rounding changes.
func withoutGauges(t *table) *table {
	for k, p := range t.points {
		if instruments[k.instrument].kind == gauge {
			delete(t.points, k)
		} else if p.dist != nil {
			p.dist.sum = 0
		}
	}
	return t
}

// checkDistribution holds that both kinds of buckets have every value.
func checkDistribution(t *rapid.T, d *distribution) {
	var explicit, exponential uint64
	for _, n := range d.counts {
		explicit += n
	}
	for _, n := range d.exp.counts {
		exponential += n
	}
	if exponential += d.exp.zero; explicit != d.n || exponential != d.n || d.exp.last-d.exp.first >= maxBuckets {
		t.Fatalf("%d values: %d in buckets, %d in %d exponential ones", d.n, explicit, exponential, len(d.exp.counts))
	}
	if len(d.exp.counts) == 0 {
		return
	}
	edge := func(i int) float64 { return math.Exp2(math.Ldexp(float64(i), -d.exp.scale)) }
	lo, hi := edge(d.exp.first), edge(d.exp.last+1)
	testkit.Given(t, d.max <= hi*(1+1e-9) && (d.min <= 0 || d.min >= lo*(1-1e-9)),
		"values from %v to %v lie outside of the buckets from %v to %v", d.min, d.max, lo, hi)
}

// TestBuckets checks exponential buckets against their definition.
func TestBuckets(t *testing.T) {
	testkit.Seed(t)
	rapid.Check(t, func(t *rapid.T) {
		v := math.Exp2(rapid.Float64Range(-40, 20).Draw(t, "log"))
		if rapid.Bool().Draw(t, "power") {
			v = math.Exp2(math.Round(math.Log2(v)))
		}
		scale := rapid.IntRange(minScale, maxScale).Draw(t, "scale")
		i := bucketOf(v, scale)
		lo, hi := math.Exp2(math.Ldexp(float64(i), -scale)), math.Exp2(math.Ldexp(float64(i+1), -scale))
		testkit.Given(t, v > lo*(1-1e-12) && v <= hi*(1+1e-12),
			"%v is in bucket %d of scale %d, from %v to %v", v, i, scale, lo, hi)
		if scale > minScale && bucketOf(v, scale-1) != i>>1 {
			t.Fatalf("%v: bucket %d of scale %d does not lie in bucket %d of the next lower one", v, i, scale,
				bucketOf(v, scale-1))
		}
	})
	for i, v := range []float64{1, 2, 4, 0.5} { // an upper edge belongs to its bucket
		testkit.Is(t, bucketOf(v, 0), []int{-1, 0, 1, -2}[i], v, "is in bucket")
	}
}

// TestMerge holds that sums of spans merge to the sums of the whole time.
func TestMerge(t *testing.T) {
	testkit.Seed(t)
	rapid.Check(t, func(t *rapid.T) {
		var whole, merged exponential
		whole, merged = newExponential(), newExponential()
		for range rapid.IntRange(1, 5).Draw(t, "spans") {
			part := newExponential()
			for range rapid.IntRange(0, 40).Draw(t, "values") {
				v := math.Exp2(rapid.Float64Range(-20, 12).Draw(t, "log"))
				whole.add(v)
				part.add(v)
			}
			merged.merge(&part)
		}
		shift := whole.scale - merged.scale
		whole.lower(shift)
		merged.lower(-shift)
		o, a := whole.buckets()
		p, b := merged.buckets()
		testkit.Given(t, o == p && slices.Equal(a, b), "scale %d: %d %v, merged %d %v", whole.scale, o, a, p, b)
	})
}

// TestSizeIsBounded holds that neither names nor classes from outside make the
// sums grow without bound.
func TestSizeIsBounded(t *testing.T) {
	e, _ := filled(t, nil)
	for i := range 500 {
		name := string(rune('a'+i%26)) + string(rune('a'+i/26))
		r := played(answer{id: i, endpoint: name, model: name, preset: "chat", chunks: []float64{10, 20}, prompt: 3,
			output: 2})
		e.Add(&r.s, &r.f)
	}
	for i := range 500 {
		kind := metrics.FaultKind([]rune{'a' + rune(i%26), 'a' + rune(i/26)})
		r := played(answer{id: i, endpoint: "aa", model: "aa", preset: "chat", fault: &metrics.Fault{Kind: kind}, prompt: -1,
			output: -1})
		e.Add(&r.s, &r.f)
	}
	sums := e.sums()
	testkit.Is(t, len(sums.series), maxSeries, "series")
	classes, n := 0, 0.0
	for k, p := range sums.points {
		if k.instrument == failures {
			classes++
			n += p.value
		}
	}
	testkit.That(t, classes <= 2*(maxExtra+1) && n == 500,
		"%d classes of failures with %v requests, want at most %d with 500", classes, n, 2*(maxExtra+1))
}
