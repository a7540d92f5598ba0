package metrics

import (
	"sync/atomic"
	"time"

	"tokscope/metrics/stats"
)

// DelayCode says which figures this program's own lateness affects. ui/format
// has the words. "" is none.
type DelayCode string

// The codes.
const (
	// DelayReads: the kernel took the stamps, but a late read brings several
	// chunks with one stamp. Gaps inside such reads have only bounds. TPOT, speed
	// and the mean gap are not affected, and neither is TTFT without First.
	DelayReads DelayCode = "shared_reads"
	// DelayStamps: this program took the stamps. TTFT and every gap may be late by
	// as much.
	DelayStamps DelayCode = "all_times"
	// DelayMixed: that is so for the chunks without a stamp of the kernel.
	DelayMixed DelayCode = "some_times"
)

// Delay is how late this program was, where that can be seen in the figures.
// The zero value: it cannot.
type Delay struct {
	Code DelayCode `json:"affects"`
	// P99 and Max are how late chunks were read after the kernel had them. Where
	// the kernel did not stamp them, or stamped most of them as one, they are how
	// late a timer woke. ms
	P99    float64 `json:"p99_ms"`
	Max    float64 `json:"max_ms"`
	Shared float64 `json:"gaps_in_reads_share"` // share (0..1) of the gaps that are inside reads
	// First: the first read of a stream had several chunks, so that its TTFT may
	// be shorter. Only of DelayReads: the other codes say it anyway.
	First bool `json:"first_read_shared,omitempty"`
}

// IsZero reports whether no lateness shows: it is absent in JSON.
func (d *Delay) IsZero() bool { return d.Code == "" }

// trust removes the bounds of distributions whose stamps may be late by d: a
// bound that rests on them could be wrong.
func (d *Delay) trust(all ...*Dist) {
	if d.Code == DelayStamps || d.Code == DelayMixed {
		for _, x := range all {
			x.Missing = Missing{Share: x.Missing.Share, N: x.Missing.N, First: x.Missing.First}
		}
	}
}

// lateness is how late this program was by a clock of its own.
type lateness struct{ p99, max float64 } // ms

// visible reports whether gaps of that distribution show it.
func (l lateness) visible(gaps *Dist) bool {
	return l.p99 > lateFloor && (!gaps.P50.OK || l.p99 > gaps.P50.V/2)
}

// DelayOf returns what the lateness o does to gaps, and removes their bounds
// where late stamps make them wrong. reads are the distances of kernel and own
// stamps; the counts of stamps in o say who took them.
func DelayOf(o *Observer, reads *LagHistogram, gaps *Dist) Delay {
	d := delayOf(o, reads.N() > 0 || o.KernelStamps > 0, o.UserStamps > 0, latenessOf(reads), gaps)
	d.trust(gaps)
	return d
}

func latenessOf(reads *LagHistogram) lateness {
	return lateness{ms(reads.Quantile(0.99)), ms(reads.Quantile(1))}
}

func delayOf(o *Observer, kernel, user bool, read lateness, gaps *Dist) Delay {
	timer := lateness{ms(o.LateP99), ms(o.LateMax)}
	d := Delay{Code: DelayReads, P99: read.p99, Max: read.max, Shared: 1 - gaps.KnownShare()}
	readsShow, timerShows := kernel && gaps.Missing.N > 0 && read.visible(gaps), user && timer.visible(gaps)
	switch {
	case user && kernel && (readsShow || timerShows):
		d.Code = DelayMixed
		if timer.p99 > read.p99 {
			d.P99, d.Max = timer.p99, timer.max
		}
	case timerShows:
		return Delay{Code: DelayStamps, P99: timer.p99, Max: timer.max, Shared: d.Shared}
	case !readsShow:
		return Delay{}
	default:
		d.First = gaps.Missing.First
	}
	return d
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// lagGrid covers 61 ns to 131 s in ms.
var lagGrid = stats.Octaves{Low: -14, High: 17, Per: 8}

const lagLen = (17 + 14) * 8 // of lagGrid

// LagHistogram counts lags in fixed memory (1 kB). Its quantiles are within 5
// % of the true ones between 61 ns and 131 s. One goroutine adds, any may
// read meanwhile, without blocking. The zero value is empty and ready.
type LagHistogram struct {
	n    atomic.Uint32
	bins [lagLen]atomic.Uint32
}

// Add counts d. One goroutine at a time may call it.
func (l *LagHistogram) Add(d time.Duration) {
	b := &l.bins[lagGrid.Bin(float64(d)/1e6)]
	b.Store(b.Load() + 1)
	l.n.Store(l.n.Load() + 1)
}

// N is how many were counted.
func (l *LagHistogram) N() int { return int(l.n.Load()) }

// Quantile returns the duration below which a share p of all lags lies; 0
// when it is empty. With few lags it returns the next larger one: their p99
// is the longest lag.
func (l *LagHistogram) Quantile(p float64) time.Duration {
	return time.Duration(lagGrid.Below(p, func(i int) int { return int(l.bins[i].Load()) }) * 1e6)
}
