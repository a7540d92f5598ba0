package figures

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/probe/record"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/screen/live"
)

// codes are all codes of findings that are no doubts of metrics.
var codes = []verdict.Code{
	verdict.Failed, verdict.Truncated, verdict.Stopped, verdict.Asking, verdict.Connecting, verdict.Waiting, verdict.Silent, verdict.Connect, verdict.Retried, verdict.FirstToken,
	verdict.Speed, verdict.Stalls, verdict.Earlier, verdict.EarlierTPS, verdict.Lens, verdict.OtherModel, verdict.SharedReads, verdict.Estimated, verdict.SomeFailed, verdict.SomeStopped,
}

// ofFindings are the figures of a finding that do not stand everywhere.
var ofFindings = map[string]exception{
	"Code":     {unwalked, "It chooses the sentence, and each has a test."},
	"Evidence": {"screen, text", "JSON names the evidence; the sentence is what it shows."},
	"Grade":    {"screen, text", "It colors the sentence and orders it; JSON has the word."},
	"Owner":    {"screen, text", "The sentences name the owners that exist, and those have tests."},
	"Part":     {"screen, text", "The sentences name the parts that exist, and those have tests."},
	"Chunk":    {"screen, text", "The cursor of the scope has the number of a chunk; the sentence has its time."},
	"Running":  {"JSON", "JSON has requests that have ended."},
	"Gap":      {"screen, text, JSON", "The path of a request has its gaps in JSON; the sentence follows from counters that one number does not make."},
	"Silence":  {"JSON", "It is of a running request; JSON has those that have ended."},
	"Mixed":    {"screen, text, JSON", "It chooses a word of the sentence; the faults of the summary have their numbers."},
	"Connect":  {"JSON", "The path of a request has its connects in JSON."},
}

// finding is one with every figure that any code has. parts are the values that Part
// may have: some numbers stand beside one of them only.
func finding() verdict.Finding {
	return verdict.Finding{
		Code: verdict.Speed, Grade: verdict.Notable, Evidence: verdict.ByGaps, Ms: 270, PartMs: 210, AtMs: 96, Low: 31, High: 48, Rate: 113, Ratio: 21, N: 3, Of: 12, Chunk: 110, Part: "prefill", Name: "llama", Above: true,
		Fault: &metrics.Fault{Kind: metrics.FaultReset, Message: "the connection broke"},
	}
}

var parts = []string{"", "prefill", verdict.StageProgress, verdict.StageQueue, verdict.PartHeaders, verdict.PartLag}

// TestEveryFigureOfAFinding walks verdict.Finding: the sentence that opens the Live
// screen and the summary, and its findings in JSON. A figure stands in a place when
// one of the codes has it there.
func TestEveryFigureOfAFinding(t *testing.T) {
	t.Parallel()
	s := stream()
	figures := metrics.Measure(&s, metrics.Options{})
	walkAll(t, 20, finding(), ofFindings, func(f verdict.Finding) texts {
		out := texts{}
		for _, code := range codes {
			for _, part := range parts {
				g := f
				if g.Code == verdict.Speed {
					g.Code = code
				}
				if g.Part == "prefill" {
					g.Part = part
				}
				if code == verdict.Lens && g.Verdict == nil {
					g.Verdict = lensVerdict()
				}
				all := []verdict.Finding{g}
				out.add(inText, func() string { return format.Conclusion(all) })
				out.add(inJSON, func() string { return jsonOf(t, record.FindingsOf(all)) })
				if part != parts[1] {
					continue // a frame takes a hundred times as long as a sentence
				}
				out.add(onScreen, func() string {
					v := live.View{Stream: s, Figures: figures, Now: s.Now, Endpoint: s.Endpoint, Findings: all}
					return frame(func(grid *draw.Grid) { live.DrawView(grid, grid.Bounds(), &v) })
				})
			}
		}
		return out
	})
}

// lensVerdict is what a lens says of its first budget.
func lensVerdict() *slo.LensVerdict {
	return &slo.LensVerdict{Metric: slo.LensTTFT, Measured: metrics.Known(270, 1), Budget: slo.LensBudget{Metric: slo.LensTTFT, Limit: 200}, Grade: slo.GradeMisses}
}
