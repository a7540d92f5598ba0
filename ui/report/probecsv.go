package report

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
)

// ProbeCSV writes a line for each request, failed ones included.
func ProbeCSV(w io.Writer, runs []metrics.Run) error { return writeCSV(w, runs, runCells) }

// runCells adds the cells of `probe --csv`, in the order in which they were published; a
// new figure is the last one. Figures have the names of the JSON document.
func runCells(l *csvLine, r *metrics.Run) {
	s, f := &r.Stream, &r.Figures
	fault := cmp.Or(s.Fault, &metrics.Fault{})
	figures := func(ids ...figure.ID) {
		for _, id := range ids {
			l.add(figure.Of(id).Key, figure.Of(id).Value(s, f))
		}
	}
	l.add("id", s.ID)
	l.add("started", format.If(!s.Wall.IsZero(), s.Wall.UTC().Format(time.RFC3339Nano)))
	l.add("state", s.State.String())
	l.add("fault", string(fault.Kind))
	l.add("http_status", format.Either[any](fault.Status != 0, fault.Status, ""))
	figures(figure.TTFB, figure.TTFE, figure.TTFT, figure.TTFC, figure.FirstInk, figure.Total, figure.Trailer,
		figure.TPOT, figure.Speed, figure.Peak, figure.ChunkSpeed)
	l.fields("gap_*_ms", &f.Gaps, "p50", "p95", "p99")
	l.boundsOfP99(&f.Gaps)
	l.fields("gap_*_ms", &f.Gaps, "mean", "stddev")
	l.add("gaps", f.Gaps.N)
	l.add("gaps_unknown", f.GapsUnknown)
	figures(figure.Longest, figure.LongGaps, figure.Stalls, figure.StallCost, figure.StallShare,
		figure.PromptTokens, figure.CachedTokens, figure.Tokens)
	l.add("output_tokens_source", format.If(f.Tokens.OK, f.TokenSource.String()))
	figures(figure.ReasoningTokens, figure.Chunks, figure.TokensPerChunk, figure.PrefillSpeed, figure.ServerTTFT,
		figure.ServerSpeed, figure.BelowReading, figure.DNS, figure.TCP, figure.TLS, figure.Sending)
	l.add("reused", s.Conn.Reused)
	l.add("protocol", s.Conn.Proto)
	l.add("stamps", s.Stamps.String())
	figures(figure.LateReads, figure.SharedReads)
	// The codes of the doubts about its figures.
	l.add("suspect", strings.Join(pick.Each(f.Suspect, func(s *metrics.Suspicion) string { return string(s.Code) }), " "))
	figures(figure.Cost)
	l.add("endpoint", s.Endpoint.Name)
	l.add("model", s.Endpoint.Model)
	l.add("answered_model", s.Model)
	l.add("workload", s.Work.Name)
	l.add("url", s.Endpoint.URL)
	l.add("request_id", s.RequestID)
	figures(figure.TTFA)
	l.add("audio_bytes", s.AudioBytes)
	l.add("images", s.Images)
	l.add("image_bytes", s.ImageBytes)
	l.add("api", s.Endpoint.API)
	for _, other := range figure.All() { // those that the table has for CSV
		if other.CSV && !slices.Contains(l.names, other.Key) {
			figures(other.ID)
		}
	}
	l.add("finish_reason", s.FinishReason())
}

// boundsOfP99 adds the bounds of the p99 of gaps: itself where no gap is missing.
func (l *csvLine) boundsOfP99(gaps *metrics.Dist) {
	low, high := gaps.P99, gaps.P99
	if gaps.P99.OK && gaps.Missing.N > 0 {
		low.V, high.V = gaps.Missing.P99.Low, gaps.Missing.P99.High
	}
	l.add("gap_p99_low_ms", low)
	l.add("gap_p99_high_ms", high)
}
