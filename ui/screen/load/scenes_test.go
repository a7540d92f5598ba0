package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/say"
)

// objectivesOf the scenes.
var pair = []slo.Objective{{Name: "ttft", Limit: 500}, {Name: "tpot", Limit: 20}}

// stepMs, ttftMs are a small model of an endpoint: what a user has among n.
func stepMs(n int) float64 { return 6.5 + 0.138*float64(n) }
func ttftMs(n int) float64 { return 28 + 3.1*float64(n) + 0.011*float64(n)*float64(n) }

func dist(mid float64, n int) metrics.Dist {
	k := func(f float64) metrics.Value { return metrics.Known(mid*f, n) }
	d := metrics.Dist{N: n, Min: k(0.7), P50: k(1), P90: k(1.5), P95: k(1.9), P99: k(3), Max: k(3.4), Mean: k(1.1),
		StdDev: k(0.3)}
	if n < 100 {
		d.P99 = metrics.Unknown(metrics.Needs(100))
	}
	return d
}

func bins(r *rand.Rand, mid float64, n int) *metrics.Histogram {
	h := metrics.NewHistogram(0.1, 1e5, 10)
	for range n {
		h.Add(mid * math.Exp(r.NormFloat64()*0.25+0.05))
	}
	return h
}

// point is a window at n users of the model.
func point(r *rand.Rand, n int, steady bool) loadstat.Point {
	tpot, ttft := stepMs(n), ttftMs(n)
	speed := 1000 / tpot
	rate := float64(n) / ((ttft + 199*tpot) / 1000)
	reqs := 40 + n*3
	q := loadstat.Point{Users: n, Steady: steady, Speed: metrics.Known(speed, reqs), SpeedP5: metrics.Known(speed*0.91,
		reqs),
		Total: metrics.Known(rate*200, reqs), TTFT: dist(ttft, reqs), TPOT: dist(tpot, reqs), Gaps: dist(tpot, reqs*199),
		Running: metrics.Known(float64(n)*0.9, reqs), Waiting: metrics.Known(float64(n)*0.1, reqs), Requests: reqs,
		Rate: metrics.Known(rate, reqs), Tokens: float64(reqs) * 1200, GapBins: bins(r, tpot, 400),
		TTFTBins: bins(r, ttft, 120)}
	missTTFT, missTPOT := misses(ttft*1.3, 500, reqs), misses(tpot*1.1, 20, reqs)
	good := 1 - float64(max(missTTFT, missTPOT))/float64(reqs)
	q.Misses = []loadstat.Miss{{SLO: pair[0], N: missTTFT}, {SLO: pair[1], N: missTPOT}}
	q.GoodShare, q.GoodRate = metrics.Known(good, reqs), metrics.Known(good*rate, reqs)
	q.Peak, q.GoodTokens = metrics.Known(rate*230, 0), metrics.Known(good*rate*200, reqs)
	q.SpeedInterval = loadstat.Interval{Low: metrics.Known(speed*0.98, loadstat.Batches), High: metrics.Known(speed*1.02,
		loadstat.Batches)}
	q.TotalInterval = loadstat.NoInterval(metrics.WhyDependent)
	if !steady {
		q.Why = loadstat.Unsteady{Code: loadstat.UnsteadyShort, N: 2.1, Of: 6}
		q.SpeedInterval, q.TotalInterval = loadstat.NoInterval(metrics.WhyNotSteady),
			loadstat.NoInterval(metrics.WhyNotSteady)
	}
	return q
}

func misses(v, limit float64, n int) int {
	f := 1 / (1 + math.Exp(-(v-limit)/(limit*0.06)))
	return int(f * float64(n))
}

// scenes are the loads that were made before. Most of the time of a test would
// go into making them.
var scenes = map[int]*View{}

// scene is a load that went up to n users in doublings. The caller owns it; only
// histograms are shared.
func scene(n int) *View {
	if scenes[n] == nil {
		scenes[n] = makeScene(n)
	}
	v := *scenes[n]
	l := &v.Load
	alone := *l.Alone
	l.Alone, l.Path, l.Series, l.Lanes = &alone, slices.Clone(l.Path), slices.Clone(l.Series), slices.Clone(l.Lanes)
	l.SLOs, l.Live.Misses = slices.Clone(l.SLOs), slices.Clone(l.Live.Misses)
	for i := range l.Lanes {
		l.Lanes[i].Past = slices.Clone(l.Lanes[i].Past)
	}
	return &v
}

func makeScene(n int) *View {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	now := metrics.Stamp(90 * time.Second)
	l := loadstat.View{Now: now, Began: 0, Running: true, Target: n, Users: n, SLOs: pair,
		Work:     metrics.Workload{Name: "1k in", InputTokens: 1000, MaxTokens: 200},
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", Note: "llama-3.1-8b bf16 on H100"},
		Observer: metrics.Observer{LateP50: 40e3, LateP99: 110e3, N: 900}, Stamps: "kernel"}
	for u := 1; u <= n; u *= 2 {
		l.Path = append(l.Path, point(r, u, true))
	}
	alone := l.Path[0]
	l.Alone = &alone
	l.Live = point(r, n, true)
	for i := range 90 {
		u := 1
		for float64(u*2) <= float64(n) && i > 90/(1+int(math.Log2(float64(n))))*(1+int(math.Log2(float64(u)))) {
			u *= 2
		}
		q := point(r, u, true)
		wobble := 1 + r.NormFloat64()*0.02
		l.Series = append(l.Series, loadstat.Sample{At: metrics.Stamp(i+1) * 1e9, Users: u, Total: q.Total.V * wobble,
			Speed: metrics.Known(q.Speed.V/wobble, 9),
			TTFTs: [3]metrics.Value{q.TTFT.P50, q.TTFT.P95, q.TTFT.P99}})
	}
	for _, q := range l.Path {
		l.Done += q.Requests
		l.Budget.Tokens += q.Tokens
	}
	l.Sent = l.Done + n
	lanesOf(r, &l, n)
	return &View{Load: l, Want: n}
}

// lanes gives each of n users a past of the model, begun at different times.
func lanesOf(r *rand.Rand, l *loadstat.View, n int) {
	tpot, ttft := stepMs(n), ttftMs(n)
	const past = 300
	l.Waiting = metrics.Known(0, 0)
	l.StallAfter = time.Duration(max(5*tpot, 50) * 1e6)
	for u := 1; u <= n; u++ {
		lane := loadstat.Lane{User: u, Stream: u, Done: r.IntN(9)}
		at := -r.Float64() * (ttft + 200*tpot)
		for i := range past {
			t := at + float64(i)*100
			phase := math.Mod(t+10*(ttft+200*tpot), ttft+200*tpot)
			s := loadstat.Slice{State: loadstat.LaneDecoding, Gap: float32(tpot * (0.9 + r.Float64()*0.4))}
			switch {
			case phase < ttft*0.4 && n > 32:
				s = loadstat.Slice{State: loadstat.LaneWaiting}
			case phase < ttft:
				s = loadstat.Slice{State: loadstat.LanePrefill}
			case r.IntN(40) == 0:
				s.Gap *= float32(2 + r.Float64()*3)
			case r.IntN(1200) == 0:
				s = loadstat.Slice{State: loadstat.LaneStalled}
			}
			lane.Past = append(lane.Past, s)
		}
		last := lane.Past[past-1]
		lane.State, lane.Gap = last.State, float64(last.Gap)
		lane.Since = l.Now - metrics.Stamp(r.Int64N(1+int64(ttft*1e6)))
		switch lane.State {
		case loadstat.LaneDecoding, loadstat.LaneStalled:
			l.Decoding++
		case loadstat.LaneWaiting:
			l.Waiting.V++
		}
		l.InFlight++
		l.Lanes = append(l.Lanes, lane)
	}
}

// sceneOf are the other moments of the golden files.
func sceneOf(name string) *View {
	switch name {
	case "idle":
		return &View{Want: 64, Next: say.Start{Work: "1k in · up to 200 tokens"}, Load: loadstat.View{Began: metrics.NoStamp,
			SLOs: pair}}
	case "starting":
		v := scene(1)
		l := &v.Load
		l.Path, l.Alone, l.Series, l.Done, l.Sent = nil, nil, l.Series[:1], 0, 1
		l.Live = loadstat.Point{Users: 1, Warmup: true, Why: loadstat.Unsteady{Code: loadstat.UnsteadyFew, Of: 3},
			Speed: metrics.Unknown(metrics.WhyNoneEnded), Total: metrics.Unknown(metrics.WhyNoneEnded)}
		l.Lanes[0].Past = l.Lanes[0].Past[:12]
		return v
	case "rising":
		v := scene(32)
		r := rand.New(rand.NewPCG(1, 2))
		v.Want, v.Load.Target, v.Load.Users, v.Load.Live = 128, 128, 90, point(r, 90, false)
		v.Load.Lanes, v.Load.InFlight, v.Load.Decoding = nil, 0, 0
		lanesOf(r, &v.Load, 90)
		return v
	case "broken": // an objective has just broken
		return scene(128)
	case "errors":
		v := scene(16)
		l := &v.Load
		l.Failed, l.Faults = 41, []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 33}, {Kind: metrics.FaultReset, N: 8}}
		l.LastFault = &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429,
			Message: "HTTP 429 Too Many Requests: slow down", Next: "wait, or send fewer requests"}
		l.Live.Failed, l.ClientLimits = 41, loadstat.ClientLimit{Code: loadstat.LimitReading, Ms: 14}
		l.Observer.LateP99 = 14 * time.Millisecond
		for i := range l.Lanes {
			if i%3 == 0 {
				lane := &l.Lanes[i]
				lane.State, lane.Since = loadstat.LaneBackoff, l.Now-2e9
				for j := len(lane.Past) - 20; j < len(lane.Past); j++ {
					lane.Past[j] = loadstat.Slice{State: loadstat.LaneBackoff}
				}
			}
		}
		return v
	case "late": // late reads hide three of four gaps
		v := scene(64)
		l := &v.Load
		l.Observer.LateP99, l.ClientLimits = 128e6, loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 128}
		l.Live.Delay = metrics.Delay{Code: metrics.DelayReads, P99: 53.8, Max: 383, Shared: 0.75}
		g := &l.Live.Gaps
		g.Missing = metrics.Missing{N: 3 * g.N, P50: metrics.Bound{High: g.P50.V, OK: true}, P99: metrics.Bound{Low: g.P50.V,
			High: 1.2 * g.P99.V, OK: true}}
		return v
	case "refused":
		v := scene(4)
		v.Load.Running, v.Load.Lanes, v.Load.Users = false, nil, 0
		v.Load.Broken = metrics.Ending{Code: metrics.EndingFailures, Requests: 20, Most: 20, Kind: metrics.FaultHTTP,
			Last: &metrics.Fault{Kind: metrics.FaultHTTP, Message: "the server answers 500"}}
		v.Load.Failed, v.Load.Faults = 20, []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: 20}}
		return v
	case "leaving":
		v := scene(64)
		v.Want, v.Load.Target = 16, 16
		for i := 16; i < 64; i++ {
			v.Load.Lanes[i].Leaving = true
		}
		return v
	}
	panic("unknown scene " + strings.ToUpper(name))
}
