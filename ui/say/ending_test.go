package say

import (
	"errors"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/request"
)

// TestEveryEndingHasWords checks that each reason why a load or a sweep ends by
// itself has its sentence, with the numbers of the house.
func TestEveryEndingHasWords(t *testing.T) {
	last := &metrics.Fault{Kind: metrics.FaultHTTP, Message: "the server says no", Next: "check it"}
	eight := metrics.LoadStep{Users: 8}
	has := map[metrics.EndingCode]bool{}
	for want, e := range map[string]metrics.Ending{
		"":                             {},
		"all 12,500 requests are sent": {Code: metrics.EndingSent, Requests: 12_500},
		"the one request is sent":      {Code: metrics.EndingSent, Requests: 1},
		"the cap of 1,200,000 tokens is reached: 12,500 are used, 999 reserved for what runs, and the next request can take 150": {Code: metrics.EndingCap,
			Tokens: metrics.CapUse{Max: 1.2e6, Used: 12_500, Reserved: 999, Next: 150}},
		"the load was stopped because the last 20 requests all failed, with http; the last one: the server says no: check it": {
			Code: metrics.EndingFailures, Requests: 20, Most: 20, Kind: metrics.FaultHTTP, Last: last},
		"the load was stopped because the last 2,000 requests all failed, most with reset (1,999); the last one: the server says no: check it": {
			Code: metrics.EndingFailures, Requests: 2000, Most: 1999, Kind: metrics.FaultReset, Last: last},
		"stopped: the program was closing": {Code: metrics.EndingClosing},
		"interrupted":                      {Code: metrics.EndingInterrupted},
		"interrupted; the step of 8 users was under way and is left out":             {Code: metrics.EndingInterrupted, Step: eight},
		"interrupted; the step of 1,000 prompt tokens was under way and is left out": {Code: metrics.EndingInterrupted, Step: metrics.LoadStep{Depth: 1000}},
		"ttft is missed at 1 request/s":                                              {Code: metrics.EndingMissed, SLO: "ttft", Step: metrics.LoadStep{Rate: 1}},
		"the cap of 10 tokens is too low: the first request alone can take 1,200":    {Code: metrics.EndingCap, Tokens: metrics.CapUse{Max: 10, Next: 1200}},
		"the cap of 10 tokens is too low: the first 2 requests alone can take 2,400": {Code: metrics.EndingCap, Tokens: metrics.CapUse{Max: 10, Next: 2400, Requests: 2}},
		"every request failed at 1 user":                                             {Code: metrics.EndingStepFailed, Step: metrics.LoadStep{Users: 1}},
		"ttft is missed at 8 users":                                                  {Code: metrics.EndingMissed, SLO: "ttft", Step: eight},
		"ttft is missed at 0.5 requests/s":                                           {Code: metrics.EndingMissed, SLO: "ttft", Step: metrics.LoadStep{Rate: 0.5}},
		"no port is free":                                                            metrics.NotBegun(errors.New("no port is free")),
		"–":                                                                          {Code: metrics.EndingError},
		"new_code":                                                                   {Code: "new_code"},
	} {
		has[e.Code] = true
		if got := Ending(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	codes := codesIn(t, "ending.go", "EndingCode")
	if len(codes) < 8 {
		t.Errorf("found %d codes: the search does not work", len(codes))
	}
	for _, code := range codes {
		if !has[metrics.EndingCode(code)] {
			t.Errorf("%s has no sentence here", code)
		}
	}
}

// TestOneWordForAnOutcome: a request that a person stopped is called the same in every
// list.
func TestOneWordForAnOutcome(t *testing.T) {
	e := history.Entry{State: metrics.Cancelled, Fault: metrics.FaultCancelled}
	r := request.Row{State: e.State, Fault: e.Fault}
	if got := Outcome(e.State) + HistoryEnded(&e) + RequestEnded(&r); got != "stoppedstoppedstopped" {
		t.Errorf("%q", got)
	}
}
