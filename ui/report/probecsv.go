package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// runColumn is one column of the CSV of a probe: its heading, and the cell of a
// request.
type runColumn struct {
	name string
	of   func(r *metrics.Run) string
}

// runColumns are the columns of `probe --csv`. Figures have the names of the
// JSON document. An unknown figure is an empty cell.
var runColumns = []runColumn{
	{"id", func(r *metrics.Run) string { return strconv.Itoa(r.Stream.ID) }},
	{"started", func(r *metrics.Run) string {
		if r.Stream.Wall.IsZero() {
			return ""
		}
		return r.Stream.Wall.UTC().Format(time.RFC3339Nano)
	}},
	{"state", func(r *metrics.Run) string { return r.Stream.State.String() }},
	{"fault", ofFault(func(f *metrics.Fault) string { return string(f.Kind) })},
	{"http_status", ofFault(func(f *metrics.Fault) string {
		if f.Status == 0 {
			return ""
		}
		return strconv.Itoa(f.Status)
	})},
	{"ttfb_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.TTFB })},
	{"ttfe_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.TTFE })},
	{"ttft_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.TTFT })},
	{"ttfc_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.TTFC })},
	{"first_ink_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.FirstInk })},
	{"total_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Total })},
	{"trailer_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Trailer })},
	{"tpot_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.TPOT })},
	{"speed_tok_per_s", ofRun(func(f *metrics.Figures) metrics.Value { return f.Speed })},
	{"peak_tok_per_s", ofRun(func(f *metrics.Figures) metrics.Value { return f.Peak })},
	{"chunks_per_s", ofRun(func(f *metrics.Figures) metrics.Value { return f.ChunkSpeed })},
	{"gap_p50_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Gaps.P50 })},
	{"gap_p95_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Gaps.P95 })},
	{"gap_p99_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Gaps.P99 })},
	{"gap_p99_low_ms", ofRun(func(f *metrics.Figures) metrics.Value {
		return boundOf(f.Gaps.P99, f.Gaps.Missing.P99.Low, f.Gaps.Missing.N)
	})},
	{"gap_p99_high_ms", ofRun(func(f *metrics.Figures) metrics.Value {
		return boundOf(f.Gaps.P99, f.Gaps.Missing.P99.High, f.Gaps.Missing.N)
	})},
	{"gap_mean_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Gaps.Mean })},
	{"gap_stddev_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Gaps.StdDev })},
	{"gaps", func(r *metrics.Run) string { return strconv.Itoa(r.Figures.Gaps.N) }},
	{"gaps_unknown", func(r *metrics.Run) string { return strconv.Itoa(r.Figures.GapsUnknown) }},
	{"longest_gap_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Longest })},
	{"gaps_over_1s", ofRun(func(f *metrics.Figures) metrics.Value { return f.LongGaps })},
	{"stalls", func(r *metrics.Run) string { return strconv.Itoa(len(r.Figures.Stalls)) }},
	{"stall_cost_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.StallCost })},
	{"stall_cost_share", ofRun(func(f *metrics.Figures) metrics.Value { return f.StallShare })},
	{"prompt_tokens", ofRun(func(f *metrics.Figures) metrics.Value { return f.PromptTokens })},
	{"cached_tokens", ofRun(func(f *metrics.Figures) metrics.Value { return f.CachedTokens })},
	{"output_tokens", ofRun(func(f *metrics.Figures) metrics.Value { return f.Tokens })},
	{"output_tokens_source", func(r *metrics.Run) string {
		if !r.Figures.Tokens.OK {
			return ""
		}
		return r.Figures.TokenSource.String()
	}},
	{"reasoning_tokens", ofRun(func(f *metrics.Figures) metrics.Value { return f.ReasonTokens })},
	{"chunks", func(r *metrics.Run) string { return strconv.Itoa(r.Figures.Chunks) }},
	{"tokens_per_chunk", ofRun(func(f *metrics.Figures) metrics.Value { return f.TokensPerChunk })},
	{"prefill_tok_per_s", ofRun(func(f *metrics.Figures) metrics.Value { return f.PrefillSpeed })},
	{"server_ttft_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.ServerTTFT })},
	{"server_speed_tok_per_s", ofRun(func(f *metrics.Figures) metrics.Value { return f.ServerSpeed })},
	{"below_reading_share", ofRun(func(f *metrics.Figures) metrics.Value { return f.BelowReading })},
	{"dns_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.DNS })},
	{"tcp_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.TCP })},
	{"tls_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.TLS })},
	{"send_ms", ofRun(func(f *metrics.Figures) metrics.Value { return f.Send })},
	{"reused", func(r *metrics.Run) string { return strconv.FormatBool(r.Stream.Conn.Reused) }},
	{"protocol", func(r *metrics.Run) string { return sanitize.CSV(r.Stream.Conn.Proto) }},
	{"stamps", func(r *metrics.Run) string { return r.Stream.Stamps.String() }},
	{"late_share", ofRun(func(f *metrics.Figures) metrics.Value { return f.LateShare })},
	{"shared_read_share", ofRun(func(f *metrics.Figures) metrics.Value { return f.SharedShare })},
	{"suspect", suspects},
	{"cost", func(r *metrics.Run) string { return csvNumber(metrics.Cost(&r.Stream, &r.Figures)) }},
	{"endpoint", func(r *metrics.Run) string { return sanitize.CSV(r.Stream.Endpoint.Name) }},
	{"model", func(r *metrics.Run) string { return sanitize.CSV(r.Stream.Endpoint.Model) }},
	{"answered_model", func(r *metrics.Run) string { return sanitize.CSV(r.Stream.Model) }},
	{"workload", func(r *metrics.Run) string { return sanitize.CSV(r.Stream.Work.Name) }},
	{"url", func(r *metrics.Run) string { return sanitize.CSV(r.Stream.Endpoint.URL) }},
	{"request_id", func(r *metrics.Run) string { return sanitize.CSV(r.Stream.RequestID) }},
}

// ofRun returns a column of one figure of a request.
func ofRun(of func(*metrics.Figures) metrics.Value) func(*metrics.Run) string {
	return func(r *metrics.Run) string { return csvNumber(of(&r.Figures)) }
}

// ofFault returns a column about the fault, empty without one.
func ofFault(of func(*metrics.Fault) string) func(*metrics.Run) string {
	return func(r *metrics.Run) string {
		if r.Stream.Fault == nil {
			return ""
		}
		return of(r.Stream.Fault)
	}
}

// suspects are the codes of the doubts about a request's figures.
func suspects(r *metrics.Run) string {
	text := ""
	for i := range r.Figures.Suspect {
		if i > 0 {
			text += " "
		}
		text += string(r.Figures.Suspect[i].Code)
	}
	return text
}

// ProbeCSV prints a heading and a line for each request, failed ones included.
func ProbeCSV(w io.Writer, runs []metrics.Run) error {
	c := csv.NewWriter(w)
	cells := make([]string, len(runColumns))
	for i, col := range runColumns {
		cells[i] = col.name
	}
	if err := c.Write(cells); err != nil {
		return err
	}
	for i := range runs {
		for k, col := range runColumns {
			cells[k] = col.of(&runs[i])
		}
		if err := c.Write(cells); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
