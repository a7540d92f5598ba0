package stats

import (
	"cmp"
	"math"
	"slices"
)

// Pairs holds one figure of a race of two: for each pair the logarithm of second
// over first. A lower figure is better. The zero value is an empty race. It is
// not safe for concurrent use.
type Pairs struct {
	logs    []float64 // in the order of the race; infinite where one lane failed
	sorted  []float64 // the same, ascending
	wins    int       // of the first lane
	losses  int
	ties    int
	left    int // pairs without the figure in both lanes
	began   int // decided pairs: for the bias of the order
	leading int // of those, won by the lane that ran first
}

// Add adds a pair. +Inf stands for a lane that failed, where failing counts as
// slower than any success. A pair without the figure in both lanes (NaN), one in
// which both failed, and figures that are not positive are left out and counted.
// firstBegan reports that the first lane ran before the second.
func (p *Pairs) Add(first, second float64, firstBegan bool) {
	if !(first > 0) || !(second > 0) || math.IsInf(first, 1) && math.IsInf(second, 1) {
		p.left++
		return
	}
	l := math.Log(second) - math.Log(first)
	p.logs = append(p.logs, l)
	i, _ := slices.BinarySearch(p.sorted, l)
	p.sorted = slices.Insert(p.sorted, i, l)
	switch {
	case l > 0:
		p.wins++
	case l < 0:
		p.losses++
	default:
		p.ties++
		return
	}
	p.began++
	if (l > 0) == firstBegan {
		p.leading++
	}
}

// Standing is what the pairs so far say of one figure.
type Standing struct {
	// Faster is 1 if the first lane is faster, whenever one stops, and -1 if the
	// second is; 0: neither is settled, or Equal.
	Faster int
	// Equal reports that the whole interval of the ratio lies within the band of
	// equivalence.
	Equal bool
	// N pairs have the figure in both lanes. Of them Wins were won by the first
	// lane, Losses by the second. Left pairs lack the figure.
	N      int `json:"pairs"`
	Wins   int `json:"won_a"`
	Losses int `json:"won_b"`
	Ties   int `json:"ties"`
	Left   int `json:"left_out"`
	// Ratio is the median of second over first; above 1 the first is faster. Lo
	// and Hi are its confidence sequence: Lo is 0 or Hi is +Inf while it is not
	// bounded. Ratio is NaN without a pair.
	Ratio float64 `json:"ratio" form:"null=nan"`
	Lo    float64 `json:"ratio_low" form:"null=zero"`
	Hi    float64 `json:"ratio_high" form:"null=nan"`
	// Needs is the number of pairs below which nothing can be settled.
	Needs int `json:"needs_pairs"`
	// More is about how many more pairs a winner takes if the pairs go on as they
	// did; 0: settled, or not within Horizon.
	More int
	// MoreEqual is the same for equality within the band.
	MoreEqual int
	// Lag1 is the autocorrelation of neighboring pairs, NaN below 8 pairs. It is
	// corrected for the length of the series (Marriott and Pope, 1954).
	Lag1 float64 `json:"lag1" form:"null=nan"`
	// Counted is the number of independent pairs that the N pairs count as: fewer
	// where neighbors are alike.
	Counted int `json:"pairs_counted"`
	// OrderBias reports that running first or second decides, by a confidence
	// sequence at the same level. OrderShare is the share of decided pairs that
	// the lane won which ran first; NaN without one.
	OrderBias  bool    `json:"order_bias"`
	OrderShare float64 `json:"won_by_first" form:"null=nan"`
}

// Limits of a standing.
const (
	// Horizon is the number of pairs beyond which no forecast is given.
	Horizon = 2000
	// FewPairs is the number of pairs below which nobody can tell how alike
	// neighboring pairs are: 2/sqrt(44) is above MaxLag1, so that independent ones
	// look too much alike in more than one of 40 series.
	FewPairs = 45
	// MaxLag1 is the autocorrelation of neighboring pairs above which a correction
	// for it is doubtful.
	MaxLag1 = 0.3
)

// Standing judges the pairs at level alpha. band is the region of practical
// equivalence as a ratio: with 1.03 differences below 3 % are not worth naming.
// A band of 1 or less asks for none.
//
// The level holds over all looks at this figure. Who asks for several figures or
// pairs of lanes splits it: see [Split].
//
// It holds whatever the lanes have in common in one pair. Lanes that drift on
// their own make neighboring pairs alike, and each then says less. From [FewPairs]
// on n pairs with an autocorrelation r above 0 count as n (1-r)/(1+r), which is
// the number of independent values with the same variance of their mean if r falls
// off as r^k (Bayley and Hammersley, Supplement to the Journal of the Royal
// Statistical Society 8, 1946). Below FewPairs r is not known, and above [MaxLag1]
// too uncertain: the verdict then holds for the time of the race alone.
func (p *Pairs) Standing(alpha, band float64) Standing {
	n := len(p.logs)
	v := Standing{
		N: n, Wins: p.wins, Losses: p.losses, Ties: p.ties, Left: p.left, Needs: QuantileNeeds(0.5, alpha),
		Ratio: math.NaN(), OrderShare: math.NaN(),
	}
	// Of a short series it is too low by (1+4r)/n (Marriott and Pope, Biometrika 41,
	// 1954).
	v.Lag1 = Lag1(p.logs)
	v.Lag1 = min(v.Lag1+(1+4*v.Lag1)/float64(max(n, 1)), 1)
	weight := weightOf(v.Lag1, n)
	v.Counted = counted(n, weight)
	lo, hi := quantileInterval(p.sorted, 0.5, alpha, v.Counted)
	v.Lo, v.Hi = math.Exp(lo), math.Exp(hi)
	if n > 0 {
		v.Ratio = math.Exp(Quantile(p.sorted, 0.5))
	}
	if p.began > 0 {
		v.OrderShare = float64(p.leading) / float64(p.began)
		v.OrderBias = Rejects(p.leading, p.began, 0.5, alpha) // the order is drawn: no correlation
	}
	winner := wins(max(p.wins, p.losses), p.wins+p.losses, alpha, weight)
	switch {
	case band > 1 && v.Lo >= 1/band && v.Hi <= band:
		v.Equal = true
	case winner:
		v.Faster = cmp.Compare(p.wins, p.losses)
	}
	if !v.Equal && v.Faster == 0 {
		v.More = p.more(alpha, weight)
		v.MoreEqual = p.moreEqual(alpha, band, weight)
	}
	return v
}

// weightOf returns how many independent pairs one of n pairs counts as.
func weightOf(lag1 float64, n int) float64 {
	if n < FewPairs || !(lag1 > 0) {
		return 1
	}
	return (1 - lag1) / (1 + lag1)
}

// counted returns how many independent pairs n pairs of a weight count as.
func counted(n int, weight float64) int { return int(float64(n) * weight) }

// wins reports whether the leader of n decided pairs of a weight is settled: its
// share is one that as many independent pairs would reject.
func wins(leader, n int, alpha, weight float64) bool {
	m := counted(n, weight)
	_, most := Counts(m, 0.5, alpha)
	return leader*m > most*n
}

// more returns how many further pairs settle a winner if the share of wins stays.
func (p *Pairs) more(alpha, weight float64) int {
	n := p.wins + p.losses
	if n == 0 {
		return 0
	}
	leader := max(p.wins, p.losses)
	share := float64(leader) / float64(n)
	return withinHorizon(func(more int) bool {
		return wins(leader+int(math.Round(share*float64(more))), n+more, alpha, weight)
	})
}

// withinHorizon returns the smallest number of further pairs for which yes holds, 0 if that
// is more than Horizon. yes holds from there on.
func withinHorizon(yes func(more int) bool) int {
	m := lowest(1, Horizon+1, func(more int) bool { return more > Horizon || yes(more) })
	return m % (Horizon + 1)
}

// moreEqual returns how many further pairs bring the interval of the ratio into
// the band if the ratios stay distributed as they are.
func (p *Pairs) moreEqual(alpha, band, weight float64) int {
	n := len(p.sorted)
	if band <= 1 || n == 0 {
		return 0
	}
	edge := math.Log(band)
	return withinHorizon(func(more int) bool {
		all := counted(n+more, weight)
		l, h := Counts(all, 0.5, alpha)
		if l == 0 || h == all {
			return false
		}
		return at(p.sorted, float64(l)/float64(all)) >= -edge && at(p.sorted, float64(h+1)/float64(all)) <= edge
	})
}

// at returns the empirical quantile q of ascending values: the smallest whose
// share is at least q.
func at(ascending []float64, q float64) float64 {
	i := int(math.Ceil(q*float64(len(ascending)))) - 1
	return ascending[min(max(i, 0), len(ascending)-1)]
}

// Split returns the level of one verdict when verdicts on so many figures of so
// many lanes shall hold together at level alpha: alpha over figures times pairs
// of lanes (Bonferroni).
func Split(alpha float64, figures, lanes int) float64 {
	return alpha / float64(max(figures*lanes*(lanes-1)/2, 1))
}

// Lag1 returns the autocorrelation of neighbors in the series, without infinite
// values and NaN. It is NaN with fewer than 8 values, and with values that are equal
// but for errors of rounding.
func Lag1(series []float64) float64 {
	xs := make([]float64, 0, len(series))
	sum, size := 0.0, 0.0
	for _, x := range series {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			xs = append(xs, x)
			sum += x
			size += x * x
		}
	}
	if len(xs) < 8 {
		return math.NaN()
	}
	mean := sum / float64(len(xs))
	var both, square float64
	for i, x := range xs {
		square += (x - mean) * (x - mean)
		if i > 0 {
			both += (x - mean) * (xs[i-1] - mean)
		}
	}
	if square <= 1e-24*size {
		return math.NaN()
	}
	return both / square
}
