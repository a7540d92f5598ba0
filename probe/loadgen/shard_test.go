package loadgen

import (
	"context"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// The shards have all users, arrivals and prompts of the whole load, and none twice.
func TestShardsAreTheWhole(t *testing.T) {
	random := testkit.Rand(t, 53)
	for range 40 {
		of, users, seed := 1+random.IntN(9), 1+random.IntN(200), random.Uint64()
		shape := Shape{Drive: loadstat.Drive{Rate: 0.5 + 40*random.Float64(), Poisson: random.IntN(2) == 0}}
		arrivalsOf := func(s loadstat.Shard, n int) (out []metrics.Stamp) {
			part := shape
			part.Rate = s.Rate(shape.Rate)
			a := newArrivals(&part, seed, s)
			for at := range 3 { // steps of one load: each begins the schedule again
				a.change(metrics.Stamp(at)*1e12, a.rate, part.Poisson)
				for range n {
					out = append(out, a.due)
					a.due += a.gap(a.due)
				}
			}
			return out
		}
		c := Config{Prompts: []string{"a", "b", "c", "d", "e"}, Input: metrics.Lengths{Low: 10, High: 4000}}
		whole := arrivalsOf(loadstat.Shard{Of: 1}, of*6)
		sum, have, requests := 0, []metrics.Stamp(nil), map[int]metrics.Workload{}
		for i := range of {
			s := loadstat.Shard{Index: i, Of: of}
			sum += s.Users(users)
			testkit.That(t, s.Users(users) == users/of || s.Users(users) == users/of+1, "%d of %d users for %+v", s.Users(users),
				users, s)
			have = append(have, arrivalsOf(s, 6)...)
			c.Shard = s
			for k := range 6 {
				r := newRequest(&c, seed, k, 1)
				_, twice := requests[r.n-1]
				testkit.That(t, !twice, "request %d is of two shards", r.n)
				requests[r.n-1] = r.work
			}
		}
		testkit.Is(t, sum, users, "users of", of, "shards, seed", seed)
		slices.Sort(have)
		for i := range whole {
			testkit.Given(t, max(have[i]-whole[i], whole[i]-have[i]) < 1000,
				"seed %d, %d shards: arrival %d is at %d, of one load at %d", seed, of, i, have[i], whole[i])
		}
		c.Shard = loadstat.Shard{}
		for i := range of * 6 {
			testkit.Is(t, requests[i].Prompt+requests[i].Nonce, newRequest(&c, seed, i, 1).work.Prompt+
				newRequest(&c, seed, i, 1).work.Nonce, "request", i)
			testkit.Is(t, requests[i].InputTokens, newRequest(&c, seed, i, 1).work.InputTokens, "length of request", i)
		}
	}
}

// sharded runs the shards of c against one server in virtual time, each with an engine of
// its own, some of them late. It returns their parts, and every request by the clock that
// counts from the common begin.
func sharded(t *testing.T, c *Curve, of int, late map[int]time.Duration) (parts [][]loadstat.Part, all []metrics.Run) {
	t.Helper()
	parts = make([][]loadstat.Part, of)
	synctest.Test(t, func(t *testing.T) {
		wire := make(probetest.Pipes)
		srv := testkit.Must(sim.Start(sim.Options{Listener: wire, Sleep: time.Sleep}))(t)
		begin := time.Now().Add(10 * time.Second)
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range of {
			wg.Go(func() {
				time.Sleep(late[i])
				e := client.New(client.Options{NoPathProbe: true, Dial: wire.Dial,
					Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }})
				defer e.Close()
				own := Curve{SweepPlan: c.SweepPlan, Config: c.Config,
					Part: func(p loadstat.Part) { parts[i] = append(parts[i], p) }}
				own.StartAt, own.Shard = begin, loadstat.Shard{Index: i, Of: of}
				own.Config.Engine = e
				own.Config.Target = endpoint.Target{Auth: endpoint.AuthNone, Server: "tokscope",
					Endpoint: metrics.Endpoint{Name: "demo", URL: srv.URL(), Model: sim.DefaultModel}}
				origin := e.Clock().Now() + metrics.Stamp(time.Until(begin))
				own.Config.Ended = func(user int, v *metrics.Stream, f *metrics.Figures) {
					run := metrics.Run{Stream: *v, Figures: *f}
					run.Stream.ID = user*of + i // who sent it
					run.Stream.Chunks = slices.Clone(v.Chunks)
					for k := range run.Stream.Chunks {
						run.Stream.Chunks[k].At -= origin
					}
					run.Stream.Marks.Start, run.Stream.Marks.End = v.Marks.Start-origin, v.Marks.End-origin
					mu.Lock()
					all = append(all, run)
					mu.Unlock()
				}
				_, err := own.Run(context.Background())
				testkit.OK(t, err)
			})
		}
		wg.Wait()
		testkit.OK(t, srv.Close(context.Background()))
	})
	return parts, all
}

// The users of all shards join one after the other as those of one load do, over the time of
// an answer: the assumed one, then the measured one. Else their prompts meet in the server.
func TestShardsJoinAsOneLoad(t *testing.T) {
	const of, users = 4, 8
	c := &Curve{SweepPlan: loadstat.SweepPlan{Users: []int{users, 2 * users}}}
	c.Duration = 5 * time.Second
	c.Config.Work, c.Config.Seed = metrics.Workload{Prompt: "x", InputTokens: 300, MaxTokens: 60}, 7
	_, all := sharded(t, c, of, nil)
	first := map[int]time.Duration{}
	var answer []float64
	for i := range all {
		v := &all[i].Stream
		at := time.Duration(v.Marks.Start)
		if was, ok := first[v.ID]; !ok || at < was {
			first[v.ID] = at
		}
		answer = append(answer, all[i].Figures.Total.V)
	}
	at := slices.Sorted(maps.Values(first))
	testkit.Is(t, len(at), 2*users, "users")
	measured := time.Duration(stats.Median(answer) * 1e6)
	for step, over := range []time.Duration{assumedAnswer(c.Config), measured} {
		joined := at[step*users : (step+1)*users]
		for i := range joined {
			want := over / users * time.Duration(i)
			have := joined[i] - joined[0]
			testkit.That(t, (have-want).Abs() < 60*time.Millisecond,
				"user %d of step %d joined %v behind the first, want %v", i, step, have, want)
		}
	}
}

// What a merge says is what all requests of all shards say, in the time that these have in
// common: percentiles exactly, those of gaps within the bound of their sketch. Shards that
// come late join the others at once, and their missing steps are missing.
func TestMergedShards(t *testing.T) {
	slos := testkit.Must(slo.Parse("ttft=60ms,tpot=9ms"))(t)
	for name, c := range map[string]*Curve{
		"closed": {SweepPlan: loadstat.SweepPlan{Users: []int{5, 9}}},
		"open": {SweepPlan: loadstat.SweepPlan{Rates: []float64{4, 8}},
			Config: Config{Shape: Shape{Drive: loadstat.Drive{Poisson: true}}}},
	} {
		c.Duration = 8 * time.Second
		c.Config.Work, c.Config.Seed, c.Config.SLOs = metrics.Workload{Prompt: "x", InputTokens: 300, MaxTokens: 60}, 7, slos
		const of = 3
		parts, all := sharded(t, c, of, map[int]time.Duration{1: 13 * time.Second, 2: 19500 * time.Millisecond})
		for step := range 2 {
			m := Merge{SLOs: slos, MinWindow: 2 * time.Second, Of: of - 1 + step}
			if c.Open() {
				m.Rate = c.Rates[step]
			}
			n := 0
			for _, of := range parts {
				for _, p := range of {
					if p.Step == step {
						testkit.OK(t, m.Add(n, p, loadstat.Point{}, metrics.Dist{}))
						n++
					}
				}
			}
			if want := of - 1 + step; n != want {
				t.Errorf("%s: %d shards measured step %d, want %d: the last one came when the first was over", name, n, step, want)
			}
			p := testkit.Must(m.Step(true))(t).Point
			testkit.That(t, p.To-p.From >= metrics.Stamp(3*time.Second), "%s: step %d has %v in common", name, step,
				time.Duration(p.To-p.From))
			if !c.Open() && n == of {
				testkit.Is(t, p.Users, c.Users[step], "users of", name)
			}
			var ttft, tpot, gaps []float64
			tokens := 0.0
			for i := range all {
				v, f := &all[i].Stream, &all[i].Figures
				if v.Marks.Start >= p.From && v.Marks.End < p.To && v.State == metrics.Done {
					ttft, tpot = append(ttft, f.TTFT.V), append(tpot, f.TPOT.V)
				}
				for k := range v.Chunks {
					if at := v.Chunks[k].At; at >= p.From && at < p.To {
						tokens += float64(max(v.Chunks[k].Tokens, 1))
						if k > 0 && at > v.Chunks[k-1].At {
							gaps = append(gaps, float64(at-v.Chunks[k-1].At)/1e6)
						}
					}
				}
			}
			testkit.Same(t, p.TTFT, metrics.Distribution(ttft), name, "TTFT of step", step)
			testkit.Same(t, p.TPOT, metrics.Distribution(tpot), name, "TPOT of step", step)
			slices.Sort(gaps)
			for q, have := range map[float64]metrics.Value{0.5: p.Gaps.P50, 0.99: p.Gaps.P99} {
				want := stats.Quantile(gaps, q)
				testkit.That(t, math.Abs(have.V/want-1) < 0.006, "%s: gap quantile %g of step %d is %g, of all gaps %g",
					name, q, step, have.V, want)
			}
			had := tokens / (float64(p.To-p.From) / 1e9)
			testkit.That(t, math.Abs(p.Total.V/had-1) < 0.01, "%s: throughput of step %d is %g, of all chunks %g",
				name, step, p.Total.V, had)
		}
	}
}
