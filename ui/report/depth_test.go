package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/uitest/golden"
)

// depthReport is a sweep over three lengths of an 8B model. The second has
// failures and a server that does not report cached tokens, the last is left out.
func depthReport() *Depth {
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
	return &Depth{Plan: loadstat.DepthPlan{Work: metrics.Workload{Name: "depth", MaxTokens: 200}, Depths: []int{1000, 16_000, 64_000}, Requests: 5, Users: 1}, Outcome: o}
}

func TestDepth(t *testing.T) {
	for path, write := range map[string]func(*bytes.Buffer) error{
		"testdata/depth.txt": func(b *bytes.Buffer) error { return put(b, depthReport().Doc().Text(0)) },
		"testdata/depth.md":  func(b *bytes.Buffer) error { return put(b, depthReport().Doc().Markdown()) },
		"testdata/depth.csv": func(b *bytes.Buffer) error { return depthReport().CSV(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden.File(t, path, b.String())
		for line := range strings.SplitSeq(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); strings.HasSuffix(path, ".txt") && n > lineWidth {
				t.Errorf("%d columns, want at most %d: %q", n, lineWidth, line)
			}
		}
	}
}

// Nothing measured, nothing known and texts of an attacker are printed
// harmlessly, and a dash has its reason.
func TestDepthOfHostileOutcomes(t *testing.T) {
	r := depthReport()
	o := &r.Outcome
	evil := "=cmd|'x'!A0\x1b]0;owned\a\u202e|\n# x"
	o.Endpoint.Name, o.Endpoint.Model, o.Endpoint.URL, o.Model, o.Fault.Message, o.Fault.Next = evil, evil, evil, evil, evil, evil
	o.Rows[0] = loadstat.DepthRow{Depth: 1000, Cold: loadstat.DepthSide{Failed: 5}}
	o.Stopped = metrics.Ending{Code: metrics.EndingStepFailed, Step: metrics.LoadStep{Depth: 1000}}
	var text, md, table bytes.Buffer
	if err := put(&text, r.Doc().Text(0)); err != nil {
		t.Fatal(err)
	}
	if err := put(&md, r.Doc().Markdown()); err != nil {
		t.Fatal(err)
	}
	if err := r.CSV(&table); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]string{"text": text.String(), "markdown": md.String(), "csv": table.String()} {
		if strings.ContainsAny(s, "\x1b\a\u202e") || name != "csv" && strings.Contains(s, "\n# x") {
			t.Errorf("%s: %q", name, s)
		}
	}
	if !strings.Contains(text.String(), "every request failed at 1,000 prompt tokens") {
		t.Errorf("no ending: %s", text.String())
	}
	o.Stopped.Code, o.Stopped.Tokens = metrics.EndingCap, metrics.CapUse{Max: 9, Used: 5, Requests: 2}
	o.Rows[1].Cold.Failed = 0 // 4 of 5 prompts
	text.Reset()
	if err := put(&text, r.Doc().Text(0)); err != nil || !strings.Contains(text.String(), "after 2 of 3 depths: the cap of 9 tokens") || !strings.Contains(text.String(), "the next 2 requests can take") {
		t.Errorf("%v\n%s", err, text.String())
	}
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(lines) != 4 || len(lines[0]) != 27 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for _, cell := range lines[1] {
		if strings.HasPrefix(cell, "=") {
			t.Errorf("a formula: %q", cell)
		}
	}
	if i := 4; lines[0][i] != "cold_ttft_ms" || lines[1][i] != "" {
		t.Errorf("%s is %q, want an empty cell", lines[0][i], lines[1][i])
	}
	o.Rows, o.Stopped = nil, metrics.Ending{Code: metrics.EndingInterrupted, Step: metrics.LoadStep{Depth: 1000}}
	text.Reset()
	if err := put(&text, r.Doc().Text(0)); err != nil || !strings.Contains(text.String(), "after 0 of 3 depths: interrupted; the step of 1,000 prompt tokens was under way") {
		t.Errorf("%v\n%s", err, text.String())
	}
}
