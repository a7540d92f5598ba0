package watchstat

import (
	"tokscope/metrics"
	"tokscope/metrics/history"
)

// Figure is one of the figures that a watch follows. Lower is better for all.
type Figure uint8

// The figures. All but Failures are times in ms. Queue and Prefill are the
// server's own and unknown where it does not report them.
const (
	Connect  Figure = iota // name lookup, TCP and TLS of a new connection
	Queue                  // in the server, before the prompt
	Prefill                // of the prompt, in the server
	TTFT                   // sent to the first token: queue, prefill and the rest
	TPOT                   // per output token after the first
	Stall                  // the longest gap
	Total                  // sent to the last chunk
	Failures               // probes that did not end well
	// Figures is their number, Timed that of the times.
	Figures = 8
	Timed   = 7
)

// String returns the figure's name in JSON.
func (f Figure) String() string {
	return [Figures]string{"connect", "queue", "prefill", "ttft", "tpot", "longest_gap", "total", "failures"}[f]
}

// ValuesOf returns the times of an entry, by Figure below Timed. A failed request
// has none.
func ValuesOf(e *history.Entry) (out [Timed]metrics.Value) {
	if e.Failed > 0 {
		return out
	}
	for i, f := range [Timed]history.Figure{Queue: history.Queue, Prefill: history.Prefill,
		TTFT: history.TTFT, TPOT: history.TPOT, Stall: history.Longest, Total: history.Total} {
		out[i] = e.Figures[f]
	}
	out[Connect] = metrics.Unknown(metrics.WhyReused)
	for _, f := range []history.Figure{history.DNS, history.TCP, history.TLS} {
		if v := e.Figures[f]; v.OK {
			out[Connect] = metrics.Known(out[Connect].V+v.V, 1)
		}
	}
	return out
}
