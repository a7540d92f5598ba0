package load

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// TestRateLimitIsShown checks that a rate limit that is used up, or will be, is
// shown at the usual sizes.
func TestRateLimitIsShown(t *testing.T) {
	soon := metrics.LimitForecast{Limit: 6000, Left: 900, Reset: metrics.Known(45_000, 0), Pace: metrics.Known(39, 3), UsedUp: metrics.Known(23_000, 3), Outcome: metrics.LimitUsedUp, Answers: 3}
	none := soon
	none.Left, none.UsedUp = 0, metrics.Known(0, 3)
	for _, c := range []struct {
		limits metrics.LimitForecasts
		w, h   int
		want   string
	}{
		{metrics.LimitForecasts{Tokens: soon}, 120, 40, "429 0   tokens used up in 23 s "},
		{metrics.LimitForecasts{Requests: soon}, 120, 40, "429 0   requests used up in 23 s "},
		{metrics.LimitForecasts{Tokens: none}, 120, 40, "429 0   0 tokens left for 45 s "},
		{metrics.LimitForecasts{Requests: none}, 120, 40, "429 0   0 requests left for 45 s "},
		{metrics.LimitForecasts{Tokens: soon}, 80, 24, "429 0  limit in 23 s "},
		{metrics.LimitForecasts{Tokens: none}, 80, 24, "429 0  limit reached "},
	} {
		v := scene(16)
		v.Load.Limits = c.limits
		if text := frame(v, c.w, c.h).Plain(); !strings.Contains(text, c.want) {
			t.Errorf("at %dx%d no %q in\n%s", c.w, c.h, c.want, text)
		}
	}
}

// TestLastFailureIsShown checks that the screen says why requests fail, and not
// just how many.
func TestLastFailureIsShown(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want []string
	}{
		{120, 40, []string{"errors 30  429 0   30 HTTP errors  last 503"}},
		{200, 50, []string{"30 HTTP errors  last 503", " 30 failed, not counted as good; last: HTTP 503 Service Unavailable: over␛loaded"}},
		{80, 24, []string{"errors 30  429 0   last 503"}},
	} {
		v := scene(16)
		v.Load.Failed, v.Load.Faults = 30, []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: 30}}
		v.Load.LastFault = &metrics.Fault{Kind: metrics.FaultHTTP, Status: 503, Message: "HTTP 503 Service Unavailable: over\x1bloaded"}
		text := frame(v, c.w, c.h).Plain()
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("at %dx%d no %q in\n%s", c.w, c.h, want, text)
			}
		}
		if strings.ContainsRune(text, 0x1b) {
			t.Errorf("at %dx%d the server's words are not sanitized", c.w, c.h)
		}
	}
}

// TestFailuresAreNoSlowTTFT checks that requests which fail are not shown as a miss of
// an objective that all others met, and are named where they break the load.
func TestFailuresAreNoSlowTTFT(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		v := scene(16)
		slos := v.Load.SLOs
		for _, p := range []*loadstat.Point{&v.Load.Live, &v.Load.Path[len(v.Load.Path)-1]} {
			p.GoodShare, p.JudgedFailed, p.Misses = metrics.Known(0.7, 100), 30, nil
			for _, o := range slos {
				p.Misses = append(p.Misses, loadstat.Miss{SLO: o, N: 30})
			}
		}
		text := frame(v, size[0], size[1]).Plain()
		wants := []string{"✓ ttft 100 %   ✓ tpot 100 %", "too many requests fail, at 16 users"}
		if size[0] > 80 {
			wants[0] += "   ✗ failed  30 %"
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in\n%s", size, want, text)
			}
		}
	}
}
