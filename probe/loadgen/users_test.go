package loadgen

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// closed starts a closed loop on f.
func closed(f *fake, s Shape, tokens int) *Load {
	return start(context.Background(), Config{Work: metrics.Workload{Prompt: "x", MaxTokens: tokens}, Shape: s, Seed: 3},
		f.deps())
}

// Users begin one after the other, not at once. Those of one step of the slider begin over
// Join, also where it is moved key by key, and hundreds take longer: 32 a second.
func TestUsersBeginSpread(t *testing.T) {
	type begun struct {
		after       time.Duration // since the last key
		least, most int
	}
	for _, c := range []struct {
		users int
		join  time.Duration
		keys  []int // 100 ms apart
		want  []begun
	}{
		{300, 0, nil, []begun{{2 * time.Second, 300, 300}}},
		{1, time.Second, []int{11}, []begun{{850 * time.Millisecond, 2, 10}, {1100 * time.Millisecond, 11, 11}}},
		{1, 4 * time.Second, []int{257}, []begun{{4 * time.Second, 120, 135}, {8100 * time.Millisecond, 257, 257}}},
		{1, 4 * time.Second, []int{2, 4, 8, 16, 32, 64}, []begun{{4100 * time.Millisecond, 64, 64}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(time.Hour, time.Second)
			l := closed(f, Shape{Drive: loadstat.Drive{Users: c.users}, Join: c.join}, 1)
			began := time.Now()
			for _, n := range c.keys {
				time.Sleep(100 * time.Millisecond)
				began = time.Now()
				l.Resize(n)
			}
			for _, w := range c.want {
				time.Sleep(time.Until(began.Add(w.after)))
				f.mu.Lock()
				n := len(f.starts)
				f.mu.Unlock()
				testkit.That(t, n >= w.least && n <= w.most,
					"%d users, then %v: %d have begun after %v, want %d to %d", c.users, c.keys, n, w.after, w.least, w.most)
			}
			finish(l)
			for i := 1; i < len(f.starts); i++ {
				d := time.Duration(f.starts[i] - f.starts[i-1])
				testkit.Given(t, d >= startSpacing, "users %d and %d began %v apart", i, i+1, d)
			}
		})
	}
}

// The window follows long answers: many users with answers of 17 s become
// steady too, and not by chance.
func TestWindowFollowsLongAnswers(t *testing.T) {
	probetest.TakesTime(t, "two minutes of virtual time with 40 users")
	synctest.Test(t, func(t *testing.T) {
		f := newFake(500*time.Millisecond, 33*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 40}, Join: 17 * time.Second}, 501)
		time.Sleep(150 * time.Second)
		p := l.View().Live
		if long := time.Duration(p.To - p.From); !p.Steady || long < 55*time.Second || long > longWindow {
			t.Errorf("after 150 s the window is %v long: %+v", long, p.Why)
		}
		finish(l)
	})
}

// The figures of a load with known values: TTFT 100 ms, 20 ms a token, 51
// tokens, so a request takes 1.1 s.
func TestPointAgainstTheTruth(t *testing.T) {
	for _, tellsTokens := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(100*time.Millisecond, 20*time.Millisecond)
			f.tellsTokens = tellsTokens
			l := closed(f, Shape{Drive: loadstat.Drive{Users: 7}}, 51)
			p := l.MeasureStep(context.Background(), Step{Users: 7, Min: 10 * time.Second, Max: time.Minute})
			v := l.View()
			finish(l)
			near := func(name string, got metrics.Value, want, by float64) {
				testkit.That(t, got.OK && math.Abs(got.V-want) <= by*want, "told %v: %s %+v, want %v", tellsTokens, name, got, want)
			}
			testkit.That(t, p.Steady && p.Why.Code == "", "not steady: %+v", p.Why)
			near("TTFT", p.TTFT.P50, 100, 1e-6)
			near("TPOT", p.TPOT.P50, 20, 1e-6)
			near("speed", p.Speed, 50, 1e-6)
			near("gap p50", p.Gaps.P50, 20, 0.006)
			near("gap p99", p.Gaps.P99, 20, 0.006)
			near("total", p.Total, 7*51/1.1, 0.03)
			near("rate", p.Rate, 7/1.1, 0.06)
			near("running", p.Running, 7, 0.01)
			near("prefill", p.Prefill, 7*0.1/1.1, 0.3)
			testkit.That(t, v.Alone == nil && p.GoodShare.V == 1, "alone %v, share %+v", v.Alone, p.GoodShare)
			testkit.That(t, !tellsTokens || !p.Estimated, "counted tokens are called estimated")
		})
	}
}

// A server reports several tokens per chunk only at the end. The factor of
// the ended requests is used for running ones, and corrected at their end.
func TestTokensPerChunkAreLearnt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 50*time.Millisecond)
		f.tellsTokens, f.per = false, 5
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 4}}, 100)
		time.Sleep(20 * time.Second)
		l.Drain()
		l.Wait()
		v := l.View()
		if want := float64(100 * v.Done); v.Done < 50 || math.Abs(v.TokensReceived-want) > 1e-6 {
			t.Errorf("received %v, the server counted %v", v.TokensReceived, want)
		}
	})
}

// A falling slider lets requests end, a cut does not. Leaving lanes have that
// state, and a rising slider keeps those that still exist.
func TestShrinkCutAndGrowAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Second, time.Second)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 10}}, 30)
		time.Sleep(5 * time.Second)
		l.Resize(4)
		time.Sleep(time.Second)
		v := l.View()
		if v.Users != 10 || v.Target != 4 || v.Lanes[9].State != loadstat.LaneLeaving ||
			v.Lanes[3].State != loadstat.LaneDecoding {
			t.Errorf("after shrinking: %d users, target %d, lane 10 %v", v.Users, v.Target, v.Lanes[9].State)
		}
		l.Resize(6)
		l.Cut()
		time.Sleep(time.Second)
		v = l.View()
		testkit.That(t, v.Users == 6 && v.Cancelled == 4 && v.Failed == 0 && v.InFlight == 6,
			"after the cut: %d users, %d cancelled, %d failed, %d in flight", v.Users, v.Cancelled, v.Failed, v.InFlight)
		for i, n := range v.Lanes {
			testkit.That(t, n.User == i+1 && !n.Leaving, "lane %d: user %d, leaving %v", i, n.User, n.Leaving)
		}
		testkit.Is(t, len(f.starts), 10, "requests: those that leave must not be started anew")
		l.Drain()
		l.Wait()
		if v := l.View(); v.Done != 6 || v.Running || v.InFlight != 0 {
			t.Errorf("after draining: %d done, running %v", v.Done, v.Running)
		}
	})
}

// Think time lies between the end of a request and the next one's begin.
func TestThinkTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Second, time.Second)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 1}, Think: 5 * time.Second}, 1)
		time.Sleep(20 * time.Second)
		finish(l)
		testkit.Need(t, len(f.starts), 4, "requests in 20 s")
		for i, at := range f.starts {
			testkit.Is(t, time.Duration(at), time.Duration(i)*6*time.Second, "request", i, "at")
		}
		v := l.Requests()
		testkit.That(t, v.Ended == 0 && v.Len() == 0, "a load without a list keeps %d of %d", v.Len(), v.Ended)
	})
}

// A ramp passes through every number of users, evenly.
func TestRamp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Hour, time.Second)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 2, To: 12, Within: 10 * time.Second}}, 1)
		time.Sleep(150 * time.Millisecond) // it begins with the next tenth of a second
		for i := range 10 {
			testkit.Is(t, l.View().Target, 2+i, "after", i, "s: users")
			time.Sleep(time.Second)
		}
		l.Resize(3) // a Resize ends a ramp
		time.Sleep(5 * time.Second)
		testkit.Is(t, l.View().Target, 3, "the ramp went on to")
		finish(l)
	})
}

// Only the user that received Retry-After waits for it, at most a minute.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(10*time.Millisecond, 10*time.Millisecond)
		f.fault = func(i int) *metrics.Fault {
			if i == 0 {
				return &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Message: "slow down", RetryAfter: time.Hour}
			}
			return nil
		}
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 2}}, 10)
		time.Sleep(30 * time.Second)
		v := l.View()
		if v.Lanes[0].State != loadstat.LaneBackoff || v.Lanes[0].Done != 0 || v.Lanes[1].Done < 100 {
			t.Errorf("user 1 %v with %d done, user 2 with %d", v.Lanes[0].State, v.Lanes[0].Done, v.Lanes[1].Done)
		}
		time.Sleep(37 * time.Second)
		if v := l.View(); v.Lanes[0].Done == 0 || v.Failed != 1 || len(v.Faults) != 1 ||
			v.Faults[0].Kind != metrics.FaultRateLimit {
			t.Errorf("after the minute: %d done, faults %+v", v.Lanes[0].Done, v.Faults)
		}
		finish(l)
	})
}

// A load that cannot succeed stops, with the reason in a sentence.
func TestBreaker(t *testing.T) {
	for _, c := range []struct {
		kind metrics.FaultKind
		most int
	}{{metrics.FaultHTTP, 20}, {metrics.FaultAuth, 3}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(10*time.Millisecond, time.Millisecond)
			f.fault = func(int) *metrics.Fault {
				return &metrics.Fault{Kind: c.kind, Message: "the server says no", Next: "check it"}
			}
			l := closed(f, Shape{Drive: loadstat.Drive{Users: 1}}, 10)
			l.Wait()
			v := l.View()
			if v.Running || v.Failed != c.most || v.Live.Steady || v.Broken != v.Stopped || !failedAll(v.Broken, c.kind, c.most,
				"the server says no: check it") {
				t.Errorf("%s: %d failed, %+v", c.kind, v.Failed, v.Broken)
			}
			testkit.That(t, !v.Live.Speed.OK && v.Live.Tokens == 0 && len(v.Path) == 0, "failures became figures: %+v", v.Live)
		})
	}
}

// failedAll reports whether e is the end after n failures of one kind.
func failedAll(e metrics.Ending, kind metrics.FaultKind, n int, last string) bool {
	return e.Code == metrics.EndingFailures && e.Kind == kind && e.Requests == n && e.Most == n && e.Last != nil &&
		e.Last.Error() == last
}

// The cap of tokens is never exceeded.
func TestCapOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 10*time.Millisecond)
		l := start(context.Background(), Config{
			Work: metrics.Workload{InputTokens: 100, MaxTokens: 50}, Shape: Shape{Drive: loadstat.Drive{Users: 8}}, Seed: 3,
			MaxTokens: 10_000,
			Price:     metrics.Price{In: 1, Out: 10, Currency: "USD"},
		}, f.deps())
		l.Wait()
		v := l.View()
		c := v.Stopped.Tokens
		if v.Budget.Tokens > 10_000 || v.Budget.Tokens < 9_800 || v.Stopped.Code != metrics.EndingCap || c.Max != 10_000 ||
			c.Used+c.Reserved > c.Max || c.Used+c.Reserved+c.Next <= c.Max {
			t.Errorf("%v tokens: %+v", v.Budget.Tokens, v.Stopped)
		}
		want := float64(v.Done) * (100*1 + 50*10) / 1e6
		testkit.That(t, v.Budget.Cost.OK && math.Abs(v.Budget.Cost.V-want) <= 1e-9, "cost %+v, want %v", v.Budget.Cost, want)
	})
}

// An endpoint of others: up to four users and up to 100 000 tokens without a
// question.
func TestGuard(t *testing.T) {
	probetest.TakesTime(t, "a minute of virtual time with users at full speed")
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, time.Millisecond)
		l := start(context.Background(), Config{
			Target: endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "api.example.com",
				URL: "https://api.example.com/v1"}},
			Work: metrics.Workload{InputTokens: 1000, MaxTokens: 100}, Shape: Shape{Drive: loadstat.Drive{Users: 2}}, Seed: 3,
			Guarded: true,
		}, f.deps())
		l.Resize(32)
		time.Sleep(time.Second)
		if v := l.View(); v.Users != 4 || v.Asks.Forecast.Users != 32 || v.Asks.Endpoint != "api.example.com" {
			t.Errorf("%d users, asks %+v", v.Users, v.Asks)
		}
		l.Resize(4)
		if v := l.View(); v.Asks != (loadstat.Question{}) {
			time.Sleep(time.Second)
			testkit.Is(t, l.View().Asks, loadstat.Question{}, "still asks")
		}
		time.Sleep(time.Minute)
		held := l.View()
		if held.Budget.Tokens > FreeTokens || held.InFlight != 0 || held.Asks.Free != FreeTokens ||
			!(held.Asks.Used > 0.9*FreeTokens) || held.Asks.Used > held.Budget.Tokens {
			t.Errorf("%v tokens, %d in flight, asks %+v", held.Budget.Tokens, held.InFlight, held.Asks)
		}
		l.Consent()
		l.Resize(32)
		time.Sleep(5 * time.Second)
		if v := l.View(); v.Users != 32 || v.Asks != (loadstat.Question{}) || !(v.Budget.Tokens > FreeTokens) {
			t.Errorf("after the yes: %d users, %v tokens, asks %+v", v.Users, v.Budget.Tokens, v.Asks)
		}
		finish(l)
	})
}

// Every request begins differently and the seed reproduces them; a shared
// prefix is the same.
func TestPromptsDiffer(t *testing.T) {
	run := func(shared bool) (works []metrics.Workload) {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(time.Millisecond, time.Millisecond)
			l := start(context.Background(), Config{
				Prompts: []string{"one", "two", "three"}, Input: metrics.Lengths{Low: 10, High: 500},
				Output: metrics.FixedLength(3), SharedPrefix: shared,
				Shape: Shape{Drive: loadstat.Drive{Users: 1}}, Seed: 99,
			}, f.deps())
			time.Sleep(time.Second)
			finish(l)
			works = f.works[:30]
		})
		return works
	}
	a, b := run(false), run(false)
	seen, lengths := map[string]bool{}, map[int]bool{}
	for i, w := range a {
		if w.Nonce == "" || seen[w.Nonce] || w.Nonce != b[i].Nonce || w.InputTokens != b[i].InputTokens {
			t.Errorf("request %d: nonce %q, %d tokens; again %q, %d", i, w.Nonce, w.InputTokens, b[i].Nonce, b[i].InputTokens)
		}
		seen[w.Nonce], lengths[w.InputTokens] = true, true
		want := []string{"one", "two", "three"}[i%3]
		testkit.That(t, w.Prompt == want && w.MaxTokens == 3, "request %d: %q, %d tokens out", i, w.Prompt, w.MaxTokens)
	}
	testkit.That(t, len(lengths) >= 20, "30 requests of %d lengths", len(lengths))
	for _, w := range run(true) {
		testkit.Is(t, w.Nonce, "", "shared prefix with nonce")
	}
}
