package condition

import (
	"math"
	"strings"
	"testing"

	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// TestParse reads every form, and writes it so that it is read again.
func TestParse(t *testing.T) {
	for text, want := range map[string]Condition{
		"ttft.p50 > 1.2x":          {Figure: history.TTFT, Quantile: 0.5, Above: true, Limit: 1.2},
		"ttft>1.2x":                {Figure: history.TTFT, Quantile: 0.5, Above: true, Limit: 1.2},
		"ttft.p50 > 1.2x baseline": {Figure: history.TTFT, Quantile: 0.5, Above: true, Limit: 1.2, Than: Baseline},
		"TTFT.p90 of B > 1.2 x A":  {Figure: history.TTFT, Quantile: 0.9, Of: "B", Above: true, Limit: 1.2, Than: "A"},
		"ttft of a#m+cold > 1.2x b": {Figure: history.TTFT, Quantile: 0.5, Of: "a#m+cold", Above: true, Limit: 1.2,
			Than: "b"},
		"tpot > 50ms":           {Figure: history.TPOT, Quantile: 0.5, Above: true, Limit: 50, Unit: Ms},
		"total.p99 >= 1.5 s":    {Figure: history.Total, Quantile: 0.99, Above: true, Limit: 1500, Unit: Ms},
		"stall > 2x":            {Figure: history.Longest, Quantile: 0.5, Above: true, Limit: 2},
		"speed < 40 tok/s":      {Figure: history.Speed, Quantile: 0.5, Limit: 40, Unit: Speed},
		"throughput < 0.8x":     {Figure: history.Throughput, Quantile: 0.5, Limit: 0.8},
		"failures > 2%":         {Figure: figure.Failures, Above: true, Limit: 0.02, Unit: Share},
		"failures of B > 2.5 %": {Figure: figure.Failures, Of: "B", Above: true, Limit: 0.025, Unit: Share},
	} {
		got, err := Parse(text)
		testkit.That(t, err == nil && got == want, "%q: %+v, %v", text, got, err)
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%q is written %q and read as %+v, %v", text, got.String(), again, err)
		}
	}
}

// TestParseRefuses: an error names the wrong part and the right form.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "write a condition",
		"ttft":                     "write a condition",
		"> 1.2x":                   "no figure",
		"ttft >":                   "no limit",
		"latency > 1.2x":           "known are",
		"ttft.p42 > 1.2x":          "write .p50",
		"ttft > 1.2":               "write a ratio",
		"ttft > 0x":                "above 0",
		"ttft > NaNx":              "above 0",
		"ttft > -1s":               "write a ratio",
		"ttft > 2%":                "for failures",
		"ttft > 40tok/s":           "unit",
		"speed < 40ms":             "unit",
		"failures > 1.2x":          "share",
		"failures > 100%":          "100 %",
		"failures.p50 > 2%":        "no quantile",
		"ttft > 500ms A":           "no ratio",
		"ttft of A > 1.2x A":       "itself",
		"ttft by A > 1.2x":         "FIGURE of TARGET",
		"ttft > 1.2x A B":          "LIMIT TARGET",
		strings.Repeat("x", 1_000): "longer than",
	} {
		if c, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || c != (Condition{}) {
			t.Errorf("%q: %+v, %v; want %q", text, c, err, want)
		}
	}
}

// TestJudge: only an interval that lies beyond the limit as a whole meets it.
func TestJudge(t *testing.T) {
	above, below := Condition{Above: true, Limit: 1.2}, Condition{Limit: 0.8}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		c         *Condition
		low, high float64
		want      Outcome
	}{
		{&above, 1.21, 1.5, Met}, {&above, 1.21, inf, Met}, {&above, 1.2, 1.5, Open}, {&above, 1.1, 1.5, Open},
		{&above, 0.9, 1.2, Unmet},
		{&above, 0, inf, Unknown}, {&above, math.Inf(-1), inf, Unknown}, {&above, nan, nan, Unknown}, {&above, 0, 1, Unmet},
		{&below, 0.5, 0.79, Met}, {&below, 0, 0.79, Met}, {&below, 0.5, 0.8, Open}, {&below, 0.8, inf, Unmet},
	} {
		testkit.Is(t, c.c.Judge(c.low, c.high), c.want, c.c, "of", c.low, "to", c.high)
	}
}

// FuzzParse: whatever is typed, nothing panics, and what is accepted is written so
// that it is read as the same again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"ttft.p50 > 1.2x baseline", "failures of B > 2.5 %", "speed < 40 tok/s",
		"total.p99 > 1m0.5s", "ttft > 0.0000001x", "tpot > 1ns", "ttft of \x1b > 1x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			testkit.Need(t, c, Condition{}, text, "is refused")
			return
		}
		again, err := Parse(c.String())
		testkit.Given(t, err == nil, "%q is written %q: %v", text, c.String(), err)
		testkit.Given(t, math.Abs(again.Limit-c.Limit) <= 1e-9*c.Limit,
			"%q is written %q: %v became %v", text, c.String(), c.Limit, again.Limit)
		if again.Limit = c.Limit; again != c {
			t.Fatalf("%q is written %q: %+v became %+v", text, c.String(), c, again)
		}
	})
}
