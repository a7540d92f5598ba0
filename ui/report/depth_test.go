package report

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/uitest/golden"
)

// depthReport is a sweep over three lengths of an 8B model. The second has
// failures and a server that does not report cached tokens, the last is left out.
func depthReport() *Sweep {
	side := func(prompt, cached, ttft float64, n, failed int) loadstat.DepthSide {
		return loadstat.DepthSide{Prompt: metrics.Known(prompt, n), Cached: metrics.Known(cached, n), TTFT: metrics.Known(ttft, n), Prefill: metrics.Known(prompt*1000/ttft, n), Ended: n, Failed: failed}
	}
	none := metrics.Unknown(metrics.WhyNoneEndedWell)
	o := loadstat.DepthOutcome{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "llm.example.com", URL: "https://llm.example.com/v1", Model: "org/model-8b"}, Context: 32768,
		Rows: []loadstat.DepthRow{
			{Depth: 1000, Cold: side(1017, 0, 40.4, 5, 0), Warm: side(1017, 1008, 24.1, 5, 0), TPOT: metrics.Known(6.71, 10), Speed: metrics.Known(149, 10)},
			{Depth: 16_000, Cold: side(15_868, 0, 455, 4, 1), Warm: side(15_868, 0, 455, 4, 0), TPOT: metrics.Known(8.53, 8), Speed: metrics.Known(117, 8), Estimated: true},
			{Depth: 64_000, TooLong: true, Cold: loadstat.DepthSide{Prompt: none, Cached: none, TTFT: none, Prefill: none}, Warm: loadstat.DepthSide{Prompt: none, Cached: none, TTFT: none, Prefill: none}, TPOT: none, Speed: none},
		},
		Fit:   loadstat.TTFTFit{A: metrics.Known(12, 9), B: metrics.Known(0.0279, 9), Off: metrics.Known(4, 9), R2: metrics.Known(0.98, 9), Low: 1017, High: 15_868, N: 9},
		Fault: &metrics.Fault{Kind: metrics.FaultRateLimit, Message: "slow down", Next: "wait"}, Tokens: 86_000, Cost: metrics.Known(0.43, 0), Currency: "USD",
		Stamps: "kernel", Observer: metrics.Observer{N: 100, LateP99: 150 * time.Microsecond, LateMax: 2 * time.Millisecond},
	}
	o.Rows[1].Cold.Cached, o.Rows[1].Warm.Cached = metrics.Unknown(metrics.WhyNotReportedEnd), metrics.Unknown(metrics.WhyNotReportedEnd)
	return &Sweep{SweepOutcome: loadstat.SweepOutcome{Depth: &o}, Plan: loadstat.SweepPlan{Work: metrics.Workload{Name: "depth", MaxTokens: 200}, Depths: []int{1000, 16_000, 64_000}, Requests: 5, Users: []int{1}}}
}

// TestDepth shows a sweep over lengths of the prompt, with names from outside.
func TestDepth(t *testing.T) {
	edit := func(change func(*loadstat.DepthOutcome)) *Sweep {
		return edited(depthReport(), func(r *Sweep) { change(r.Depth) })
	}
	step := metrics.LoadStep{Depth: 1000}
	failed := edit(func(o *loadstat.DepthOutcome) {
		o.Endpoint.Name, o.Endpoint.Model, o.Endpoint.URL, o.Model = hostile[:40], hostile[:40], hostile[:40], "=cmd|'x'!A0"
		o.Endpoint.API, o.Endpoint.Settings = "messages", "api=messages"
		o.Rows[0] = loadstat.DepthRow{Depth: 1000, Cold: loadstat.DepthSide{Failed: 5}}
		o.Stopped = metrics.Ending{Code: metrics.EndingStepFailed, Step: step}
	})
	capped := edit(func(o *loadstat.DepthOutcome) {
		o.Stopped = metrics.Ending{Code: metrics.EndingCap, Tokens: metrics.CapUse{Max: 9, Used: 5, Requests: 2}}
		o.Rows[1].Cold.Failed = 0 // 4 of 5 prompts
	})
	stopped := edit(func(o *loadstat.DepthOutcome) {
		o.Rows, o.Stopped = nil, metrics.Ending{Code: metrics.EndingInterrupted, Step: step}
	})
	show(t, "depth", scene{"a length is left out", depthReport().Doc(false)}, scene{"a length failed", failed.Doc(false)},
		scene{"the cap of tokens", capped.Doc(false)}, scene{"interrupted in the first", stopped.Doc(false)})
	var table strings.Builder
	if err := errors.Join(depthReport().CSV(&table), failed.CSV(&table)); err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "depth-csv", table.String())
}
