package record

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
)

// TestRateLimitsAreWritten checks what the headers of an answer become, and that
// a reopened recording gives the same.
func TestRateLimitsAreWritten(t *testing.T) {
	headers := &metrics.RateLimit{LimitRequests: 100, RemainingRequests: 0, ResetRequests: 1500 * time.Millisecond, LimitTokens: -1, RemainingTokens: 4200, ResetTokens: -1}
	out := rateLimitOf(headers)
	if out.LimitTokens != nil || out.ResetTokens != nil || *out.RemainingRequests != 0 || *out.ResetRequests != 1500 {
		t.Errorf("written as %+v", out)
	}
	if d := cmp.Diff(headers, out.restore()); d != "" {
		t.Error(d)
	}
	if rateLimitOf(nil) != nil {
		t.Error("no header gives a limit")
	}
	negative, late := -4, -1.0
	if r := (&RateLimit{RemainingTokens: &negative, ResetTokens: &late}).restore(); r.RemainingTokens != -1 || r.ResetTokens != -1 {
		t.Errorf("a file with negative values gives %+v", r)
	}
	f := metrics.LimitForecasts{Requests: metrics.LimitForecast{Limit: -1, Left: -1}}
	if rateLimitsOf(&f, Sentences{}) != nil {
		t.Error("a forecast without an answer is written")
	}
	f.Tokens = metrics.LimitForecast{Limit: 6000, Left: 4200, Reset: metrics.Unknown(metrics.WhyNotReportedEnd), Pace: metrics.Known(105, 2), UsedUp: metrics.Known(40_000, 2), Outcome: metrics.LimitUsedUp, Answers: 2}
	say := Sentences{RateLimit: func(f *metrics.LimitForecast, what string) string { return what }}
	got := rateLimitsOf(&f, say)
	if got.Requests != nil || *got.Tokens.Left != 4200 || *got.Tokens.UsedUp != 40_000 || got.Tokens.Outcome != "used_up" || got.Tokens.Text != "tokens" || got.Tokens.Unknown["reset_ms"] == "" {
		t.Errorf("written as %+v", got.Tokens)
	}
}
