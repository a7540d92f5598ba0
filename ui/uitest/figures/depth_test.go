package figures

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/record"
	"tokscope/ui/report"
	"tokscope/ui/uitest"
)

// depth is a sweep over prompt lengths and the last of its rows.
type depth struct {
	Row     loadstat.DepthRow
	Outcome loadstat.DepthOutcome
}

// ofDepths are the figures of a depth that do not stand everywhere.
var ofDepths = map[string]exception{
	"Outcome.Interrupted":           {"text", "The person who ended it knows; JSON is read by others."},
	"Outcome.Observer.Use.Seconds":  {"text", "It is for how long the cores were counted."},
	"Outcome.Context":               {"text", "Only a row that exceeds it has it in text: it is the reason."},
	"Outcome.Observer.LateP50":      {"text", ownLag},
	"Outcome.Observer.N":            {"text", ownLag},
	"Outcome.Observer.GCPauses":     {"text", ownLag},
	"Outcome.Observer.GCTotal":      {"text", ownLag},
	"Outcome.Observer.KernelStamps": {"text", ownLag},
	"Outcome.Observer.UserStamps":   {"text", ownLag},
	"Outcome.Observer.LateEvents":   {"text", ownLag},
	"Outcome.Observer.SharedReads":  {"text", ownLag},
	"Outcome.Observer.LagP50":       {"text", ownLag},
	"Outcome.Observer.LagP99":       {"text", ownLag},
	"Outcome.Observer.LagMax":       {"text", ownLag},
	"Outcome.Observer.ClockStep":    {"text", ownLag},
}

// depthOutcome is a finished sweep with every figure.
func depthOutcome() loadstat.DepthOutcome {
	known := func(v float64) metrics.Value { return metrics.Known(v, 3) }
	side := func(ttft float64) loadstat.DepthSide {
		return loadstat.DepthSide{Prompt: known(1004), Cached: known(24), TTFT: known(ttft), Prefill: known(1004 * 1000 / ttft), Ended: 3, Failed: 1}
	}
	row := func(n int) loadstat.DepthRow {
		return loadstat.DepthRow{Depth: n, Cold: side(110), Warm: side(31), TPOT: known(12.5), Speed: known(80)}
	}
	return loadstat.DepthOutcome{
		Endpoint: uitest.Demo, Model: "llama-3.1-8b", Context: 128_000, Rows: []loadstat.DepthRow{row(500), row(1000)},
		Fit:   loadstat.TTFTFit{A: known(12), B: known(0.02), Off: known(2), R2: known(0.9), Longest: known(0.3), Low: 500, High: 1004, N: 6},
		Fault: &metrics.Fault{Kind: metrics.FaultReset, Message: "the connection broke"}, Tokens: 9120, Cost: known(0.02), Currency: "USD", Stamps: "kernel",
		Observer: metrics.Observer{N: 900, LateP50: 5e4, LateP99: 2e5, LateMax: 3e5, KernelStamps: 4000, Use: metrics.Use{CPU: 0.5, Seconds: 20, Cores: 2, Descriptors: 30, DescriptorLimit: 1000}},
	}
}

// TestEveryFigureOfADepth walks loadstat.DepthRow and DepthOutcome. `sweep --depth`
// has no screen; the chart on Load is of the requests of a load.
func TestEveryFigureOfADepth(t *testing.T) {
	t.Parallel()
	plain := depth{Outcome: depthOutcome()}
	plain.Row = plain.Outcome.Rows[1]
	plan := loadstat.DepthPlan{Work: metrics.Workload{Name: "chat", Prompt: "Why?", MaxTokens: 200}, Depths: []int{500, 1000}, Requests: 4, Users: 1}
	walkAll(t, 45, plain, ofDepths, func(d depth) texts {
		out, o := texts{}, d.Outcome
		if len(o.Rows) == 2 {
			o.Rows = append(slices.Clone(o.Rows[:1]), d.Row)
		}
		r := &report.Depth{Plan: plan, Outcome: o}
		out.add(inText, func() string { return written(t, func(b *bytes.Buffer) error { return report.DepthText(b, r) }) })
		out.add(inText, func() string { return written(t, func(b *bytes.Buffer) error { return report.DepthMarkdown(b, r) }) })
		out.add(inText, func() string { return written(t, func(b *bytes.Buffer) error { return report.DepthCSV(b, r) }) })
		out.add(inJSON, func() string {
			return written(t, func(b *bytes.Buffer) error { return record.WriteDepth(b, "test", time.Unix(0, 0), &plan, &o, say) })
		})
		return out
	})
}
