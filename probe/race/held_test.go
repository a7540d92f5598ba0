package race_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/race"
)

// maker is a server whose answers have n chunks of size tokens, the first after wait
// ms, then one every each ms. Both vary from answer to answer, with a standard
// deviation of about varies, and the path delays each chunk by jitter ms on average.
//
// With holds something keeps an answer until its last chunk and lets it go within lets
// ms, with half of that as a pause in its middle if pauses, or in one write if joins.
type maker struct {
	wait, each, varies, jitter float64
	n, size                    int

	holds, pauses, joins bool
	lets                 float64
}

// String is what a failed test prints.
func (m maker) String() string {
	s := fmt.Sprintf("%d chunks of %d after %.0f ms, %.3g ms apart, varies %.2f, jitter %.2g ms",
		m.n, m.size, m.wait, m.each, m.varies, m.jitter)
	if m.holds {
		s += fmt.Sprintf(", let go within %.3g ms (paused: %v, one write: %v)", m.lets, m.pauses, m.joins)
	}
	return s
}

// slower returns m with so many times as long from chunk to chunk.
func (m maker) slower(by float64) maker {
	m.each *= by
	return m
}

// times returns when the chunks of an answer are sent, ms.
func (m maker) times(r *rand.Rand) []float64 {
	about := func(x float64) float64 { return x * math.Exp(m.varies*r.NormFloat64()) }
	wait, each, last := about(m.wait), about(m.each), 0.0
	at := make([]float64, m.n)
	for i := range at {
		last = max(last, wait+float64(i)*each+m.jitter*r.ExpFloat64())
		at[i] = last
	}
	if !m.holds {
		return at
	}
	steps, sum := make([]float64, m.n), 0.0
	for i := range steps[1:] {
		steps[i+1] = 0.01 + math.Pow(r.ExpFloat64(), 3)
		sum += steps[i+1]
	}
	if m.pauses {
		steps[m.n/2] += sum
		sum *= 2
	}
	for i := range steps {
		if sum > 0 && !m.joins {
			last += steps[i] * m.lets / sum
		}
		at[i] = last
	}
	return at
}

// handler answers chat completions as m does.
func (m maker) handler(r *rand.Rand) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodPost { // the server is asked for its models
			http.NotFound(w, q)
			return
		}
		began := time.Now()
		mu.Lock()
		times := m.times(r)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(format string, args ...any) {
			_, _ = fmt.Fprintf(w, `data: {"id":"c1","model":"m","choices":[`+format+"\n\n", args...)
		}
		for i, at := range times {
			time.Sleep(time.Until(began.Add(time.Duration(at * 1e6))))
			send(`{"index":0,"delta":{"content":%q}}]}`, strings.Repeat("word ", m.size))
			if !m.joins || i == len(times)-1 {
				_ = http.NewResponseController(w).Flush()
			}
		}
		send(`{"index":0,"delta":{},"finish_reason":"length"}]}`)
		send(`],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`, m.n*m.size)
		_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
	})
}

// byTier serves requests for the tier "priority" with one handler and all others with
// another.
func byTier(others, priority http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"service_tier":"priority"`)) {
			priority.ServeHTTP(w, q)
			return
		}
		others.ServeHTTP(w, q)
	})
}

func target(url string) endpoint.Target {
	return endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, URL: url + "/v1", Model: "m"},
		Auth: endpoint.AuthNone}
}

// A judged race is one that has ended, with the number of answers that had no speed.
type judged struct {
	racestat.View
	without int
}

// state returns what the race came to between its lanes.
func (j *judged) state(f figure.ID) racestat.State {
	v, _ := j.Verdict(f, 0, 1)
	return v.State
}

// contest is a race of two makers of so many pairs. With together both answer at the
// same time, so that what delays one of them on a busy machine delays the other too. With
// varied they are one server, and b answers the tier "priority".
type contest struct {
	a, b     maker
	pairs    int
	together bool
	varied   bool
	seed     uint64
}

// run runs the race in virtual time, over pipes, or with real over HTTP on loopback.
func (c contest) run(t *testing.T, real bool) (j judged) {
	a := c.a.handler(rand.New(rand.NewPCG(c.seed, 1)))
	b := c.b.handler(rand.New(rand.NewPCG(c.seed, 2)))
	if c.varied {
		a = byTier(a, b)
		b = a
	}
	if real {
		sa, sb := httptest.NewServer(a), httptest.NewServer(b)
		defer sa.Close()
		defer sb.Close()
		return c.between(t, client.Options{}, sa.URL, sb.URL)
	}
	synctest.Test(t, func(t *testing.T) {
		lanes := map[string]probetest.Pipes{"a:80": make(probetest.Pipes), "b:80": make(probetest.Pipes)}
		for host, h := range map[string]http.Handler{"a:80": a, "b:80": b} {
			s := &http.Server{Handler: h}
			go func() { _ = s.Serve(lanes[host]) }()
			defer s.Close()
		}
		j = c.between(t, client.Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return lanes[addr].Dial(ctx, network, addr)
		}}, "http://a", "http://b")
	})
	return j
}

// between runs the race between the servers at two URLs.
func (c contest) between(t *testing.T, o client.Options, a, b string) (j judged) {
	o.NoPathProbe, o.Proxy = true, func(*http.Request) (*url.URL, error) { return nil, nil }
	e := client.New(o)
	defer e.Close()
	lanes := []race.Lane{{Label: "a", Target: target(a)}, {Label: "b", Target: target(b)}}
	if c.varied {
		lanes = varied(t, target(a))
	}
	r := race.Start(t.Context(), race.Config{
		Engine: e, Lanes: lanes,
		Plan: racestat.Plan{Bounds: racestat.Bounds{Pairs: c.pairs}, Parallel: c.together, Seed: c.seed, Work: work},
		Ended: func(s *metrics.Stream, f *metrics.Figures) {
			testkit.Is(t, s.State, metrics.Done, "a request failed", s.Fault)
			if !f.TPOT.OK || !f.Speed.OK {
				j.without++
			}
		}})
	r.Wait()
	j.View = r.View()
	return j
}

// varied returns lanes of one target that differ in the tier that they ask for.
func varied(t *testing.T, target endpoint.Target) (lanes []race.Lane) {
	for _, tier := range []string{"default", "priority"} {
		l := race.Lane{Label: "tier=" + tier, Value: tier, Target: target}
		testkit.OK(t, l.Target.Set("tier", tier))
		lanes = append(lanes, l)
	}
	return lanes
}

// between draws a number, as many below as above the middle of its logarithm.
func between(r *rand.Rand, low, high float64) float64 { return low * math.Pow(high/low, r.Float64()) }

// held returns m behind something that holds its answers back, and lets them go within
// 0 to 3 % of the wait, faster than they were made and than a program needs to write.
func held(r *rand.Rand, m maker) maker {
	m.holds, m.pauses, m.joins = true, r.IntN(3) == 0, r.IntN(5) == 0
	decode := m.each * float64(m.n-1)
	m.lets = r.Float64() * min(0.03*(m.wait+decode), decode/2, 5+float64(m.n)/2)
	return m
}

// undecided reports that neither lane has a better pace, and neither an equal one.
func undecided(j *judged) bool {
	for _, f := range []figure.ID{figure.TPOT, figure.Longest} {
		if s := j.state(f); s == racestat.Decided || s == racestat.Equal {
			return false
		}
	}
	return true
}

// firstWins reports that the first lane has the lower TPOT.
func firstWins(j *judged) bool {
	v, _ := j.Verdict(figure.TPOT, 0, 1)
	return v.State == racestat.Decided && v.Leader == 0
}

// noWinner reports that no lane has the lower figure.
func noWinner(j *judged) bool {
	return !slices.ContainsFunc(j.Verdicts, func(v racestat.Verdict) bool { return v.State == racestat.Decided })
}

// allHaveSpeed reports that every answer kept its speed.
func allHaveSpeed(j *judged) bool { return j.without == 0 }

// kinds are what is raced, and what must come of it in so many of 100 races, or 200. draw is
// for virtual time, brief for HTTP, where a race ends within about 10 s.
var kinds = []struct {
	name        string
	draw, brief func(r *rand.Rand) contest
	right       func(j *judged) bool
	least       int // of 100
	times       int // as many races as of the others
}{
	{"held back against plain", func(r *rand.Rand) contest {
		m := maker{wait: between(r, 100, 3000), each: between(r, 3, 40), varies: between(r, 0.01, 0.3),
			jitter: between(r, 0.01, 1), n: int(between(r, 1, 301)), size: 1 + r.IntN(3)}
		return contest{a: m, b: held(r, m), pairs: 40}
	}, func(r *rand.Rand) contest {
		m := maker{wait: between(r, 80, 120), each: between(r, 4, 7), varies: 0.05, n: 1 + r.IntN(16), size: 1 + r.IntN(3)}
		return contest{a: m, b: held(r, m), pairs: 12}
	}, undecided, 100, 1},
	{"plain ones 10 % apart", func(r *rand.Rand) contest {
		m := maker{wait: between(r, 100, 3000), each: between(r, 0.5, 40), varies: 0.05, jitter: between(r, 0.01, 0.5),
			n: 20 + r.IntN(200), size: 1}
		return contest{a: m, b: m.slower(1.1), pairs: 60}
	}, func(r *rand.Rand) contest {
		m := maker{wait: between(r, 10, 30), each: between(r, 5, 6), varies: 0.01, n: 40, size: 1}
		return contest{a: m, b: m.slower(1.1), pairs: 30, together: true}
	}, firstWins, 95, 1},
	{"one field varied, without effect", func(r *rand.Rand) contest {
		m := maker{wait: between(r, 100, 3000), each: between(r, 0.5, 40), varies: between(r, 0.01, 0.3),
			jitter: between(r, 0.01, 0.5), n: 20 + r.IntN(100), size: 1}
		return contest{a: m, b: m, pairs: 30, varied: true}
	}, func(r *rand.Rand) contest {
		m := maker{wait: between(r, 10, 30), each: between(r, 5, 6), varies: 0.05, n: 30, size: 1}
		return contest{a: m, b: m, pairs: 20, varied: true}
	}, noWinner, 95, 2},
	{"one field varied, at 9 tenths of the speed", func(r *rand.Rand) contest {
		m := maker{wait: between(r, 100, 3000), each: between(r, 0.5, 40), varies: 0.05, jitter: between(r, 0.01, 0.5),
			n: 20 + r.IntN(200), size: 1}
		return contest{a: m, b: m.slower(1 / 0.9), pairs: 60, varied: true}
	}, func(r *rand.Rand) contest {
		m := maker{wait: between(r, 10, 30), each: between(r, 5, 6), varies: 0.01, n: 40, size: 1}
		return contest{a: m, b: m.slower(1 / 0.9), pairs: 30, together: true, varied: true}
	}, firstWins, 95, 1},
	{"24 s of prefill, 40 tokens", func(r *rand.Rand) contest {
		m := maker{wait: 24_000, each: between(r, 0.4, 10), varies: 0.05, jitter: 0.2, n: 40, size: 1}
		return contest{a: m, b: m, pairs: 2}
	}, func(r *rand.Rand) contest {
		m := maker{wait: 1100, each: between(r, 1, 4), varies: 0.05, n: 40, size: 1}
		return contest{a: m, b: m, pairs: 1}
	}, allHaveSpeed, 100, 1},
	{"2,500 tok/s", func(r *rand.Rand) contest {
		m := maker{wait: between(r, 100, 4000), each: 0.4, jitter: between(r, 0.01, 0.3), n: 40 + r.IntN(400), size: 1}
		return contest{a: m, b: m, pairs: 4}
	}, func(r *rand.Rand) contest {
		m := maker{wait: between(r, 100, 1200), each: 0.4, n: 500 + r.IntN(500), size: 1}
		return contest{a: m, b: m, pairs: 1}
	}, allHaveSpeed, 100, 1},
}

// TestHeldLanesDecideNothing races in virtual time, through client, dialect and
// figures: a few races of each kind, with TOKSCOPE_LONG=1 100.
func TestHeldLanesDecideNothing(t *testing.T) {
	n := probetest.Cases(3, 1)
	if long {
		n = 100
	}
	play(t, n, false)
}

// TestHeldLanesOverHTTP runs ten races of each kind over HTTP on loopback: minutes of
// waiting. A busy machine delays chunks: it may leave plain lanes open, and hold fast
// answers back itself.
func TestHeldLanesOverHTTP(t *testing.T) {
	if !long {
		t.Skip("minutes of real HTTP: TOKSCOPE_LONG=1 runs it")
	}
	play(t, 10, true)
}

// play runs n races of each kind.
func play(t *testing.T, n int, real bool) {
	r := testkit.Rand(t, 26)
	for _, k := range kinds {
		draw := k.draw
		if real {
			draw = k.brief
		}
		t.Run(k.name, func(t *testing.T) {
			right, took := 0, time.Duration(0)
			n := n * k.times
			for range n {
				c, began := draw(r), time.Now()
				c.seed = r.Uint64()
				j := c.run(t, real)
				took = max(took, time.Since(began))
				if k.right(&j) {
					right++
					continue
				}
				t.Logf("%s\nagainst %s: TPOT %s, longest %s of %d pairs, %d without speed", c.a, c.b,
					j.state(figure.TPOT), j.state(figure.Longest), j.Pairs(), j.without)
			}
			if t.Logf("%d of %d, the longest took %v", right, n, took); right*100 < n*k.least {
				t.Errorf("fewer than %d %%", k.least)
			}
		})
	}
}
