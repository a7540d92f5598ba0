package sim

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
)

// TestSlowerInServerTime: the directive counts from the server's start, in the time
// of the wall, also on a fast clock.
func TestSlowerInServerTime(t *testing.T) {
	for _, speed := range []float64{1, 10} {
		synctest.Test(t, func(t *testing.T) {
			s := testkit.Must(prepare(Options{Scenario: "from 10m until 20m slower 2x prefill", Speed: speed,
				Sleep: time.Sleep}))(t)
			defer s.stopEngines()
			d, _ := s.driver("")
			var prefill, decode []float64
			for range 5 {
				r := &engine.Request{Prompt: 2000, Output: 20}
				out := newOutbox()
				r.User = &requestRef{out: out}
				testkit.OK(t, d.submit([]*engine.Request{r}))
				time.Sleep(5*time.Minute + time.Second)
				got, _ := out.swap(nil)
				last := got[len(got)-1].req
				prefill, decode = append(prefill, last.First-last.Admitted), append(decode, last.Last-last.First)
			}
			for i, want := range []float64{1, 1, 2, 2, 1} { // at 0, 5, 10, 15 and 20 min
				if math.Abs(prefill[i]-want*prefill[0]) > 1e-9 || math.Abs(decode[i]-decode[0]) > 1e-9 {
					t.Errorf("speed %v, request %d: prefill %v, decode %v s; first %v, %v", speed, i, prefill[i], decode[i],
						prefill[0], decode[0])
				}
			}
		})
	}
}

// TestSlowerIsRefusedInWords: what is wrong, and what is expected.
func TestSlowerIsRefusedInWords(t *testing.T) {
	for spec, want := range map[string]string{
		"from 10m":                             "such as: from 10m slower 2x prefill",
		"from 10m faster 2x prefill":           "such as: from 10m slower 2x prefill",
		"from soon slower 2x prefill":          `a time from 0`,
		"from -1s slower 2x prefill":           `a time from 0`,
		"from 10m slower 2 prefill":            `a factor from 1x to 1000x expected, not "2"`,
		"from 10m slower 0.5x prefill":         `a factor from 1x`,
		"from 10m slower NaNx prefill":         `a factor from 1x`,
		"from 10m slower 2x queue":             `prefill, decode or all expected, not "queue"`,
		"from 10m until 10m slower 2x prefill": "it ends at 10m0s, before it begins at 10m0s",
		"from 0s until 0s slower 2x all":       "it ends at 0s",
	} {
		_, err := ScenarioOf(spec)
		testkit.That(t, err != nil && strings.Contains(err.Error(), want), "%q: %v", spec, err)
	}
	sc := testkit.Must(ScenarioOf("from 1h slower 2x prefill; from 2h slower 3x all"))(t)
	for age, want := range map[time.Duration]engine.Slowness{0: {Prefill: 1, Decode: 1},
		time.Hour: {Prefill: 2, Decode: 1}, 3 * time.Hour: {Prefill: 6, Decode: 3}} {
		testkit.Is(t, sc.slowness(age), want, "after", age)
	}
	r, _ := http.NewRequest("POST", "/", nil)
	r.Header.Set("X-Sim-Scenario", "from 10m slower 2x prefill")
	if _, err := (&Server{}).scenario(r); err == nil || !strings.Contains(err.Error(), "serve --scenario") {
		t.Errorf("in a header: %v", err)
	}
}
