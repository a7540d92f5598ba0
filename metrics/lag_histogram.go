package metrics

import (
	"sync/atomic"
	"time"
	"tokscope/metrics/stats"
)

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
