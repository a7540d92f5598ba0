package watchstat

import (
	"tokscope/metrics"
	"tokscope/metrics/figure"
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

// ids are the figures in the table of all.
var ids = [Figures]figure.ID{figure.Connect, figure.Queue, figure.Prefill,
	figure.TTFT, figure.TPOT, figure.Longest, figure.Total, figure.Failures}

// ID returns the figure's ID in the table of all.
func (f Figure) ID() figure.ID { return ids[f] }

// String returns the figure's name in JSON.
func (f Figure) String() string { return ids[f].String() }

// Label returns its name on screen and in text: "TTFT", "longest gap".
func (f Figure) Label() string { return ids[f].Label() }

// ValuesOf returns the times of an entry, by Figure below Timed. A failed request
// has none.
func ValuesOf(e *history.Entry) (out [Timed]metrics.Value) {
	if e.Failed > 0 {
		return out
	}
	for f := range Timed {
		if ids[f] < figure.Kept {
			out[f] = e.Figures[ids[f]]
		}
	}
	out[Connect] = figure.Sum(e.Figures[figure.DNS], e.Figures[figure.TCP], e.Figures[figure.TLS])
	return out
}
