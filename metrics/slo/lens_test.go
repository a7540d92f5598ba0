package slo

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func lensFigures(ttft, tpot, gap, total float64) LensFigures {
	one := func(v float64) LensFigure { return alone(metrics.Known(v, 0)) }
	return LensFigures{TTFT: one(ttft), TPOT: one(tpot), Speed: one(1000 / tpot), Gap: one(gap), Total: one(total),
		Throughput: one(500 / tpot), Requests: 1}
}

func verdictOf(t interface{ Fatalf(string, ...any) }, vs []LensVerdict, metric string) LensVerdict {
	for _, v := range vs {
		if v.Metric == metric {
			return v
		}
	}
	t.Fatalf("no verdict on %s in %+v", metric, vs)
	return LensVerdict{}
}

func TestLensVerdicts(t *testing.T) {
	task := AgentTask{20, 300}
	slow := lensFigures(640, 300, 1200, 90_000)
	quick := lensFigures(265, 7.1, 9, 2_400)
	near := lensFigures(440, 200, 950, 60_000)
	several := quick
	several.Requests = 40
	several.TTFT.Tail = metrics.Known(900, 40)
	guessed := quick
	guessed.Estimated = true
	wait := func(ms float64) LensFigures {
		u := alone(metrics.Unknown(metrics.WhyNoChunk))
		return LensFigures{TTFT: u, TPOT: u, Speed: u, Gap: u, Total: u, Throughput: u, Requests: 1, Running: true,
			Waited: metrics.Known(ms, 0)}
	}
	for _, c := range []struct {
		lens, metric string
		f            LensFigures
		want         Grade
		on           LensCase
	}{
		{"chat", "TTFT", quick, GradeMeets, CaseWithin},
		{"chat", "TTFT", slow, GradeMisses, CaseBeyond},
		{"chat", "TTFT", near, GradeClose, CaseNear},
		{"chat", "TTFT", several, GradeClose, CaseTail},
		{"chat", "TTFT", wait(412), GradeUnknown, CaseWaiting},
		{"chat", "TTFT", wait(640), GradeMisses, CaseLate},
		{"chat", "speed", quick, GradeMeets, CaseFactor},
		{"chat", "speed", guessed, GradeMeets, CaseFactor},
		{"chat", "TTFT", guessed, GradeMeets, CaseWithin},
		{"chat", "speed", slow, GradeMisses, CaseBeyond},
		{"chat", "speed", wait(10), GradeUnknown, CaseUnknown},
		{"chat", "gap", slow, GradeMisses, CaseBeyond},
		{"voice", "TTFT", quick, GradeMisses, CaseBeyond},
		{"voice", "speed", near, GradeMeets, CaseWithin},
		{"agent", "step", quick, GradeMeets, CaseWithin},
		{"agent", "step", wait(10), GradeUnknown, CaseUnknown},
		{"agent", "speed", near, GradeMisses, CaseBeyond},
		{"batch", "total", quick, GradeMeets, CaseFar},
		{"batch", "throughput", quick, GradeFree, CaseFree},
		{"batch", "TTFT", slow, GradeFree, CaseFree},
		{"batch", "TTFT", wait(2000), GradeUnknown, CaseWaiting},
	} {
		v := verdictOf(t, LensByKey(c.lens).Judge(c.f, task), c.metric)
		testkit.That(t, v.Grade == c.want && v.Case == c.on,
			"%s %s: %s, case %d; want %s, %d", c.lens, c.metric, v.Grade, v.Case, c.want, c.on)
	}
}

// Every budget has a reason and a source. Budgets derived from human speeds
// are computed from them.
func TestLensBudgetsAreFounded(t *testing.T) {
	var keys []string
	for _, l := range Lenses() {
		keys = append(keys, l.Key)
		testkit.That(t, len(l.Budgets) != 0, "%s says nothing", l.Key)
		for _, b := range l.Budgets {
			testkit.That(t, b.Basis != BasisUnknown && b.Limit >= 0, "%s %s: no basis: %+v", l.Key, b.Metric, b)
		}
	}
	testkit.Is(t, strings.Join(keys, " "), "chat voice agent batch", "lenses")
	limit := func(key, metric string) float64 {
		for _, b := range LensByKey(key).Budgets {
			if b.Metric == metric {
				return b.Limit
			}
		}
		return math.NaN()
	}
	near(t, "chat speed", metrics.Known(limit("chat", LensSpeed), 0), 238/45.0)
	near(t, "voice speed", metrics.Known(limit("voice", LensSpeed), 0), 183/45.0)
	near(t, "voice TTFT", metrics.Known(limit("voice", LensTTFT), 0), 260)
	near(t, "agent speed", metrics.Known(limit("agent", LensSpeed), 0), 25)
	testkit.Is(t, LensByKey("opera"), nil, "a lens that there is not")
}

func TestAgentTask(t *testing.T) {
	task := AgentTask{20, 300}
	c := task.Cost(metrics.Known(300, 0), metrics.Known(10, 0))
	near(t, "time", c.Time, 20*300+20*300*10)
	near(t, "waiting", c.WaitShare, 6_000/66_000.0)
	near(t, "decoding", c.DecodeShare, 60_000/66_000.0)
	near(t, "half TTFT", c.HalfTTFT, 63_000)
	near(t, "half TPOT", c.HalfTPOT, 36_000)
	testkit.Is(t, c.Matters, "TPOT", "matters")
	// The issue's own example: a 3000-token diff at 30 ms is 90 s, at 1.4 ms 4.2 s.
	near(t, "slow diff", AgentTask{1, 3000}.Time(metrics.Known(0, 0), metrics.Known(30, 0)), 90_000)
	near(t, "quick diff", AgentTask{1, 3000}.Time(metrics.Known(0, 0), metrics.Known(1.4, 0)), 4_200)
	if c := (AgentTask{50, 10}).Cost(metrics.Known(2000, 0), metrics.Known(10, 0)); c.Matters != "TTFT" {
		t.Errorf("many short steps: %q matters", c.Matters)
	}
	c = task.Cost(metrics.Known(300, 0), metrics.Unknown(metrics.WhyNoChunk))
	if c.Time.OK || c.HalfTPOT.OK || c.Matters != "" || c.Time.Why != metrics.WhyNoChunk || c.Saves(c.HalfTPOT) != 0 {
		t.Errorf("out of an unknown came %+v", c)
	}
	for _, a := range []AgentTask{{}, {0, 5}, {5, 0}, {MaxAgentSteps + 1, 1}, {1, MaxAgentTokens + 1}} {
		testkit.That(t, !a.OK(), "%+v can be asked for", a)
	}
	testkit.That(t, DefaultAgentTask.OK(), "the default cannot be asked for")
}

// anyFigure draws possible figures, including unknown ones.
func anyFigure(t *rapid.T, name string) LensFigure {
	value := func(name string) metrics.Value {
		return rapid.OneOf(
			rapid.Map(rapid.Float64Range(0, 1e5), func(v float64) metrics.Value { return metrics.Known(v, 1) }),
			rapid.Map(rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e308, 1e-308, 450, 25}),
				func(v float64) metrics.Value { return metrics.Known(v, 1) }),
			rapid.Just(metrics.Unknown(metrics.WhyNotMeasured)),
		).Draw(t, name)
	}
	return LensFigure{Typical: value(name), Tail: value(name + " tail")}
}

func anyLensFigures(t *rapid.T) LensFigures {
	f := LensFigures{Requests: rapid.IntRange(0, 50).Draw(t, "n"), Running: rapid.Bool().Draw(t, "running"),
		Waited: anyFigure(t, "waited").Typical}
	for i, to := range []*LensFigure{&f.TTFT, &f.TPOT, &f.Speed, &f.Gap, &f.Total, &f.Throughput} {
		*to = anyFigure(t, "figure "+strconv.Itoa(i))
	}
	return f
}

// No figure gives a verdict with NaN or infinity. An unknown figure stays
// unknown, with its reason.
func TestLensVerdictsAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyLensFigures(t)
		task := AgentTask{rapid.IntRange(-1, 1e6).Draw(t, "steps"), rapid.IntRange(-1, 1e9).Draw(t, "tokens")}
		for i := range lenses {
			l := &lenses[i]
			for _, v := range l.Judge(f, task) {
				testkit.WellFormed(t, l.Key+" "+v.Metric, reflect.ValueOf(v))
				waiting := v.Metric == LensTTFT && f.Running && f.Waited.OK && !math.IsNaN(f.Waited.V) && !math.IsInf(f.Waited.V, 0)
				testkit.Given(t, v.Measured.OK || v.Grade == GradeUnknown || waiting,
					"%s %s is unknown and %s", l.Key, v.Metric, v.Grade)
				testkit.Given(t, !v.Measured.OK || v.Grade != GradeUnknown,
					"%s %s is %v and has no grade", l.Key, v.Metric, v.Measured.V)
				if (v.Case == CaseUnknown) != (!v.Measured.OK && !waiting) || v.Case == CaseUnknown && v.Measured.Why == 0 {
					t.Fatalf("%s %s: case %d of %+v", l.Key, v.Metric, v.Case, v.Measured)
				}
			}
		}
		testkit.WellFormed(t, "cost", reflect.ValueOf(task.Cost(f.TTFT.Typical, f.TPOT.Typical)))
	})
}

// Better figures never have a worse grade, and a longer wait never a better one.
func TestLensGradesAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) float64 { return rapid.Float64Range(0.01, 1e5).Draw(t, name) }
		at := func(ttft, tail, tpot, gap, total float64) LensFigures {
			f := lensFigures(ttft, tpot, gap, total)
			f.TTFT.Tail = metrics.Known(ttft+tail, 20)
			return f
		}
		a := [5]float64{draw("ttft"), draw("tail"), draw("tpot"), draw("gap"), draw("total")}
		b := a
		for i := range b {
			b[i] *= rapid.Float64Range(0, 1).Draw(t, "better")
		}
		b[2] = max(b[2], 1e-3)
		a[2] = max(a[2], b[2])
		task := AgentTask{rapid.IntRange(1, 100).Draw(t, "steps"), rapid.IntRange(1, 1000).Draw(t, "tokens")}
		for i := range lenses {
			worse := lenses[i].Judge(at(a[0], a[1], a[2], a[3], a[4]), task)
			better := lenses[i].Judge(at(b[0], b[1], b[2], b[3], b[4]), task)
			for j := range worse {
				if better[j].Grade > worse[j].Grade {
					t.Fatalf("%s %s: %v is %s, %v is %s", lenses[i].Key, worse[j].Metric, better[j].Measured.V, better[j].Grade,
						worse[j].Measured.V, worse[j].Grade)
				}
			}
			u := alone(metrics.Unknown(metrics.WhyNoChunk))
			early := LensFigures{TTFT: u, TPOT: u, Speed: u, Gap: u, Total: u, Throughput: u, Running: true,
				Waited: metrics.Known(b[0], 0)}
			late := early
			late.Waited = metrics.Known(a[0], 0)
			x := verdictOf(t, lenses[i].Judge(early, task), LensTTFT)
			y := verdictOf(t, lenses[i].Judge(late, task), LensTTFT)
			testkit.Given(t, (x.Grade != GradeMisses || y.Grade == GradeMisses) && (!x.Used.OK || x.Used.V <= y.Used.V),
				"%s: after %+v comes %+v", lenses[i].Key, x, y)
		}
		slow, quick := task.Time(metrics.Known(a[0], 0), metrics.Known(a[2], 0)), task.Time(metrics.Known(b[0], 0),
			metrics.Known(b[2], 0))
		testkit.Given(t, quick.V <= slow.V, "a task at %v takes longer than at %v", b, a)
	})
}

// The figures of a lens are those of the request, of the summary, of the point.
func TestLensFiguresAreTheMeasuredOnes(t *testing.T) {
	s := answer(metrics.Decoding, every(100, 11)...)
	waiting := s.Stream
	waiting.Chunks, waiting.State, waiting.Now = nil, metrics.Waiting, s.Stream.Marks.Sent+metrics.Stamp(70e6)
	g := metrics.Measure(&waiting, metrics.Options{})
	if f := LensOfStream(&waiting, &g, waiting.Now); !f.Waited.OK || f.Waited.V != 70 || f.TTFT.Typical.OK || !f.Running {
		t.Errorf("while it waits: %+v", f)
	}
	late := s.Stream // a chunk has arrived since the figures were computed
	late.State = metrics.Decoding
	if f := LensOfStream(&late, &g, late.Now); f.Waited.OK || f.TTFT.Typical.V != 100 || f.Total.Typical.OK {
		t.Errorf("at the first chunk: %+v", f)
	}
	s.Stream.State = metrics.Done
	fig := metrics.Measure(&s.Stream, metrics.Options{})
	f := LensOfStream(&s.Stream, &fig, s.Stream.Now)
	near(t, "TTFT", f.TTFT.Typical, 100)
	near(t, "TPOT", f.TPOT.Typical, 20)
	near(t, "speed", f.Speed.Typical, 50)
	near(t, "gap", f.Gap.Typical, 20)
	near(t, "total", f.Total.Typical, 300)
	for _, state := range []metrics.State{metrics.Decoding, metrics.Truncated, metrics.Cancelled} {
		part := s.Stream
		part.State = state
		if f := LensOfStream(&part, &fig, part.Now); f.Total.Typical.OK || f.Throughput.Typical.OK ||
			f.Total.Typical.Why == 0 || !f.TTFT.Typical.OK {
			t.Errorf("%s: a part of an answer has a total: %+v", state, f)
		}
	}
	runs := []metrics.Run{{Stream: s.Stream, Figures: fig}, {Stream: s.Stream, Figures: fig},
		{Stream: waiting, Figures: g}}
	sum := metrics.Summarize(runs[:1])
	near(t, "throughput", f.Throughput.Typical, sum.Throughput.V)
	of := LensOfSummary(&sum)
	near(t, "TTFT of the summary", of.TTFT.Typical, 100)
	testkit.That(t, !of.TTFT.Tail.OK && of.Requests == 1, "one request has a tail: %+v", of)
	m := LensOfRuns(metrics.GoodOf(runs))
	near(t, "median speed", m.Speed.Typical, 50)
	testkit.Is(t, m.Requests, 2, "requests ended well")
	e := LensOfRuns(nil)
	testkit.That(t, !e.TTFT.Typical.OK && e.TTFT.Typical.Why != 0, "out of nothing: %+v", e)
}

// A voice is judged by its first sound where half of the answers or more are sound, else
// by the first token; a pace of words judges no tokens of sound.
func TestTheVoiceLensHearsSound(t *testing.T) {
	answer := func(ttft, ttfa float64) metrics.Run {
		r := metrics.Run{Stream: metrics.Stream{State: metrics.Done, Marks: metrics.NewMarks()}}
		r.Figures.TTFT, r.Figures.Speed, r.Figures.TTFA = metrics.Known(ttft, 0), metrics.Known(160, 0),
			metrics.Unknown(metrics.WhyNoAudio)
		if ttfa > 0 {
			r.Figures.TTFA = metrics.Known(ttfa, 0)
		}
		return r
	}
	for name, c := range map[string]struct {
		runs   []metrics.Run
		lens   string
		metric string
		v      float64
		want   Grade
		paced  bool // a pace judges the speed
	}{
		"sound soon":             {[]metrics.Run{answer(90, 340)}, "voice", LensTTFA, 340, GradeMeets, false},
		"sound late, words soon": {[]metrics.Run{answer(50, 1200)}, "voice", LensTTFA, 1200, GradeMisses, false},
		"sound alone, near":      {[]metrics.Run{answer(500, 500)}, "voice", LensTTFA, 500, GradeClose, false},
		"text":                   {[]metrics.Run{answer(340, 0)}, "voice", LensTTFT, 340, GradeMisses, true},
		"two of three are sound": {[]metrics.Run{answer(90, 400), answer(200, 0), answer(95, 600)}, "voice", LensTTFA, 500,
			GradeClose, false},
		"one of three is sound": {[]metrics.Run{answer(90, 900), answer(200, 0), answer(100, 0)}, "voice", LensTTFT, 100,
			GradeMeets, true},
		"sound for a reader":       {[]metrics.Run{answer(340, 900)}, "chat", LensTTFT, 340, GradeMeets, false},
		"sound in an agent's step": {[]metrics.Run{answer(340, 900)}, "agent", LensTTFT, 340, GradeMeets, true},
	} {
		sum := metrics.Summarize(c.runs)
		var each []*metrics.Run
		for i := range c.runs {
			each = append(each, &c.runs[i])
		}
		all := []LensFigures{LensOfSummary(&sum), LensOfRuns(each)}
		if len(each) == 1 {
			all = append(all, LensOfStream(&each[0].Stream, &each[0].Figures, 0))
		}
		for _, f := range all {
			got := LensByKey(c.lens).Judge(f, DefaultAgentTask)
			if first := got[0]; len(got) != 3 || first.Metric != c.metric || first.Measured.V != c.v || first.Grade != c.want {
				t.Errorf("%s: %d verdicts, %s %g %s", name, len(got), first.Metric, first.Measured.V, first.Grade)
			}
			if speed := verdictOf(t, got, LensSpeed).Measured; speed.OK != c.paced || !speed.OK &&
				speed.Why != metrics.WhySound {
				t.Errorf("%s: the speed is %+v", name, speed)
			}
		}
	}
}
