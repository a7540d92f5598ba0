package loadgen

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// steered is a load on a fake endpoint whose answers show the work that they
// belong to: work k waits k times 41 ms.
type steered struct {
	*fake
	l    *Load
	mu   sync.Mutex
	done []metrics.Stream // all that ended
}

// workNo returns work k, with answers of that many tokens.
func workNo(k, tokens int) metrics.Workload {
	return metrics.Workload{Prompt: "x", InputTokens: k, MaxTokens: tokens}
}

func waitNo(k int) time.Duration { return time.Duration(k) * 41 * time.Millisecond }

func steer(c Config) *steered { return steerFailing(c, func(int) *metrics.Fault { return nil }) }

// steerFailing is steer where request i fails with fault(i), if that is not nil.
func steerFailing(c Config, fault func(i int) *metrics.Fault) *steered {
	s := &steered{fake: newFake(0, 23*time.Millisecond)}
	s.fault = fault
	s.wait = func(i int) time.Duration {
		s.fake.mu.Lock()
		defer s.fake.mu.Unlock()
		return waitNo(s.works[i].InputTokens)
	}
	c.Ended = func(_ int, v *metrics.Stream, _ *metrics.Figures) {
		s.mu.Lock()
		s.done = append(s.done, *v)
		s.mu.Unlock()
	}
	c.SharedPrefix, c.Seed = true, 1
	s.l = start(context.Background(), c, s.deps())
	return s
}

// end stops the load and returns its last view.
func (s *steered) end() loadstat.View {
	s.l.Stop()
	s.l.Wait()
	return s.l.View()
}

// No request that was sent before a mark counts in a point after it: not its
// tokens, not its TTFT, not its gaps. Random schedules of changes, users, rates
// and undos are checked against a reading of every chunk.
func TestNoRequestCountsAcrossAMark(t *testing.T) {
	rng := testkit.Rand(t, 1)
	points, straddled := 0, 0
	rounds := probetest.Cases(32, 12)
	for round := range rounds {
		synctest.Test(t, func(t *testing.T) {
			c := Config{Work: workNo(1, 5+rng.IntN(60)), Shape: Shape{Drive: loadstat.Drive{Users: 1 + rng.IntN(6)}},
				Window: 4 * time.Second, MinWindow: time.Second}
			if round%4 == 3 {
				c.Shape = Shape{Drive: loadstat.Drive{Rate: 1 + 9*rng.Float64(), Poisson: true}}
			}
			s := steer(c)
			for range 8 {
				time.Sleep(time.Duration(rng.IntN(5_000_000)) * time.Microsecond)
				switch rng.IntN(6) {
				case 0:
					s.l.Resize(1 + rng.IntN(6))
				case 1:
					if c.Shape.Open() {
						s.l.SetDrive(loadstat.Drive{Rate: 1 + 9*rng.Float64(), Poisson: true})
					}
				case 2:
					s.l.Undo(false)
				default:
					w := workNo(1+rng.IntN(3), 5+rng.IntN(60))
					s.l.Steer(func(c *Config) { c.Work = w })
				}
			}
			time.Sleep(3 * time.Second)
			s.l.Drain()
			s.l.Wait()
			v := s.l.View()
			for _, p := range append(slices.Clone(v.Path), v.Live) {
				if p.Tokens > 0 {
					points++
				}
				straddled += s.check(t, &v, &p)
			}
			if t.Failed() {
				t.Logf("round %d: %+v", round, v.Marks)
			}
		})
	}
	testkit.That(t, points >= 4*rounds && straddled >= 8*rounds,
		"only %d points were checked, and %d requests across a mark", points, straddled)
}

// check compares p with all chunks of all requests. It returns how many requests
// ran across the last mark before p. A chunk that arrives at the very end of the load
// may be part of its last point: which of the two is first is not defined.
func (s *steered) check(t *testing.T, v *loadstat.View, p *loadstat.Point) (straddle int) {
	t.Helper()
	work := v.Setups[p.Setup].Work
	mark := metrics.Stamp(0)
	for i := range v.Marks {
		if m := &v.Marks[i]; !loadstat.SameWork(m.From, m.To) && m.At <= p.To {
			mark = m.At
		}
	}
	tokens, last := 0.0, 0.0
	for i := range s.done {
		q := &s.done[i]
		if q.Marks.Start < mark && q.Marks.End > mark {
			straddle++
		}
		for _, c := range q.Chunks {
			if c.At == p.To && p.To == v.Live.To {
				last++
			}
			if c.At < p.From || c.At >= p.To {
				continue
			}
			tokens++
			if q.Marks.Start < mark || q.Work.InputTokens != work.InputTokens || q.Work.MaxTokens != work.MaxTokens {
				t.Errorf("the point %v to %v of work %d/%d has a token of a request of work %d/%d sent at %v, before the mark "+
					"at %v",
					p.From, p.To, work.InputTokens, work.MaxTokens, q.Work.InputTokens, q.Work.MaxTokens, q.Marks.Start, mark)
				return straddle
			}
		}
	}
	testkit.That(t, p.Tokens >= tokens-1e-6 && p.Tokens <= tokens+last+1e-6,
		"the point %v to %v has %v tokens, %v arrived, and %v at its very end", p.From, p.To, p.Tokens, tokens, last)
	want := waitNo(work.InputTokens).Seconds() * 1000
	for _, x := range []metrics.Value{p.TTFT.Min, p.TTFT.Max} {
		testkit.That(t, !x.OK || math.Abs(x.V-want) <= 1e-6, "a TTFT of %v ms in a point of a work with %v ms", x.V, want)
	}
	return straddle
}

// What a person changes in place becomes a mark, with the setting before and
// after; the load goes on, and so do its running requests.
func TestMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := endpoint.Target{Endpoint: metrics.Endpoint{Name: "here", URL: "http://127.0.0.1:1", Model: "a"}}
		// answers of 1.4 s
		s := steer(Config{Target: target, Work: workNo(1, 60), Shape: Shape{Drive: loadstat.Drive{Users: 4}}})
		time.Sleep(4500 * time.Millisecond)
		if v := s.l.View(); len(v.Marks) != 0 || v.Undo != nil || v.Setup != 0 || len(v.Setups) != 1 {
			t.Errorf("before any change: %+v, undo %v, setups %d", v.Marks, v.Undo, len(v.Setups))
		}
		sent := s.l.View().Sent
		w := workNo(2, 40)
		s.l.Steer(func(c *Config) { c.Work = w })
		v := s.l.View()
		if v.Sent != sent || v.InFlight != 4 || v.Live.Setup != 1 || v.Live.Total.OK || v.Live.Speed.OK || v.Cancelled != 0 {
			t.Errorf("just after the mark: %d sent of %d, %d run, live %+v", v.Sent, sent, v.InFlight, v.Live)
		}
		testkit.That(t, v.Live.Why.Code == loadstat.UnsteadyBefore && v.Live.Why.N == 4, "not steady for %+v", v.Live.Why)
		time.Sleep(600 * time.Millisecond)
		if v := s.l.View(); v.Live.Tokens != 0 || v.Live.Gaps.N != 0 || v.Live.Why.Code != loadstat.UnsteadyBefore {
			t.Errorf("while requests of the work before run, the point has %v tokens, %d gaps, %+v", v.Live.Tokens,
				v.Live.Gaps.N, v.Live.Why)
		}
		time.Sleep(5 * time.Second)
		model := target
		model.Model = "b"
		s.l.Move(model, false, 0)
		slos := []slo.Objective{{Name: "ttft", Limit: 50}}
		time.Sleep(3 * time.Second)
		s.l.SetSLOs(slos)
		time.Sleep(2 * time.Second)
		s.l.Steer(func(c *Config) { c.Work = w }) // the same: no mark
		v = s.l.View()
		var kinds []loadstat.MarkKind
		for _, m := range v.Marks {
			kinds = append(kinds, m.Kind)
		}
		if !slices.Equal(kinds, []loadstat.MarkKind{loadstat.MarkWork, loadstat.MarkModel, loadstat.MarkObjectives}) {
			t.Fatalf("marks %v", kinds)
		}
		if m := v.Marks[0]; m.From.Work.InputTokens != 1 || m.To.Work.InputTokens != 2 || m.Undo || m.At != 4_500_000_000 {
			t.Errorf("the first mark is %+v", m)
		}
		if m := v.Marks[1]; m.From.Endpoint.Model != "a" || m.To.Endpoint.Model != "b" {
			t.Errorf("the second mark is %+v", m)
		}
		testkit.That(t, v.Setup == 2 && len(v.Setups) == 3 && v.Endpoint.Model == "b" && v.Live.Setup == 2 && v.Live.Steady,
			"setup %d of %d, %+v, live %+v", v.Setup, len(v.Setups), v.Endpoint, v.Live.Why)
		if len(v.Path) != 2 || v.Path[0].Setup != 0 || v.Path[1].Setup != 1 || len(v.Present()) != 0 {
			t.Errorf("path of %d, %d of the present work", len(v.Path), len(v.Present()))
		}
		u := v.Undo
		testkit.That(t, u != nil && u.Kind == loadstat.MarkObjectives, "undo would take back %+v", u)
		s.end()
	})
}

// Alone is a point of the present work, or none.
func TestAloneIsOfThePresentWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := steer(Config{Work: workNo(1, 10), Shape: Shape{Drive: loadstat.Drive{Users: 1}}})
		time.Sleep(6 * time.Second)
		s.l.Resize(3)
		time.Sleep(6 * time.Second)
		v := s.l.View()
		if a := v.One(); a == nil || a.Setup != 0 || !a.Steady {
			t.Fatalf("alone: %+v", a)
		}
		w := workNo(3, 10)
		s.l.Steer(func(c *Config) { c.Work = w })
		time.Sleep(6 * time.Second)
		if v := s.l.View(); v.One() != nil || v.Alone != nil || !v.Live.Steady {
			t.Errorf("another work has %+v of one user", v.One())
		}
		s.l.Undo(false)
		time.Sleep(6 * time.Second)
		v = s.l.View()
		if a := v.One(); a == nil || v.Setup != 0 || len(v.Setups) != 2 || len(v.Present()) != 2 {
			t.Errorf("back at the first work: alone %+v, setup %d, %d points", a, v.Setup, len(v.Present()))
		}
		s.end()
	})
}

// Undo takes changes back, the last one first, and is a mark but no change that
// it takes back itself. A dragged slider is one change.
func TestUndo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := steer(Config{Work: workNo(1, 10), Shape: Shape{Drive: loadstat.Drive{Users: 2}},
			SLOs: []slo.Objective{{Name: "ttft", Limit: 50}}})
		time.Sleep(2 * time.Second)
		s.l.Undo(false)
		w := workNo(2, 10)
		in := metrics.Lengths{Low: 2, High: 2}
		s.l.Steer(func(c *Config) { c.Work, c.Input = w, in })
		time.Sleep(2 * time.Second)
		s.l.SetSLOs(nil)
		for n := 3; n <= 9; n++ {
			s.l.Resize(n)
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		s.l.Resize(12)
		time.Sleep(100 * time.Millisecond)
		s.l.Resize(9) // and back: nothing has changed
		time.Sleep(2 * time.Second)
		if v := s.l.View(); len(v.Marks) != 3 || v.Undo == nil || v.Undo.Kind != loadstat.MarkUsers ||
			v.Undo.From.Users != 2 || v.Undo.To.Users != 9 {
			t.Fatalf("%d marks, undo %+v", len(v.Marks), v.Undo)
		}
		for i, want := range []struct {
			users, input, slos int
			varies             bool
		}{{2, 2, 0, true}, {2, 2, 1, true}, {2, 1, 1, false}} {
			s.l.Undo(false)
			time.Sleep(3 * time.Second)
			v := s.l.View()
			if v.Target != want.users || v.Work.InputTokens != want.input || len(v.SLOs) != want.slos ||
				v.Input.IsZero() == want.varies || !v.Marks[len(v.Marks)-1].Undo {
				t.Errorf("after undo %d: %d users, %+v, %v", i+1, v.Target, v.Work, v.SLOs)
			}
		}
		if v := s.l.View(); v.Undo != nil || len(v.Marks) != 6 || v.Failed > 0 {
			t.Errorf("at the end: undo %+v, %d marks, %d failed", v.Undo, len(v.Marks), v.Failed)
		}
		_, _, ok := s.l.Undoes()
		testkit.That(t, !ok, "something is left to undo")
		s.end()
	})
}

// Another endpoint has the guard and the cap that a person agreed to; a model of
// the same endpoint changes neither.
func TestAnotherEndpointIsGuarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(url, model string) *endpoint.Target {
			return &endpoint.Target{Endpoint: metrics.Endpoint{Name: url, URL: url, Model: model}}
		}
		s := steer(Config{Target: *at("http://127.0.0.1:1", "a"), Work: workNo(1, 10),
			Shape: Shape{Drive: loadstat.Drive{Users: 8}}})
		time.Sleep(time.Second)
		s.l.Move(*at("https://far.example", "a"), true, 1e6)
		most, given := s.guard()
		if v := s.l.View(); v.Target != 8 || most < 1e6 || most > 1.1e6 || !given {
			t.Errorf("far: %d users, cap %v, %v", v.Target, most, given)
		}
		time.Sleep(time.Second)
		s.l.Move(*at("https://far.example", "b"), false, 5e6)
		if now, given := s.guard(); now != most || !given {
			t.Errorf("another model: cap %v, was %v", now, most)
		}
		s.l.Undo(false)
		s.l.Undo(true)
		time.Sleep(time.Second)
		most, given = s.guard()
		if v := s.l.View(); v.Endpoint.URL != "http://127.0.0.1:1" || most != 0 || !given || len(v.Setups) != 3 ||
			v.Setup != 0 {
			t.Errorf("back: %+v, cap %v", v.Endpoint, most)
		}
		s.end()
	})
	synctest.Test(t, func(t *testing.T) { // a guard that nobody lifted stays with another model
		target := endpoint.Target{Endpoint: metrics.Endpoint{Name: "far", URL: "https://far.example", Model: "a"}}
		s := steer(Config{Target: target, Work: workNo(1, 10), Shape: Shape{Drive: loadstat.Drive{Users: 2}}, Guarded: true})
		model := target
		model.Model = "b"
		s.l.Move(model, false, 0)
		s.l.Resize(64)
		if v := s.l.View(); v.Target != FreeUsers || v.Asks == (loadstat.Question{}) {
			t.Errorf("%d users, asks %+v", v.Target, v.Asks)
		}
		s.end()
	})
}

// Users that back off from an endpoint that fails go on at once at another one, but
// not with another model of the same endpoint: it may have asked for the wait.
func TestAnotherEndpointEndsTheBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(url, model string) *endpoint.Target {
			return &endpoint.Target{Endpoint: metrics.Endpoint{Name: url, URL: url, Model: model}}
		}
		var works atomic.Bool
		s := steerFailing(Config{Target: *at("http://127.0.0.1:1", "a"), Work: workNo(1, 10),
			Shape: Shape{Drive: loadstat.Drive{Users: 4}}}, func(int) *metrics.Fault {
			if works.Load() {
				return nil
			}
			return &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Message: "slow down", RetryAfter: 40 * time.Second}
		})
		time.Sleep(time.Second)
		works.Store(true)
		s.l.Move(*at("http://127.0.0.1:1", "b"), false, 0)
		time.Sleep(5 * time.Second)
		if v := s.l.View(); v.Done != 0 || v.Failed == 0 {
			t.Errorf("another model: %d done, %d failed", v.Done, v.Failed)
		}
		s.l.Move(*at("http://127.0.0.1:2", "a"), false, 0)
		time.Sleep(2 * time.Second)
		if v := s.l.View(); v.Done < 4 {
			t.Errorf("another endpoint: %d done", v.Done)
		}
		s.end()
	})
}

// guard returns the cap of the load, and whether its consent is given.
func (s *steered) guard() (most float64, given bool) {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	return s.l.budget.max, s.l.consent.given
}

// Another place has its own price and its own cap, and the requests that run
// are still paid at the price of theirs.
func TestAccountsOfTwoPlaces(t *testing.T) {
	b := newBudget(&Config{Price: metrics.Price{In: 1, Out: 2, Currency: "USD"}, MaxTokens: 100})
	first := &user{account: b.account, reserved: 40}
	b.used, b.reserved = 10, 40
	b.price(metrics.Price{In: 3, Out: 4, Currency: "USD"})
	b.allow(500)
	testkit.Is(t, b.max, 550, "the cap")
	second := &user{account: b.account}
	end := func(u *user, prompt, output float64) {
		v := metrics.Stream{}
		b.charge(u, &v, &metrics.Figures{PromptTokens: metrics.Known(prompt, 1), Tokens: metrics.Known(output, 1)})
	}
	end(first, 1e6, 1e6)
	end(second, 1e6, 1e6)
	if v := b.view(nil, 0); !v.Cost.OK || v.Cost.V != 10 || v.Currency != "USD" {
		t.Errorf("cost %+v %s", v.Cost, v.Currency)
	}
	b.price(metrics.Price{})
	b.allow(0)
	if v := b.view(nil, 0); !v.Cost.OK || v.MaxTokens != 0 {
		t.Errorf("nothing was used without a price yet: %+v", v)
	}
	end(&user{account: b.account}, 5, 5)
	if v := b.view(nil, 0); v.Cost.OK {
		t.Errorf("some tokens have no price: %+v", v.Cost)
	}
	b = newBudget(&Config{Price: metrics.Price{In: 1, Currency: "USD"}})
	end(&user{account: b.account}, 5, 5)
	b.price(metrics.Price{In: 1, Currency: "EUR"})
	end(&user{account: b.account}, 5, 5)
	if v := b.view(nil, 0); v.Cost.OK || v.Currency != "" {
		t.Errorf("two currencies: %+v %s", v.Cost, v.Currency)
	}
}
