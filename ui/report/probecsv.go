package report

import (
	"io"
	"time"

	"tokscope/metrics"
)

// runColumns are the columns of `probe --csv`. Figures have the names of the
// JSON document. An unknown figure is an empty cell.
var runColumns = []csvColumn[*metrics.Run]{
	{"id", func(r *metrics.Run) any { return r.Stream.ID }},
	{"started", func(r *metrics.Run) any {
		if r.Stream.Wall.IsZero() {
			return ""
		}
		return r.Stream.Wall.UTC().Format(time.RFC3339Nano)
	}},
	{"state", func(r *metrics.Run) any { return r.Stream.State.String() }},
	{"fault", ofFault(func(f *metrics.Fault) any { return string(f.Kind) })},
	{"http_status", ofFault(func(f *metrics.Fault) any {
		if f.Status == 0 {
			return ""
		}
		return f.Status
	})},
	{"ttfb_ms", func(r *metrics.Run) any { return r.Figures.TTFB }},
	{"ttfe_ms", func(r *metrics.Run) any { return r.Figures.TTFE }},
	{"ttft_ms", func(r *metrics.Run) any { return r.Figures.TTFT }},
	{"ttfc_ms", func(r *metrics.Run) any { return r.Figures.TTFC }},
	{"first_ink_ms", func(r *metrics.Run) any { return r.Figures.FirstInk }},
	{"total_ms", func(r *metrics.Run) any { return r.Figures.Total }},
	{"trailer_ms", func(r *metrics.Run) any { return r.Figures.Trailer }},
	{"tpot_ms", func(r *metrics.Run) any { return r.Figures.TPOT }},
	{"speed_tok_per_s", func(r *metrics.Run) any { return r.Figures.Speed }},
	{"peak_tok_per_s", func(r *metrics.Run) any { return r.Figures.Peak }},
	{"chunks_per_s", func(r *metrics.Run) any { return r.Figures.ChunkSpeed }},
	{"gap_p50_ms", func(r *metrics.Run) any { return r.Figures.Gaps.P50 }},
	{"gap_p95_ms", func(r *metrics.Run) any { return r.Figures.Gaps.P95 }},
	{"gap_p99_ms", func(r *metrics.Run) any { return r.Figures.Gaps.P99 }},
	{"gap_p99_low_ms", func(r *metrics.Run) any {
		return boundOf(r.Figures.Gaps.P99, r.Figures.Gaps.Missing.P99.Low, r.Figures.Gaps.Missing.N)
	}},
	{"gap_p99_high_ms", func(r *metrics.Run) any {
		return boundOf(r.Figures.Gaps.P99, r.Figures.Gaps.Missing.P99.High, r.Figures.Gaps.Missing.N)
	}},
	{"gap_mean_ms", func(r *metrics.Run) any { return r.Figures.Gaps.Mean }},
	{"gap_stddev_ms", func(r *metrics.Run) any { return r.Figures.Gaps.StdDev }},
	{"gaps", func(r *metrics.Run) any { return r.Figures.Gaps.N }},
	{"gaps_unknown", func(r *metrics.Run) any { return r.Figures.GapsUnknown }},
	{"longest_gap_ms", func(r *metrics.Run) any { return r.Figures.Longest }},
	{"gaps_over_1s", func(r *metrics.Run) any { return r.Figures.LongGaps }},
	{"stalls", func(r *metrics.Run) any { return len(r.Figures.Stalls) }},
	{"stall_cost_ms", func(r *metrics.Run) any { return r.Figures.StallCost }},
	{"stall_cost_share", func(r *metrics.Run) any { return r.Figures.StallShare }},
	{"prompt_tokens", func(r *metrics.Run) any { return r.Figures.PromptTokens }},
	{"cached_tokens", func(r *metrics.Run) any { return r.Figures.CachedTokens }},
	{"output_tokens", func(r *metrics.Run) any { return r.Figures.Tokens }},
	{"output_tokens_source", func(r *metrics.Run) any {
		if !r.Figures.Tokens.OK {
			return ""
		}
		return r.Figures.TokenSource.String()
	}},
	{"reasoning_tokens", func(r *metrics.Run) any { return r.Figures.ReasonTokens }},
	{"chunks", func(r *metrics.Run) any { return r.Figures.Chunks }},
	{"tokens_per_chunk", func(r *metrics.Run) any { return r.Figures.TokensPerChunk }},
	{"prefill_tok_per_s", func(r *metrics.Run) any { return r.Figures.PrefillSpeed }},
	{"server_ttft_ms", func(r *metrics.Run) any { return r.Figures.ServerTTFT }},
	{"server_speed_tok_per_s", func(r *metrics.Run) any { return r.Figures.ServerSpeed }},
	{"below_reading_share", func(r *metrics.Run) any { return r.Figures.BelowReading }},
	{"dns_ms", func(r *metrics.Run) any { return r.Figures.DNS }},
	{"tcp_ms", func(r *metrics.Run) any { return r.Figures.TCP }},
	{"tls_ms", func(r *metrics.Run) any { return r.Figures.TLS }},
	{"send_ms", func(r *metrics.Run) any { return r.Figures.Send }},
	{"reused", func(r *metrics.Run) any { return r.Stream.Conn.Reused }},
	{"protocol", func(r *metrics.Run) any { return r.Stream.Conn.Proto }},
	{"stamps", func(r *metrics.Run) any { return r.Stream.Stamps.String() }},
	{"late_share", func(r *metrics.Run) any { return r.Figures.LateShare }},
	{"shared_read_share", func(r *metrics.Run) any { return r.Figures.SharedShare }},
	{"suspect", suspects},
	{"cost", func(r *metrics.Run) any { return metrics.Cost(&r.Stream, &r.Figures) }},
	{"endpoint", func(r *metrics.Run) any { return r.Stream.Endpoint.Name }},
	{"model", func(r *metrics.Run) any { return r.Stream.Endpoint.Model }},
	{"answered_model", func(r *metrics.Run) any { return r.Stream.Model }},
	{"workload", func(r *metrics.Run) any { return r.Stream.Work.Name }},
	{"url", func(r *metrics.Run) any { return r.Stream.Endpoint.URL }},
	{"request_id", func(r *metrics.Run) any { return r.Stream.RequestID }},
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

// suspects are the codes of the doubts about a request's figures.
func suspects(r *metrics.Run) any {
	text := ""
	for i := range r.Figures.Suspect {
		if i > 0 {
			text += " "
		}
		text += string(r.Figures.Suspect[i].Code)
	}
	return text
}

// ProbeCSV writes a line for each request, failed ones included.
func ProbeCSV(w io.Writer, runs []metrics.Run) error {
	rows := make([]*metrics.Run, len(runs))
	for i := range runs {
		rows[i] = &runs[i]
	}
	return writeCSV(w, runColumns, rows)
}
