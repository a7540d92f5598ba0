package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/ui/format"
)

// probeText is the text of a probe with that form.
func probeText(t *testing.T, form Form, runs ...metrics.Run) string {
	t.Helper()
	form.By = testOrigin
	var b bytes.Buffer
	if err := put(&b, Probe(runs, form).Text(0)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWarmupIsShown holds that the text counts a warm-up, and says what is unknown
// of it.
func TestWarmupIsShown(t *testing.T) {
	run := lensRun(640*time.Millisecond, metrics.Done)
	const cost = 0.0212345678 // as every other cost is written
	w := loadstat.Warmup{Requests: 3, Failed: 1, Faults: []metrics.FaultCount{{Kind: metrics.FaultReset, N: 1}}, Prompt: metrics.Known(60, 2), Output: metrics.Known(400, 2),
		Cost: metrics.Known(cost, 2), Currency: "USD"}
	text := strings.Join(strings.Fields(probeText(t, Form{Warmup: &w}, run)), " ")
	for _, want := range []string{"warm-up 3 requests before these, in no figure; 60 tokens in, 400 out (counted for 2), " + format.Money(cost) + " USD; 1 failed: 1× reset", "1 request ·"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if text := probeText(t, Form{}, run); strings.Contains(text, "warm-up") {
		t.Errorf("a warm-up that was not:\n%s", text)
	}
	unknown := loadstat.WarmupOf([]metrics.Run{{Stream: metrics.Stream{State: metrics.Cancelled}, Figures: metrics.Figures{Tokens: metrics.Unknown(metrics.WhyNoTokens)}}})
	text = probeText(t, Form{Warmup: &unknown})
	for _, want := range []string{"no request was measured", "tokens –", "1 stopped"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

// TestListOfRequests holds that the text lists the requests that match, in the
// order of the filter, without text that is raw.
func TestListOfRequests(t *testing.T) {
	slow, quick, bad := lensRun(640*time.Millisecond, metrics.Done), lensRun(40*time.Millisecond, metrics.Done), lensRun(time.Second, metrics.Failed)
	bad.Stream.Fault = &metrics.Fault{Kind: metrics.FaultHTTP, Status: 503, Message: "busy \x1b[2J\u202enow"}
	list := func(line string) string {
		f, err := request.ParseFilter(line)
		if err != nil {
			t.Fatal(err)
		}
		text := probeText(t, Form{List: &f}, quick, slow, bad)
		return text[strings.Index(text, "\n#"):]
	}
	text := list("sort:-ttft status:ok")
	if i, k := strings.Index(text, "\n2"), strings.Index(text, "\n1"); i < 0 || k < i || !strings.Contains(text, "2 of 3 requests") || strings.Contains(text, "503") {
		t.Errorf("the slowest is not first:\n%s", text)
	}
	text = list("status:5xx")
	if !strings.Contains(text, "503 server error; busy") || strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("the failed one is missing or raw:\n%s", text)
	}
	f, _ := request.ParseFilter("ttft>1h")
	if text := probeText(t, Form{List: &f}, quick); !strings.Contains(text, "none of 1 request matches --list") {
		t.Errorf("nothing matches:\n%s", text)
	}
}
