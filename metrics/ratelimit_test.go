package metrics

import (
	"math"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// answer is the end of a request whose head came at that many seconds.
func answer(at float64, left, limit int, reset time.Duration) *Stream {
	s := &Stream{Marks: NewMarks(), RateLimit: &RateLimit{LimitRequests: -1, RemainingRequests: -1, ResetRequests: -1,
		LimitTokens: limit, RemainingTokens: left, ResetTokens: reset}}
	s.Marks.Headers = Stamp(at * 1e9)
	return s
}

func TestLimitForecast(t *testing.T) {
	const sec = time.Second
	for _, c := range []struct {
		name    string
		answers []*Stream
		now     float64 // seconds
		left    int
		pace    float64 // NaN: unknown
		usedUp  float64 // s; NaN: unknown
		reset   float64 // s; NaN: unknown
		outcome LimitOutcome
	}{
		{"one answer has no pace", []*Stream{answer(1, 4200, 6000, 6*sec)}, 1, 4200, math.NaN(), math.NaN(), 6, ""},
		{"two of one second have none", []*Stream{answer(1, 4200, 6000, 6*sec), answer(1.5, 4000, 6000, 6*sec)}, 2, 4000,
			math.NaN(), math.NaN(), 5.5, ""},
		{"used up before the reset", []*Stream{answer(0, 6000, 6000, 60*sec), answer(10, 4000, 6000, 50*sec)}, 10, 4000, 200,
			20, 50, LimitUsedUp},
		{"the time since the answer counts", []*Stream{answer(0, 6000, 6000, 60*sec), answer(10, 4000, 6000, 50*sec)}, 15,
			4000, 200, 15, 45, LimitUsedUp},
		{"lasts past the reset", []*Stream{answer(0, 6000, 6000, 20*sec), answer(10, 4000, 6000, 10*sec)}, 10, 4000, 200, 20,
			10, LimitLasts},
		{"a limit that refills as fast lasts", []*Stream{answer(0, 4000, 6000, 20*sec), answer(10, 4000, 6000, 20*sec)}, 10,
			4000, 0, math.NaN(), 20, LimitLasts},
		{"nothing left is used up, with one answer", []*Stream{answer(0, 0, 6000, 60*sec)}, 15, 0, math.NaN(), 0, 45,
			LimitUsedUp},
		{"nothing left does not last", []*Stream{answer(0, 0, 6000, 60*sec), answer(10, 0, 6000, 50*sec)}, 15, 0, 0, 0, 45,
			LimitUsedUp},
		{"nothing left, and no reset given", []*Stream{answer(0, 0, 6000, -1)}, 15, 0, math.NaN(), 0, math.NaN(),
			LimitUsedUp},
		{"nothing was left a while ago", []*Stream{answer(0, 0, 6000, -1)}, 80, 0, math.NaN(), math.NaN(), math.NaN(), ""},
		{"no reset given", []*Stream{answer(0, 6000, 6000, -1), answer(10, 4000, 6000, -1)}, 10, 4000, 200, 20, math.NaN(),
			LimitUsedUp},
		{"a new minute begins a new pace", []*Stream{answer(0, 1000, 6000, 5*sec), answer(4, 100, 6000, 1*sec),
			answer(6, 5900, 6000, 59*sec)}, 6, 5900, math.NaN(), math.NaN(), 59, ""},
		{"the reset has passed", []*Stream{answer(0, 6000, 6000, 20*sec), answer(10, 4000, 6000, 10*sec)}, 30, 4000,
			math.NaN(), math.NaN(), 0, LimitReset},
		{"an old pace is none", []*Stream{answer(0, 6000, 6000, 600*sec), answer(10, 4000, 6000, 600*sec)}, 80, 4000,
			math.NaN(), math.NaN(), 530, ""},
		{"an answer from before the last one is left out", []*Stream{answer(0, 6000, 6000, 60*sec),
			answer(10, 4000, 6000, 50*sec), answer(9, 5000, 6000, 51*sec)}, 10, 4000, 200, 20, 50, LimitUsedUp},
		{"only the last minute counts", []*Stream{answer(0, 90000, 90000, 900*sec), answer(50, 40000, 90000, 900*sec),
			answer(100, 39000, 90000, 900*sec)}, 100, 39000, 20, 1950, 900, LimitLasts},
	} {
		var w LimitWatch
		for _, s := range c.answers {
			w.Add(s)
		}
		all := w.Forecast(Stamp(c.now * 1e9))
		f := &all.Tokens
		testkit.That(t, !all.Requests.Known() && f.Known() && f.Left == c.left && f.Outcome == c.outcome,
			"%s: %+v", c.name, all)
		for _, x := range []struct {
			name string
			got  Value
			want float64
		}{{"pace", f.Pace, c.pace}, {"used up", f.UsedUp, c.usedUp * 1e3}, {"reset", f.Reset, c.reset * 1e3}} {
			testkit.That(t, x.got.OK != math.IsNaN(x.want) && (!x.got.OK || math.Abs(x.got.V-x.want) <= 1e-6),
				"%s: %s = %+v, want %v", c.name, x.name, x.got, x.want)
			testkit.That(t, x.got.OK || x.got.Why != 0, "%s: %s is unknown without a reason", c.name, x.name)
		}
	}
	var two LimitWatch
	two.Add(answer(0, 6000, 6000, time.Minute))
	other := answer(10, 100, 200, time.Minute)
	other.Endpoint.Model = "another"
	two.Add(other)
	if f := two.Forecast(Stamp(1e10)).Tokens; f.Answers != 1 || f.Pace.OK || f.Left != 100 {
		t.Errorf("two models are mixed: %+v", f)
	}
	var none LimitWatch
	none.Add(&Stream{Marks: NewMarks()})
	if all := none.Forecast(5); all.Known() || all.Tokens.Left != -1 {
		t.Errorf("no answer gives %+v", all)
	}
}

// TestLimitForecastHolds spends a limit at an even pace and checks each forecast
// against what happens: in a fixed window, and in a bucket that refills.
func TestLimitForecastHolds(t *testing.T) {
	rng := testkit.Rand(t, 1)
	for range 200 {
		limit := 1000 + rng.IntN(100_000)
		every, cost := 0.2+3*rng.Float64(), 1+rng.IntN(limit/20)
		window := 20 + 100*rng.Float64()
		refill := 0.0 // per second
		if rng.IntN(2) == 0 {
			refill = float64(cost) / every * (0.1 + 0.8*rng.Float64())
		}
		left, at := float64(limit), 0.0
		var w LimitWatch
		var checked bool
		for i := 0; ; i++ {
			left -= float64(cost)
			if left < 0 {
				break // at is when it was used up
			}
			reset := window - at
			if refill > 0 {
				reset = (float64(limit) - left) / refill
			} else if reset <= 0 {
				break
			}
			w.Add(answer(at, int(left), limit, time.Duration(reset*1e9)))
			f := w.Forecast(Stamp(at * 1e9)).Tokens
			if f.Pace.OK {
				net := float64(cost)/every - refill
				drained := at + left/net // by the truth
				checked = true
				if got := at + f.UsedUp.V/1e3; math.Abs(got-drained) > 0.01*(drained-at)+2*(drained-at)/net/every+1 {
					t.Fatalf("limit %d, %d every %.2f s, refill %.1f/s: at %.1f s used up at %.1f s, but it is at %.1f s", limit,
						cost, every, refill, at, got, drained)
				}
				if want := drained < at+f.Reset.V/1e3; refill == 0 && math.Abs(drained-window) > 2 &&
					want != (f.Outcome == LimitUsedUp) {
					t.Fatalf("at %.1f s the outcome is %q, but it ends at %.1f and resets at %.1f", at, f.Outcome, drained, window)
				}
			}
			left = min(left+refill*every, float64(limit))
			at += every
		}
		testkit.Given(t, at <= 5 || checked, "limit %d, %d every %.2f s: no forecast in %.1f s", limit, cost, every, at)
	}
}

// TestLimitWatchIsBounded checks that a long load keeps a minute of answers.
func TestLimitWatchIsBounded(t *testing.T) {
	var w LimitWatch
	for i := range 100_000 {
		w.Add(answer(float64(i)/50, 1_000_000-i, 1_000_000, time.Hour))
	}
	n := len(w.tokens.past)
	testkit.That(t, n <= 62, "%d answers kept", n)
	f := w.Forecast(w.tokens.last.at).Tokens
	testkit.That(t, math.Abs(f.Pace.V-50) <= 0.01, "pace %v, want 50 a second", f.Pace)
}

// TestWhyThereIsNoPace holds that the reason of an unknown pace never asks for answers
// that were there.
func TestWhyThereIsNoPace(t *testing.T) {
	answer := func(at float64, left int) *Stream { return answer(at, left, 10, 90*time.Second) }
	for _, c := range []struct {
		name    string
		answers []*Stream
		now     float64
		want    Why
	}{
		{"one", []*Stream{answer(1, 9)}, 2, WhyTwoAnswers},
		{"two within a second", []*Stream{answer(1, 20), answer(1.4, 20)}, 2, WhyAnswersApart},
		{"two of which the last has more", []*Stream{answer(1, 2), answer(5, 10)}, 6, WhySinceReset},
		{"two more than 60 s apart", []*Stream{answer(1, 9), answer(70, 8)}, 71, WhyTwoAnswers},
		{"two before the reset", []*Stream{answer(1, 9), answer(5, 8)}, 100, WhySinceReset},
		{"two, a while ago", []*Stream{answer(1, 9), answer(5, 8)}, 70, WhyTwoAnswers},
		{"two", []*Stream{answer(1, 9), answer(5, 8)}, 6, 0},
	} {
		var w LimitWatch
		for _, s := range c.answers {
			w.Add(s)
		}
		f := w.Forecast(Stamp(c.now * 1e9)).Tokens
		testkit.That(t, f.Pace.OK == (c.want == 0) && f.Pace.Why == c.want, "%s: %+v, want %v", c.name, f.Pace, c.want)
	}
}

// TestHold: the time of the answer itself counts against a reset, and not against a
// wait that a failure names.
func TestHold(t *testing.T) {
	used := &RateLimit{LimitTokens: 100, RemainingTokens: 0, ResetTokens: 30 * time.Second, RemainingRequests: -1}
	marks := NewMarks()
	marks.Headers, marks.End = Stamp(time.Second), Stamp(21*time.Second)
	for _, c := range []struct {
		name string
		s    Stream
		want time.Duration
	}{
		{"no limit", Stream{Marks: marks}, 0},
		{"a reset counts from the head", Stream{Marks: marks, RateLimit: used}, 10 * time.Second},
		{"a fault counts from its end", Stream{Marks: marks, RateLimit: used, Fault: &Fault{RetryAfter: 5 * time.Second}},
			5 * time.Second},
		{"a fault without a wait", Stream{Marks: NewMarks(), RateLimit: used, Fault: &Fault{}}, 30 * time.Second},
		{"the reset has passed", Stream{Marks: marks, RateLimit: &RateLimit{LimitTokens: 1, ResetTokens: 2 * time.Second}},
			0},
	} {
		testkit.Is(t, c.s.Hold(), c.want, c.name)
	}
}
