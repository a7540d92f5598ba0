package say

import (
	"math"
	"os"
	"regexp"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// codesIn returns the values of the constants of a type in a file of metrics.
func codesIn(t *testing.T, path, of string) []string {
	t.Helper()
	text, err := os.ReadFile("../../metrics/" + path)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, m := range regexp.MustCompile(`(?m)^\t\w+\s+`+of+` = "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
		codes = append(codes, m[1])
	}
	return codes
}

func TestEveryReasonOfAnUnsteadyWindowHasWords(t *testing.T) {
	codes := codesIn(t, "loadstat/steady.go", "UnsteadyCode")
	if len(codes) != len(unsteadies) || len(codes) < 10 {
		t.Errorf("%d codes, %d texts", len(codes), len(unsteadies))
	}
	for want, u := range map[string]loadstat.Unsteady{
		"":        {},
		"no user": {Code: loadstat.UnsteadyNoUser},
		"3 requests from before the change still running":               {Code: loadstat.UnsteadyBefore, N: 3},
		"1 user still leaving":                                          {Code: loadstat.UnsteadyLeaving, N: 1},
		"no request sent at this rate has ended yet":                    {Code: loadstat.UnsteadyNoneEnded},
		"2 users of 4 without a first chunk yet":                        {Code: loadstat.UnsteadyCold, N: 2, Of: 4},
		"measuring 1.0 of 3.0 s":                                        {Code: loadstat.UnsteadyShort, N: 1, Of: 3},
		"3 requests measured, 4 needed":                                 {Code: loadstat.UnsteadyFew, N: 3, Of: 4},
		"1 request measured, 3 needed":                                  {Code: loadstat.UnsteadyFew, N: 1, Of: 3},
		"no tokens in the window":                                       {Code: loadstat.UnsteadyNoTokens},
		"throughput still drifting: +26 % between halves of the window": {Code: loadstat.UnsteadyThroughput, N: 0.26},
		"throughput still drifting: -35 % between halves of the window": {Code: loadstat.UnsteadyThroughput, N: -0.35},
		"TTFT still drifting: +40 ms between halves of the window":      {Code: loadstat.UnsteadyTTFT, N: 40},
		"requests pile up: 9 under way, 4 before":                       {Code: loadstat.UnsteadyQueue, N: 9, Of: 4},
		"on hold":  {Code: loadstat.UnsteadyHold},
		"new_code": {Code: "new_code"},
	} {
		if got := Unsteady(u); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for code := range unsteadies {
		if s := Unsteady(loadstat.Unsteady{Code: code, N: math.NaN(), Of: math.Inf(1)}); s == "" || s == string(code) {
			t.Errorf("%s: %q", code, s)
		}
	}
}

func TestEveryBudgetHasAReasonAndASource(t *testing.T) {
	for _, l := range slo.Lenses() {
		if LensAbout(l.Key) == "" {
			t.Errorf("%s is about nothing", l.Key)
		}
		for i := range l.Budgets {
			if why, source := LensBudget(&l.Budgets[i]); why == "" || source == "" {
				t.Errorf("%s %s: why %q, source %q", l.Key, l.Budgets[i].Metric, why, source)
			}
		}
	}
	if why, source := LensBudget(&slo.LensBudget{}); LensAbout("other")+why+source != "" {
		t.Error("words for what there is not")
	}
}

func TestLensBasis(t *testing.T) {
	for want, f := range map[string]slo.LensFigures{
		"":                    {Requests: 3},
		"not measured yet":    {Kind: slo.FiguresMeans},
		"one request":         {Kind: slo.FiguresMeans, Requests: 1},
		"mean of 14 requests": {Kind: slo.FiguresMeans, Requests: 14},
		"predicted":           {Kind: slo.FiguresPredicted, Requests: 1},
	} {
		if got := LensBasis(&f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestQuestion(t *testing.T) {
	f := func(users int, tokens float64, d time.Duration) loadstat.Forecast {
		return loadstat.Forecast{Users: users, Prompt: tokens, For: d, Assumed: 100}
	}
	priced := f(64, 2_246_400, 0)
	priced.Cost, priced.Currency, priced.Basis = metrics.Known(5.184, 0), "EUR", loadstat.BasisCap
	count := f(1, 187_272.7, time.Minute)
	count.Basis, count.Count = loadstat.BasisCount, 12
	schedule := f(7, 90_000, time.Second)
	schedule.Basis = loadstat.BasisSchedule
	for want, q := range map[string]loadstat.Question{
		"": {},
		"5 users on it would use up to 9,375 tokens in 10s (if every user gets 100 tok/s). Go on?":                                                                  {Endpoint: "it", Forecast: f(5, 9375, 10*time.Second)},
		"64 users on it would use up to 2.25M tokens a minute, 5.184 EUR (up to the cap). Go on?":                                                                   {Endpoint: "it", Forecast: priced},
		"1 user on it would use up to 187,273 tokens in 1m0s (for all 12 requests). Go on?":                                                                         {Endpoint: "it", Forecast: count},
		"7 users on it would use up to 90,000 tokens in 1s (if every request of the schedule is answered). Go on?":                                                  {Endpoint: "it", Forecast: schedule},
		"99,000 tokens are used, and more than 100,000 need your consent. Go on?":                                                                                   {Endpoint: "it", Used: 99_000, Free: 100_000, Brief: true},
		"99,000 tokens are used, and more than 100,000 need your consent. 5 users on it would use up to 9,375 tokens in 10s (if every user gets 100 tok/s). Go on?": {Endpoint: "it", Used: 99_000, Free: 100_000, Forecast: f(5, 9375, 10*time.Second)},
	} {
		if got := Question(q); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestClientLimit(t *testing.T) {
	for want, c := range map[string]loadstat.ClientLimit{
		"": {},
		"requests leave 412 ms after their scheduled time (p99): the schedule is not kept, because all 2 users wait for an answer": {Code: loadstat.LimitSchedule, Ms: 412, Users: 2},
		"requests leave 412 ms after their scheduled time (p99): the schedule is not kept, because tokscope lags":                  {Code: loadstat.LimitSchedule, Ms: 412},
		"tokscope lags 5.10 ms (p99): its requests leave late, and this machine may be the limit":                                  {Code: loadstat.LimitSending, Ms: 5.1},
		"tokscope reads 14.0 ms late (p99): kernel timestamps are unaffected, its next requests are late":                          {Code: loadstat.LimitReading, Ms: 14},
		"late": {Code: "late"},
	} {
		if got := ClientLimit(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
