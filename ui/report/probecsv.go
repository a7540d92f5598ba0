package report

import (
	"io"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
)

// runColumns are the columns of `probe --csv`, in the order in which they were
// published; a new figure is the last one. Figures have the names of the JSON
// document. An unknown figure is an empty cell.
var runColumns = append(withOthers(slices.Concat(
	[]runColumn{
		{"id", func(r *metrics.Run) any { return r.Stream.ID }},
		{"started", func(r *metrics.Run) any {
			return format.If(!r.Stream.Wall.IsZero(), r.Stream.Wall.UTC().Format(time.RFC3339Nano))
		}},
		{"state", func(r *metrics.Run) any { return r.Stream.State.String() }},
		{"fault", ofFault(func(f *metrics.Fault) any { return string(f.Kind) })},
		{"http_status", ofFault(func(f *metrics.Fault) any { return format.Either[any](f.Status != 0, f.Status, "") })},
	},
	ofFigures(figure.TTFB, figure.TTFE, figure.TTFT, figure.TTFC, figure.FirstInk, figure.Total, figure.Trailer,
		figure.TPOT, figure.Speed, figure.Peak, figure.ChunkSpeed),
	[]runColumn{
		{"gap_p50_ms", func(r *metrics.Run) any { return r.Figures.Gaps.P50 }},
		{"gap_p95_ms", func(r *metrics.Run) any { return r.Figures.Gaps.P95 }},
		{"gap_p99_ms", func(r *metrics.Run) any { return r.Figures.Gaps.P99 }},
		{"gap_p99_low_ms", func(r *metrics.Run) any { return boundOfP99(&r.Figures.Gaps, r.Figures.Gaps.Missing.P99.Low) }},
		{"gap_p99_high_ms", func(r *metrics.Run) any { return boundOfP99(&r.Figures.Gaps, r.Figures.Gaps.Missing.P99.High) }},
		{"gap_mean_ms", func(r *metrics.Run) any { return r.Figures.Gaps.Mean }},
		{"gap_stddev_ms", func(r *metrics.Run) any { return r.Figures.Gaps.StdDev }},
		{"gaps", func(r *metrics.Run) any { return r.Figures.Gaps.N }},
		{"gaps_unknown", func(r *metrics.Run) any { return r.Figures.GapsUnknown }},
	},
	ofFigures(figure.Longest, figure.LongGaps, figure.Stalls, figure.StallCost, figure.StallShare,
		figure.PromptTokens, figure.CachedTokens, figure.Tokens),
	[]runColumn{{"output_tokens_source", func(r *metrics.Run) any {
		return format.If(r.Figures.Tokens.OK, r.Figures.TokenSource.String())
	}}},
	ofFigures(figure.ReasoningTokens, figure.Chunks, figure.TokensPerChunk, figure.PrefillSpeed, figure.ServerTTFT,
		figure.ServerSpeed, figure.BelowReading, figure.DNS, figure.TCP, figure.TLS, figure.Sending),
	[]runColumn{
		{"reused", func(r *metrics.Run) any { return r.Stream.Conn.Reused }},
		{"protocol", func(r *metrics.Run) any { return r.Stream.Conn.Proto }},
		{"stamps", func(r *metrics.Run) any { return r.Stream.Stamps.String() }},
	},
	ofFigures(figure.LateReads, figure.SharedReads),
	[]runColumn{{"suspect", func(r *metrics.Run) any { // the codes of the doubts about its figures
		return strings.Join(pick.Each(r.Figures.Suspect, func(s *metrics.Suspicion) string { return string(s.Code) }), " ")
	}}},
	ofFigures(figure.Cost),
	[]runColumn{
		{"endpoint", func(r *metrics.Run) any { return r.Stream.Endpoint.Name }},
		{"model", func(r *metrics.Run) any { return r.Stream.Endpoint.Model }},
		{"answered_model", func(r *metrics.Run) any { return r.Stream.Model }},
		{"workload", func(r *metrics.Run) any { return r.Stream.Work.Name }},
		{"url", func(r *metrics.Run) any { return r.Stream.Endpoint.URL }},
		{"request_id", func(r *metrics.Run) any { return r.Stream.RequestID }},
	},
	ofFigures(figure.TTFA),
	[]runColumn{
		{"audio_bytes", func(r *metrics.Run) any { return r.Stream.AudioBytes }},
		{"images", func(r *metrics.Run) any { return r.Stream.Images }},
		{"image_bytes", func(r *metrics.Run) any { return r.Stream.ImageBytes }},
		{"api", func(r *metrics.Run) any { return r.Stream.Endpoint.API }},
	},
)), runColumn{"finish_reason", func(r *metrics.Run) any { return r.Stream.FinishReason() }})

// runColumn is a column of `probe --csv`.
type runColumn = csvColumn[*metrics.Run]

// ofFigures returns the columns of figures.
func ofFigures(ids ...figure.ID) (out []runColumn) {
	for _, id := range ids {
		f := figure.Of(id)
		out = append(out, runColumn{f.Key, func(r *metrics.Run) any { return f.Value(&r.Stream, &r.Figures) }})
	}
	return out
}

// withOthers appends the columns of figures that the table has for CSV and that have
// none yet.
func withOthers(columns []runColumn) []runColumn {
	for _, f := range figure.All() {
		if f.CSV && !slices.ContainsFunc(columns, func(c runColumn) bool { return c.name == f.Key }) {
			columns = append(columns, ofFigures(f.ID)...)
		}
	}
	return columns
}

// ofFault returns a column about the fault, empty without one.
func ofFault(of func(*metrics.Fault) any) func(*metrics.Run) any {
	return func(r *metrics.Run) any {
		if r.Stream.Fault == nil {
			return ""
		}
		return of(r.Stream.Fault)
	}
}

// ProbeCSV writes a line for each request, failed ones included.
func ProbeCSV(w io.Writer, runs []metrics.Run) error {
	return writeCSV(w, runColumns, pick.Each(runs, itself))
}
