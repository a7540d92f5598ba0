package report

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/uitest/golden"
)

// dist is a distribution of n values between low and high, spread evenly.
func dist(n int, low, high float64) metrics.Dist {
	values := make([]float64, n)
	for i := range values {
		values[i] = low + (high-low)*float64(i)/float64(max(n-1, 1))
	}
	return metrics.Distribution(values)
}

// curve is a load curve like that of an 8B model: per-user speed falls as
// 150/(1 + n/50). All steps but the last are steady.
func curve(slos []slo.Objective) []loadstat.SweepStep {
	var out []loadstat.SweepStep
	for i, n := range []int{1, 8, 32, 64, 128} {
		each := 150 / (1 + float64(n)/50)
		p := loadstat.Point{
			Users: n, From: metrics.Stamp(int64(i) * 20e9), To: metrics.Stamp(int64(i)*20e9 + 18e9), Steady: n < 128,
			Speed: metrics.Known(each, 40*n), SpeedP5: metrics.Known(each*0.9, 40*n), Total: metrics.Known(each*float64(n)*0.95,
				0),
			TTFT: dist(40*n, 30+float64(n), 60+float64(n)*9), TPOT: dist(40*n, 900/each, 1100/each),
			Gaps:    dist(4000*n, 800/each, 3000/each),
			Running: metrics.Known(float64(n)*0.9, 0), Prefill: metrics.Known(float64(n)*0.05, 0),
			Waiting:  metrics.Known(float64(n)*0.1, 0),
			Requests: 40 * n, Rate: metrics.Known(float64(40*n)/18, 40*n), Tokens: each * float64(n) * 18,
			GoodRate: metrics.Unknown(metrics.WhyNoObjectives), GoodShare: metrics.Unknown(metrics.WhyNoObjectives),
			Peak: metrics.Known(each*float64(n)*1.1, 0), SpeedInterval: within(each),
			TotalInterval: within(each * float64(n) * 0.95),
		}
		switch n {
		case 64:
			p.SpeedInterval = loadstat.NoInterval(metrics.WhyDependent)
		case 128:
			p.SpeedInterval, p.TotalInterval = loadstat.NoInterval(metrics.WhyNotSteady),
				loadstat.NoInterval(metrics.WhyNotSteady)
		}
		if n == 128 {
			p.Why, p.Failed = loadstat.Unsteady{Code: loadstat.UnsteadyThroughput, N: 0.09}, 3
			p.Faults = []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 2}, {Kind: metrics.FaultReset, N: 1}}
		}
		if len(slos) > 0 {
			missed := map[int]int{64: 1280, 128: 5000}[n]
			share := 1 - float64(missed)/float64(p.Requests+p.Failed)
			p.GoodShare = metrics.Known(share, p.Requests+p.Failed)
			p.GoodRate = metrics.Known(share*p.Rate.V, p.Requests)
			p.GoodTokens = metrics.Known(share*p.Total.V, p.Requests)
			for k, o := range slos {
				p.Misses = append(p.Misses, loadstat.Miss{SLO: o, N: missed * (1 - k)})
			}
		}
		out = append(out, loadstat.SweepStep{Point: p})
	}
	return out
}

// within is an interval of 2 % around a mean.
func within(mean float64) loadstat.Interval {
	return loadstat.Interval{Low: metrics.Known(mean*0.98, loadstat.Batches), High: metrics.Known(mean*1.02,
		loadstat.Batches)}
}

func reportOf(t *testing.T, objective string) *Sweep {
	t.Helper()
	slos := testkit.Must(slo.Parse(objective))(t)
	return &Sweep{
		Plan: loadstat.SweepPlan{Work: metrics.Workload{Name: "1k in", Prompt: "Why?", InputTokens: 1000, MaxTokens: 200},
			SLOs: slos},
		Loop: "closed loop, at most 20s a step",
		SweepOutcome: loadstat.SweepOutcome{
			Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "llm.example.com", URL: "https://llm.example.com/v1",
				Model: "org/model-8b"},
			Steps: curve(slos), Planned: 5,
			View: loadstat.View{Budget: loadstat.Budget{Tokens: 1234567, Cost: metrics.Known(0.4321, 0)}, Stamps: "kernel",
				Observer: metrics.Observer{N: 100, LateP99: 150 * time.Microsecond, LateMax: 2 * time.Millisecond}},
		},
	}
}

// variedReport is a sweep with varying prompt lengths. Its fits are a good
// one, a falling one, a meaningless one and an unknown one. A step of an
// older file has none.
func variedReport(t *testing.T) *Sweep {
	t.Helper()
	r := reportOf(t, "")
	r.Plan.Work.Name, r.Plan.Work.InputTokens = "custom", 0
	r.Plan.Input, r.Plan.Output = metrics.Lengths{Low: 200, High: 4000}, metrics.Lengths{Choices: []int{100, 400}}
	known := func(a, b, r2, off float64, n int) *loadstat.TTFTFit {
		return &loadstat.TTFTFit{A: metrics.Known(a, n), B: metrics.Known(b, n), R2: metrics.Known(r2, n),
			Off: metrics.Known(off, n), Low: 214, High: 3980, N: n}
	}
	none := loadstat.NoFit(5, metrics.Needs(8))
	for i, f := range []*loadstat.TTFTFit{known(12.3, 0.031, 0.9999, 1.25, 40), known(-4.5, 0.062, 0.4, 40, 200),
		known(300, -0.0021, 0, 150, 200), &none} {
		r.Steps[i].Point.Fit = f
	}
	return r
}

// openReport is an open loop above what the endpoint can do: 50 requests a
// second at the most end.
func openReport(t *testing.T) *Sweep {
	t.Helper()
	r := reportOf(t, "ttft=500ms")
	r.Plan.Rates, r.Loop = []float64{1, 5, 20, 50, 100}, "open loop, evenly spaced, at most 20s a step"
	for i := range r.Steps {
		s := &r.Steps[i]
		p := &s.Point
		s.Rate = r.Plan.Rates[i]
		p.Asked, p.Arrived, p.Backlog = s.Rate, metrics.Known(s.Rate, int(18*s.Rate)), metrics.Known(0, 0)
		p.FromIntended = dist(40*p.Users, 30+float64(p.Users), 60+float64(p.Users)*9)
		p.Requests, p.Rate = int(18*min(s.Rate, 50)), metrics.Known(min(s.Rate, 50), int(18*min(s.Rate, 50)))
		if p.Failed > 0 {
			p.Backlog, p.FromIntended = metrics.Known(412, 0), dist(900, 700, 9400)
			p.FromIntendedAtLeast = metrics.AtLeast{P50: metrics.Known(11_987, 1400), P95: metrics.Known(19_200, 1010),
				P99: metrics.Known(19_996, 930)}
		}
		s.Lag = dist(200, 0, 2)
	}
	return r
}

// ramped makes slices of a ramp of the steps of r, from one load to the next.
func ramped(r *Sweep) *Sweep {
	r.Loop, r.Plan.Ramp = "ramp within 2m0s", loadstat.Drive{Users: 1, To: 128, Within: 2 * time.Minute}
	from := 1.0
	for i := range r.Steps {
		s := &r.Steps[i]
		to := float64(s.Point.Users) + 0.5
		if r.open() {
			to = s.Rate * 1.1
		}
		s.Point.Ramp, s.Point.FromIntendedAtLeast = &loadstat.Ramp{From: from, To: to}, metrics.AtLeast{}
		s.Point.Steady, s.Point.Why = false, loadstat.Unsteady{Code: loadstat.UnsteadyRamp}
		s.Point.SpeedInterval, s.Point.TotalInterval = loadstat.NoInterval(metrics.WhyNotSteady),
			loadstat.NoInterval(metrics.WhyNotSteady)
		from = to
	}
	return r
}

// TestSLOVerdict checks that objectives are missed only where requests missed
// them: a step without a steady window is not known, and a ramp, which is never
// steady, is judged slice by slice.
func TestSLOVerdict(t *testing.T) {
	if none := (&Sweep{}).Verdicts(); none != (loadstat.SweepVerdicts{Knee: -1, Largest: -1, BreaksStep: -1}) {
		t.Errorf("verdicts on nothing: %+v", none)
	}
	const steady, share, ramp = 1, 2, 4
	sweep := func(what int, missed ...int) *Sweep {
		r := reportOf(t, "ttft=500ms")
		for i := range missed {
			p := &r.Steps[i].Point
			p.Steady, p.Misses[0].N = what&steady != 0, missed[i]
			p.GoodShare = metrics.Known(1-float64(missed[i])/40, 40)
			if missed[i] < 0 { // nothing ended
				p.GoodShare, p.Misses[0].N = metrics.Unknown(metrics.WhyNoneEnded), 0
			}
		}
		if r.Steps = r.Steps[:len(missed)]; what&ramp != 0 {
			return ramped(r)
		}
		return r
	}
	missed := metrics.Ending{Code: metrics.EndingMissed, SLO: "ttft"}
	broken := sweep(0, 0, 40)
	broken.Stopped = missed
	worse := sweep(steady, 0)
	worse.Steps, worse.Stopped = append(worse.Steps, broken.Steps[1]), missed
	for _, x := range []struct {
		name   string
		r      *Sweep
		want   string
		misses bool
	}{
		{"nothing is steady", sweep(0, 0, 40), "not known: no step was steady", false},
		{"nothing is known", sweep(steady, -1), "not known: no steady step could be judged", false},
		{"met", sweep(steady, 0, 0), "met up to 8 users", false},
		{"met for a while", sweep(steady, 0, 40), "met up to 1 user; ttft breaks first, at 8 users", false},
		{"missed", sweep(steady, 40, 40), "MISSED at every step; ttft breaks first, at 1 user", true},
		{"missed and not known", sweep(steady, -1, 40), "MISSED at 1 of 2 steps; ttft breaks first, at 8 users", true},
		{"met by chance", sweep(steady, 40, 0), "MISSED at 1 of 2 steps; ttft breaks first, at 1 user", true},
		{"a miss that is not steady ends the sweep", broken, "MISSED at 1 of 2 steps; ttft breaks first, at 8 users", true},
		{"a miss ends it after a steady step", worse, "met up to 1 user; ttft breaks first, at 8 users", false},
		{"a ramp meets them", sweep(ramp, 0, 0, 0), "met in every slice", false},
		{"a ramp with an empty slice", sweep(ramp, -1, 0, 0), "met in 2 of 3 slices; the others had too few requests", false},
		{"a ramp meets them for a while", sweep(ramp, 0, 0, 40),
			"met in 2 of 3 slices; ttft breaks first, at 8.50–32.5 users", false},
		{"a ramp falls and meets them at last", sweep(ramp, 40, 0, 0),
			"met in 2 of 3 slices; ttft breaks first, at 1–1.50 users", false},
		{"a ramp misses them", sweep(ramp, 40, 40), "MISSED in every slice; ttft breaks first, at 1–1.50 users", true},
		{"a ramp misses them after an empty slice", sweep(ramp, -1, 40),
			"MISSED in 1 of 2 slices; ttft breaks first, at 1.50–8.50 users", true},
		{"a ramp without requests", sweep(ramp, -1), "not known: no slice had enough requests", false},
	} {
		v := x.r.Verdicts()
		if have := x.r.sloVerdict(&v); have != x.want || x.r.Misses() != x.misses {
			t.Errorf("%s: %q, misses %t; want %q, %t", x.name, have, x.r.Misses(), x.want, x.misses)
		}
	}
}

// TestSweeps shows what a sweep says: of its steps, of an open loop, of ramps, of
// prompts whose lengths vary, and where it ended early.
func TestSweeps(t *testing.T) {
	edit := func(change func(*Sweep)) *Doc { return edited(reportOf(t, "ttft=500ms,tpot=50ms"), change).Doc(false) }
	stopped := metrics.Ending{Code: metrics.EndingInterrupted}
	same := loadstat.NoFit(200, metrics.WhyEqualPrompts)
	show(t, "sweep",
		scene{"objectives that are met up to 32 users", edit(func(*Sweep) {})},
		scene{"no objectives, ASCII, interrupted, continued from a file", edited(reportOf(t, ""), func(r *Sweep) {
			r.Steps, r.Plan.Resume, r.Steps[0].Resumed = r.Steps[:2], "groq.sweep", true
			r.Stopped = metrics.Ending{Code: metrics.EndingInterrupted, Step: metrics.LoadStep{Users: 32}}
		}).Doc(true)},
		scene{"no step", edit(func(r *Sweep) { r.Steps, r.Stopped = nil, stopped })},
		scene{"the budget is estimated", edit(func(r *Sweep) { r.View.Budget.Estimated = true })},
		scene{"prompts of many lengths", variedReport(t).Doc(false)},
		scene{"prompts of one length", edited(variedReport(t), func(r *Sweep) {
			for i := range r.Steps {
				r.Steps[i].Point.Fit = &same
			}
		}).Doc(false)},
		scene{"an open loop", openReport(t).Doc(false)},
		scene{"a ramp of users", edit(func(r *Sweep) { ramped(r) })},
		scene{"a ramp of rates", ramped(openReport(t)).Doc(false)},
		scene{"a ramp without peaks has no table of them", edit(func(r *Sweep) {
			for i := range ramped(r).Steps {
				r.Steps[i].Point.Peak = metrics.Value{}
			}
		})},
		scene{"an interrupted ramp", edit(func(r *Sweep) {
			ramped(r).Stopped, r.Steps = stopped, r.Steps[:2]
		})},
		scene{"an interrupted ramp without a slice", edit(func(r *Sweep) { ramped(r).Stopped, r.Steps = stopped, nil })},
		scene{"a name from outside", edit(func(r *Sweep) {
			r.Endpoint.Model, r.Endpoint.API, r.Endpoint.Settings = hostile[:80], "messages", "api=messages"
		})},
		scene{"late reads", lateSweep(t).Doc(false)})
}

// TestBars: a value above 0 is always visible, and none is longer than the scale.
func TestBars(t *testing.T) {
	for v, want := range map[float64][2]string{100: {"██████", "######"}, 50: {"███", "###"}, 1: {"▏", "#"},
		0.001: {"▏", "#"}, 0: {}, 200: {"██████", "######"}} {
		testkit.Is(t, [2]string{bar(v, 100, barCells, false), bar(v, 100, barCells, true)}, want, "bar of", v)
	}
}

// lateSweep is a sweep in which tokscope read a step late.
func lateSweep(t *testing.T) *Sweep {
	r := reportOf(t, "ttft=500ms")
	p := &r.Steps[1].Point
	p.Delay = metrics.Delay{Code: metrics.DelayReads, P99: 14, Max: 80, Shared: 0.75}
	p.Gaps.Missing = metrics.Missing{N: 3 * p.Gaps.N,
		P50: metrics.Bound{High: 22, OK: true}, P99: metrics.Bound{Low: 5, High: 321, OK: true}}
	return r
}

// TestSweepCSV shows the columns of each kind of sweep. No cell runs as a formula.
func TestSweepCSV(t *testing.T) {
	evil := reportOf(t, "ttft=500ms,tpot=50ms")
	evil.Endpoint.API = "messages"
	evil.Endpoint.Model, evil.Steps[0].Point.Speed = `=cmd|' /C calc'!A0`, metrics.Known(math.NaN(), 1)
	all := ""
	for _, r := range []*Sweep{evil, variedReport(t), openReport(t), ramped(openReport(t)), servedReport(t), lateSweep(t),
		slowReport(t)} {
		var b strings.Builder
		testkit.OK(t, r.CSV(&b))
		all += b.String()
		for line := range strings.Lines(b.String()) {
			testkit.That(t, !strings.Contains(","+line, ",="), "a spreadsheet would run a cell of %q", line)
		}
	}
	golden.Text(t, "sweep-csv", all)
}

// TestSweepFailures shows that the failures of a step outside its window, and those of
// no step, are counted, and that the example has a count.
func TestSweepFailures(t *testing.T) {
	http := func(n int) []metrics.FaultCount { return []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: n}} }
	var scenes []scene
	add := func(shows string, all, done int, steps ...loadstat.SweepStep) {
		r := reportOf(t, "")
		r.Steps, r.View.Done, r.Fault = steps, done, &metrics.Fault{Kind: metrics.FaultHTTP, Message: "HTTP 503"}
		if all > 0 {
			r.View.Faults = http(all)
		}
		scenes = append(scenes, scene{shows, r.Doc(false)})
	}
	failed := loadstat.StepExtra{AllFailed: true}
	add("every request, before the window", 1, 0, loadstat.SweepStep{Point: loadstat.Point{Users: 1, Outside: http(1)},
		Extra: failed})
	add("in the window and before", 3, 0,
		loadstat.SweepStep{Point: loadstat.Point{Users: 1, Failed: 2, Faults: http(2), Outside: http(1)}, Extra: failed})
	add("between steps too", 3, 5, loadstat.SweepStep{Point: loadstat.Point{Users: 1, Requests: 5, Tokens: 9,
		Outside: http(1)}})
	add("no step", 2, 0)
	add("no step, and nothing is counted", 0, 0)
	add("nothing ended", 0, 0, loadstat.SweepStep{Point: loadstat.Point{Users: 1}})
	slow := slowReport(t)
	load := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Live: slow.Steps[1].Point}
	show(t, "sweep-failures", append(scenes, scene{"TTFT with failures", slow.Doc(false)}, scene{"the same of a load",
		Load(load)})...)
}

// slowReport is a sweep of whose steps but the first and the last half, a quarter and two in a
// hundred of the requests failed.
func slowReport(t *testing.T) *Sweep {
	waits := make([]float64, 90)
	for i := range waits {
		waits[i] = 100 + float64(i)
	}
	r := reportOf(t, "")
	for i, failed := range []int{90, 30, 2} {
		p := &r.Steps[i+1].Point
		p.TTFT, p.TTFTFailed = metrics.Distribution(waits), metrics.WithFailuresOf(waits, failed)
		p.Failed, p.Faults = failed, []metrics.FaultCount{{Kind: metrics.FaultTimeout, N: failed}}
	}
	return r
}

// servedReport is a sweep whose server has a page of metrics. The last step
// was not read, and the one before lacks a figure.
func servedReport(t *testing.T) *Sweep {
	t.Helper()
	r := reportOf(t, "")
	r.ServerMetrics, r.Plan.RequestLines = "http://127.0.0.1:8000/metrics", "requests.ndjson"
	total := 0.0
	counts := func(c loadstat.ServerCounts, add float64) loadstat.ServerCounts {
		c.From = "vllm"
		total += add
		c.Requests, c.Output, c.Prompt = metrics.Known(total/200, 0), metrics.Known(total, 0), metrics.Known(total*5, 0)
		c.CacheHits, c.Preemptions = metrics.Known(total/1000, 0), metrics.Known(total/100_000, 0)
		return c
	}
	for i := range r.Steps {
		x := &r.Steps[i].Extra
		n := r.Steps[i].Point.Users
		x.Server.Before = counts(loadstat.ServerCounts{}, 0)
		x.Server.After = counts(loadstat.ServerCounts{Running: metrics.Known(float64(n), 0),
			Waiting: metrics.Known(float64(n/10), 0)}, float64(n)*8000)
		x.Server.Requests, x.Server.Output = n*40, float64(n)*8000
		x.Lengths = loadstat.Lengths{Prompts: loadstat.LengthSum{N: n, Asked: float64(n) * 1000, Counted: float64(n) * 1010},
			Answers: loadstat.LengthSum{N: n, Asked: float64(n) * 200, Counted: float64(n) * 200}}
	}
	r.Steps[3].Extra.Server.After.Preemptions = metrics.Value{}
	r.Steps[4].Extra.Server.After, r.Steps[4].Extra.Server.Why = loadstat.ServerCounts{}, "no answer within 2s"
	return r
}

// TestSweepOfAServer shows the server's own figures beside ours, that a server without
// a page is said once, and what makes the figures of a step doubtful.
func TestSweepOfAServer(t *testing.T) {
	edit := func(change func(*Sweep)) *Doc { return edited(servedReport(t), change).Doc(false) }
	each := func(change func(*loadstat.StepExtra)) *Doc {
		return edit(func(r *Sweep) {
			for i := range r.Steps {
				change(&r.Steps[i].Extra)
			}
		})
	}
	const missing = "the server answers 404"
	show(t, "sweep-server",
		scene{"its page was read, but for the last step", edit(func(*Sweep) {})},
		scene{"no page", each(func(x *loadstat.StepExtra) { x.Server = loadstat.ServerStep{Why: missing} })},
		scene{"no page, and none to be read", edit(func(r *Sweep) {
			r.ServerMetrics = ""
			for i := range r.Steps {
				r.Steps[i].Extra.Server = loadstat.ServerStep{Why: missing}
			}
		})},
		scene{"the client is the limit", edit(func(r *Sweep) {
			r.Steps[3].Extra.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 12, Slower: 0.06}
			r.Steps[4].Extra.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 22, Slower: 0.1}
			r.View.ClientLimits = r.Steps[4].Extra.ClientLimits
		})},
		scene{"the server has another client", edit(func(r *Sweep) { r.Steps[1].Extra.Server.Output /= 2 })},
		scene{"its page was slow: no doubt", edit(func(r *Sweep) {
			x := &r.Steps[1].Extra.Server
			x.Before.At, x.After.At, x.After.Wait = 0, 10e9, 8e9
			x.Output *= 0.6
		})},
		scene{"a few tokens were under way: no doubt", edit(func(r *Sweep) { r.Steps[1].Extra.Server.Output -= 1500 })},
		scene{"prompts are cut", each(func(x *loadstat.StepExtra) { x.Lengths.Prompts.Counted *= 0.8 })},
		scene{"answers end early", each(func(x *loadstat.StepExtra) { x.Lengths.Answers.Counted *= 0.5 })})
}

// depthReport is a sweep over three lengths of an 8B model. The second has
// failures and a server that does not report cached tokens, the last is left out.
func depthReport() *Sweep {
	side := func(prompt, cached, ttft float64, n, failed int) loadstat.DepthSide {
		return loadstat.DepthSide{Prompt: metrics.Known(prompt, n), Cached: metrics.Known(cached, n),
			TTFT: metrics.Known(ttft, n), Prefill: metrics.Known(prompt*1000/ttft, n), Ended: n, Failed: failed}
	}
	none := metrics.Unknown(metrics.WhyNoneEndedWell)
	o := loadstat.DepthOutcome{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "llm.example.com", URL: "https://llm.example.com/v1",
			Model: "org/model-8b"}, Context: 32768,
		Rows: []loadstat.DepthRow{
			{Depth: 1000, Cold: side(1017, 0, 40.4, 5, 0), Warm: side(1017, 1008, 24.1, 5, 0), TPOT: metrics.Known(6.71, 10),
				Speed: metrics.Known(149, 10)},
			{Depth: 16_000, Cold: side(15_868, 0, 455, 4, 1), Warm: side(15_868, 0, 455, 4, 0), TPOT: metrics.Known(8.53, 8),
				Speed: metrics.Known(117, 8), Estimated: true},
			{Depth: 64_000, TooLong: true, Cold: loadstat.DepthSide{Prompt: none, Cached: none, TTFT: none, Prefill: none},
				Warm: loadstat.DepthSide{Prompt: none, Cached: none, TTFT: none, Prefill: none}, TPOT: none, Speed: none},
		},
		Fit: loadstat.TTFTFit{A: metrics.Known(12, 9), B: metrics.Known(0.0279, 9), Off: metrics.Known(4, 9),
			R2: metrics.Known(0.98, 9), Low: 1017, High: 15_868, N: 9},
		Fault: &metrics.Fault{Kind: metrics.FaultRateLimit, Message: "slow down", Next: "wait"}, Tokens: 86_000,
		Cost: metrics.Known(0.43, 0), Currency: "USD",
		Stamps: "kernel", Observer: metrics.Observer{N: 100, LateP99: 150 * time.Microsecond, LateMax: 2 * time.Millisecond},
	}
	o.Rows[1].Cold.Cached, o.Rows[1].Warm.Cached = metrics.Unknown(metrics.WhyNotReportedEnd),
		metrics.Unknown(metrics.WhyNotReportedEnd)
	return &Sweep{SweepOutcome: loadstat.SweepOutcome{Depth: &o},
		Plan: loadstat.SweepPlan{Work: metrics.Workload{Name: "depth", MaxTokens: 200}, Depths: []int{1000, 16_000, 64_000},
			Requests: 5, Users: []int{1}}}
}

// TestDepth shows a sweep over lengths of the prompt, with names from outside.
func TestDepth(t *testing.T) {
	edit := func(change func(*loadstat.DepthOutcome)) *Sweep {
		return edited(depthReport(), func(r *Sweep) { change(r.Depth) })
	}
	step := metrics.LoadStep{Depth: 1000}
	failed := edit(func(o *loadstat.DepthOutcome) {
		o.Endpoint.Name, o.Endpoint.Model, o.Endpoint.URL, o.Model = hostile[:40], hostile[:40], hostile[:40], "=cmd|'x'!A0"
		o.Endpoint.API, o.Endpoint.Settings = "messages", "api=messages"
		o.Rows[0] = loadstat.DepthRow{Depth: 1000, Cold: loadstat.DepthSide{Failed: 5}}
		o.Stopped = metrics.Ending{Code: metrics.EndingStepFailed, Step: step}
	})
	capped := edit(func(o *loadstat.DepthOutcome) {
		o.Stopped = metrics.Ending{Code: metrics.EndingCap, Tokens: metrics.CapUse{Max: 9, Used: 5, Requests: 2}}
		o.Rows[1].Cold.Failed = 0 // 4 of 5 prompts
	})
	stopped := edit(func(o *loadstat.DepthOutcome) {
		o.Rows, o.Stopped = nil, metrics.Ending{Code: metrics.EndingInterrupted, Step: step}
	})
	show(t, "depth", scene{"a length is left out", depthReport().Doc(false)}, scene{"a length failed", failed.Doc(false)},
		scene{"the cap of tokens", capped.Doc(false)}, scene{"interrupted in the first", stopped.Doc(false)})
	var table strings.Builder
	if err := errors.Join(depthReport().CSV(&table), failed.CSV(&table)); err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "depth-csv", table.String())
}

// TestLoad shows what is left of a load after the interface has closed: its last steady
// point for each number of users, its failures and its changes.
func TestLoad(t *testing.T) {
	if d := Load(loadstat.View{}); !d.Empty() {
		t.Errorf("without a load: %q", d.Text(0))
	}
	point := func(users int, each, all float64) loadstat.Point {
		return loadstat.Point{Users: users, Steady: true, Speed: metrics.Known(each, 9), Total: metrics.Known(all, 9)}
	}
	v := loadstat.View{Sent: 9, Done: 7, Failed: 2, Finishes: map[string]int{"stop": 5, "length": 2}, Retried: 3,
		Users: 8, Target: 8, Live: point(8, 131, 1026),
		Path:   []loadstat.Point{point(16, 5.2, 83), point(1, 140, 139), point(1, 149, 146), {Users: 4}},
		Faults: []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 2}},
		Broken: metrics.Ending{Code: metrics.EndingFailures, Requests: 20, Most: 20, Kind: metrics.FaultRateLimit,
			Last: &metrics.Fault{Message: "too many\x1b[2J requests"}}}
	failed := loadstat.View{Sent: 3, Failed: 3, Faults: []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: 3}},
		LastFault: &metrics.Fault{Kind: metrics.FaultHTTP, Message: "HTTP 503 Service Un\x1bavailable", Next: "try again"}}
	late := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Live: lateSweep(t).Steps[1].Point}
	late.Live.Stamps = "kernel"

	setting := func(model string) loadstat.Setting {
		return loadstat.Setting{Work: metrics.Workload{Name: "1k in", InputTokens: 1000},
			Endpoint: metrics.Endpoint{Model: model}}
	}
	setups := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Setups: []loadstat.Setting{setting("a"), setting("b")},
		Setup: 1, Path: []loadstat.Point{point(8, 131, 1000)}, Live: point(8, 20, 160)}
	setups.Live.Setup = 1

	changed := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Began: 5e9, MarksLeftOut: 4}
	users := func(n int) *loadstat.Setting { return &loadstat.Setting{Drive: loadstat.Drive{Users: n}} }
	for i := range mostChanges + 2 {
		changed.Marks = append(changed.Marks, loadstat.Mark{At: changed.Began + metrics.Stamp(i+1)*1e9,
			Kind: loadstat.MarkUsers, From: users(i + 1), To: users(i + 2)})
	}
	last := &changed.Marks[mostChanges+1]
	last.Kind, last.To = loadstat.MarkRate, &loadstat.Setting{Drive: loadstat.Drive{Rate: 12.5, Poisson: true}}
	show(t, "load", scene{"points and failures", Load(v)}, scene{"all failed", Load(failed)},
		scene{"two models", Load(setups)}, scene{"more changes than are listed", Load(changed)},
		scene{"late reads", Load(late)})
}
