package metrics

import (
	"math"
	"slices"

	"tokscope/metrics/stats"
)

// Usual is what is usual for a request on this machine: what the last MostUsual good
// requests of the last 30 days had that were of the same endpoint, model, workload and
// connection, without those of the hour before it. "Good" is what the history counts in a
// baseline: ended well, and not spoiled by a proxy, a cache or tokscope. The zero Usual knows
// nothing.
type Usual struct {
	TTFT           Band   // ms
	Queue, Prefill Value  // medians of what the server reported, ms
	TPOT, Speed    Band   // where the server counted the tokens
	Tier           string // that served them, "" where the answers do not say
	Recent         int    // such requests of the last hour, which are not among them
}

// Band is where a figure of earlier requests lay. The zero Band is unknown.
type Band struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	// Low and High are the ends of the middle 98 %, see BandOf.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	// MinUsual is the least number of earlier requests that have a Band, and MostUsual
	// the number of the last ones that it is made of.
	MinUsual  = 10
	MostUsual = 100

	// usualLeast: a figure within this factor of the median is usual, however steady
	// the earlier ones were: a person does not notice less.
	usualLeast = 1.1
)

// BandOf returns the band of positive values, unknown for fewer than MinUsual. It sorts
// them.
//
// Of MostUsual values the middle 98 % ends at the least and the largest: a further one
// lies outside in 2 of 101 cases. Fewer values reach less far, so their distances from
// the median, as factors, are drawn out to where those of MostUsual would end if each
// side fell exponentially:
//
//	High = median · (largest/median)^k,  k = ln(MostUsual/2) / ln(n/2)
//
// and Low from the least. k is 2.4 for 10 values, 1.4 for 30. Where nothing changes,
// Unusual then holds for about 2 requests of 100 or fewer, and for 4 of 100 where there
// are 10 values and 1 request in 20 is an outlier (TestUsualWhereNothingChanges).
func BandOf(values []float64) Band {
	n := len(values)
	if n < MinUsual {
		return Band{}
	}
	slices.Sort(values)
	if !(values[0] > 0) || math.IsInf(values[n-1], 0) {
		return Band{}
	}
	m := stats.Quantile(values, 0.5)
	k := math.Log(MostUsual/2) / math.Log(float64(n)/2)
	return Band{N: n, Median: m, Low: m * math.Pow(values[0]/m, k), High: m * math.Pow(values[n-1]/m, k)}
}

// Known reports whether there were enough requests.
func (b *Band) Known() bool { return b.N > 0 }

// Above and Below report whether v lies outside the middle 98 % and at least 10 % off the
// median. They are false where b or v is unknown.
func (b *Band) Above(v Value) bool {
	return b.Known() && v.OK && v.V > max(b.High, b.Median*usualLeast)
}
func (b *Band) Below(v Value) bool { return b.Known() && v.OK && v.V < min(b.Low, b.Median/usualLeast) }

// Unusual reports whether v is Above or Below.
func (b *Band) Unusual(v Value) bool { return b.Above(v) || b.Below(v) }
