package loadgen

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// waits are the TTFTs of the requests whose first chunk came lately, for the
// chart of TTFT over time. It has no lock: it belongs to the series.
type waits struct {
	kept   []firstWait // in about the order in which they came
	values []float64   // scratch
}

// firstWait is the TTFT of one request, ms, and when its first chunk came.
type firstWait struct {
	at metrics.Stamp
	ms float64
}

// add counts a request. Of more than recordsKept the oldest are dropped.
func (w *waits) add(at metrics.Stamp, ms float64) {
	if len(w.kept) >= 2*recordsKept {
		w.kept = append(w.kept[:0], w.kept[len(w.kept)-recordsKept:]...)
	}
	w.kept = append(w.kept, firstWait{at, ms})
}

// clear forgets all: what is sent has changed.
func (w *waits) clear() { w.kept = w.kept[:0] }

// quantiles are those of the requests whose first chunk came within the
// loadstat.WaitsWithin before end. A percentile without enough of them is
// unknown.
func (w *waits) quantiles(end metrics.Stamp) [3]metrics.Value {
	begin := end - metrics.Stamp(loadstat.WaitsWithin)
	kept := w.kept[:0]
	w.values = w.values[:0]
	for _, x := range w.kept[max(len(w.kept)-recordsKept, 0):] {
		if x.at <= begin {
			continue
		}
		kept = append(kept, x)
		if x.at <= end {
			w.values = append(w.values, x.ms)
		}
	}
	w.kept = kept
	d := metrics.DistributionWhy(w.values, metrics.WhyNoFirstChunk)
	return [3]metrics.Value{d.P50, d.P95, d.P99}
}
