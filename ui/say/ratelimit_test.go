package say

import (
	"testing"

	"tokscope/metrics"
)

func TestRateLimitWords(t *testing.T) {
	known := func(v float64) metrics.Value { return metrics.Known(v, 2) }
	none := metrics.Unknown(metrics.WhyTwoAnswers)
	for _, c := range []struct {
		f    metrics.LimitForecast
		want string
	}{
		{metrics.LimitForecast{Limit: -1, Left: -1}, ""},
		{metrics.LimitForecast{Limit: 6000, Left: 4200, Age: known(0), Reset: known(60_000), Pace: known(105), UsedUp: known(40_000), Outcome: metrics.LimitUsedUp, Answers: 2},
			"4,200 of 6,000 tokens left, reset in 60 s; at this pace used up in 40 s"},
		{metrics.LimitForecast{Limit: -1, Left: 4200, Age: known(0), Reset: known(6000), Pace: known(105), UsedUp: known(40_000), Outcome: metrics.LimitLasts, Answers: 2},
			"4,200 tokens left, reset in 6 s; at this pace it lasts past the reset"},
		{metrics.LimitForecast{Limit: -1, Left: 4200, Age: known(0), Reset: none, Pace: known(-3), UsedUp: metrics.Unknown(metrics.WhyNotFalling), Outcome: metrics.LimitLasts, Answers: 2},
			"4,200 tokens left; at this pace it lasts"},
		{metrics.LimitForecast{Limit: -1, Left: 5, Age: known(0), Reset: known(400), Pace: none, UsedUp: none, Answers: 1},
			"5 tokens left, reset in <1 s; pace – (needs 2 answers in 60 s)"},
		{metrics.LimitForecast{Limit: 10, Left: 20, Age: known(0), Reset: known(6000), Pace: known(0), UsedUp: none, Outcome: metrics.LimitLasts, Answers: 2},
			"20 tokens left, limit 10, reset in 6 s; at this pace it lasts"},
		{metrics.LimitForecast{Limit: 10, Left: 20, Age: known(0), Reset: none, Pace: metrics.Unknown(metrics.WhyAnswersApart), UsedUp: none, Answers: 2},
			"20 tokens left, limit 10; pace – (needs 2 answers 1 s apart)"},
		{metrics.LimitForecast{Limit: 10, Left: 20, Age: known(90_000), Reset: known(0), Pace: none, UsedUp: none, Outcome: metrics.LimitReset, Answers: 4},
			"20 tokens left 90 s ago, limit 10; it has reset since"},
		{metrics.LimitForecast{Limit: 10, Left: 10, Age: known(0), Reset: none, Pace: known(0), UsedUp: none, Outcome: metrics.LimitLasts, Answers: 2},
			"10 of 10 tokens left; at this pace it lasts"},
		{metrics.LimitForecast{Limit: 6000, Left: 0, Age: known(0), Reset: known(45_000), Pace: known(105), UsedUp: known(0), Outcome: metrics.LimitUsedUp, Answers: 2},
			"0 of 6,000 tokens left: used up, resets in 45 s"},
		{metrics.LimitForecast{Limit: -1, Left: 0, Age: known(0), Reset: none, Pace: none, UsedUp: known(0), Outcome: metrics.LimitUsedUp, Answers: 1},
			"0 tokens left: used up"},
		{metrics.LimitForecast{Limit: 10, Left: 3, Age: known(90_000), Reset: known(0), Pace: none, UsedUp: none, Outcome: metrics.LimitReset, Answers: 4},
			"3 of 10 tokens left 90 s ago; it has reset since"},
	} {
		is(t, LimitLeft(&c.f, "tokens"), c.want)
	}
	all := metrics.LimitForecasts{
		Requests: metrics.LimitForecast{Left: 9, Outcome: metrics.LimitUsedUp, UsedUp: known(50_000), Answers: 3},
		Tokens:   metrics.LimitForecast{Left: 4200, Outcome: metrics.LimitUsedUp, UsedUp: known(40_000), Answers: 3},
	}
	check := func(text, mark string) {
		t.Helper()
		if got, _, spent := RateLimitBrief(&all); got != text || spent != (mark != "") || RateLimitMark(&all) != mark {
			t.Errorf("%q, spent %v, mark %q; want %q and %q", got, spent, RateLimitMark(&all), text, mark)
		}
	}
	check("tokens used up in 40 s", "rate limit in 40 s")
	all.Tokens.Outcome = metrics.LimitLasts
	check("requests used up in 50 s", "rate limit in 50 s")
	all.Requests.Outcome = metrics.LimitLasts
	check("4,200 tokens left", "")
	all.Tokens = metrics.LimitForecast{Left: 0, Reset: known(45_000), UsedUp: known(0), Outcome: metrics.LimitUsedUp, Answers: 3}
	check("0 tokens left for 45 s", "rate limit used up")
	all = metrics.LimitForecasts{}
	check("", "")
}
