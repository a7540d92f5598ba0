package uitest

import (
	"fmt"

	"tokscope/metrics"
)

// lessons are those of the cardboard tour.
var lessons = []struct {
	key, title, claim string
	labels, turns     []string
	set               func(k *metrics.Knobs, stage int)
}{
	{"two-phases", "Two phases", "A request is read in one go and written token by token.", []string{"one user"}, []string{""},
		func(k *metrics.Knobs, _ int) { k.Users = 1 }},
	{"quantise", "The ceiling of one user", "No user is faster than bandwidth divided by bytes.", []string{"bf16", "4 bits"}, []string{"", "quantise to 4 bits"},
		func(k *metrics.Knobs, i int) { k.Precision = []string{"bf16", "q4"}[i] }},
	{"seesaw", "The seesaw", "Together more, each of them less.", []string{"1 user", "8 users", "64 users"}, []string{"", "8 users", "64 users"},
		func(k *metrics.Knobs, i int) { k.Users = []int{1, 8, 64}[i] }},
}

func (b *ExplainBackend) lessonNow() metrics.Lesson {
	l := lessons[b.lesson-1]
	out := metrics.Lesson{Number: b.lesson, Key: l.key, Title: l.title, Claim: l.claim, Focus: "timeline",
		Text: []string{"Every token needs all the weights once; a prompt's tokens share one reading of them."},
		Try:  "Turn the users and watch both figures.", Knobs: []metrics.Knob{metrics.KnobUsers}}
	for i, label := range l.labels {
		k := metrics.Knobs{Model: "llama-3.1-8b", Precision: "bf16", Hardware: "h100", TP: 1, Users: 1, Prompt: 1000, Output: 200, Mode: "continuous", Budget: 512, Time: 1}
		l.set(&k, i)
		out.Stages = append(out.Stages, metrics.LessonStage{Label: label, Turn: l.turns[i], Knobs: k})
	}
	return out
}

// progress is the measured share of the present stage, 0 to 1.
func (b *ExplainBackend) progress() float64 {
	p := min(float64(b.now-b.staged)/float64(stageLasts), 1)
	if p == 1 {
		b.shown[b.stage] = true
	}
	return p
}

func (b *ExplainBackend) tour() metrics.TourView {
	t := metrics.TourView{Lessons: len(lessons)}
	if b.lesson == 0 {
		return t
	}
	t.On, t.Ready, t.Stage, t.Progress, t.Lesson = true, true, b.stage, b.progress(), b.lessonNow()
	each, total := metrics.LessonRow{Label: "each", Unit: "tok/s"}, metrics.LessonRow{Label: "all together", Unit: "tok/s"}
	for i, s := range t.Lesson.Stages {
		e := 1000 / (5.2 + 0.14*float64(s.Knobs.Users))
		if s.Knobs.Precision != "bf16" {
			e *= 2
		}
		a := e * float64(s.Knobs.Users)
		each.Predicted, total.Predicted = append(each.Predicted, metrics.Known(e*1.03, 0)), append(total.Predicted, metrics.Known(a*1.03, 0))
		me, ma := metrics.Unknown("not shown yet"), metrics.Unknown("not shown yet")
		if b.shown[i] {
			me, ma = metrics.Known(e, 9), metrics.Known(a, 9)
		}
		each.Measured, total.Measured = append(each.Measured, me), append(total.Measured, ma)
	}
	if b.Computing {
		t.Ready = false
		for i := range t.Lesson.Stages {
			t.Lesson.Stages[i].Label, t.Lesson.Stages[i].Turn = "", ""
		}
		return t
	}
	t.Rows = []metrics.LessonRow{each, total}
	if len(b.shown) == len(t.Lesson.Stages) {
		t.Holds, b.seen[b.lesson-1] = true, true
		t.Verdict = fmt.Sprintf("each %.0f tok/s, all together %.0f tok/s", last(each.Measured).V, last(total.Measured).V)
	}
	t.Seen = append([]bool(nil), b.seen...)
	return t
}

func last[T any](s []T) T { return s[len(s)-1] }

// keptSteps is the largest number of steps shown.
const keptSteps = 200

// ExplainView implements ui.ExplainBackend.
func (b *ExplainBackend) ExplainView() metrics.ExplainView {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.knobs
	played := metrics.Machine{Name: k.Model + " " + k.Precision + " on H100", Devices: 1, Bandwidth: 3.35e12, Peak: 989e12, Weights: 16.06e9,
		StepBytes: 15.01e9, Parameters: 7.5e9, PromptParameters: 6.98e9, Format: "bf16", FormatPeak: 989e12, KVToken: 131072, KVCapacity: 430000, KVBlock: 16, Budget: max(k.Budget, 1)}
	v := metrics.ExplainView{Now: b.now, Clock: b.time(), Running: b.open && b.Broken == "", Paused: b.paused, Broken: b.Broken, Knobs: k, Machine: played,
		Marks: b.marks, Busy: b.Busy, Observer: b.Watch, Tour: b.tour()}
	if !b.open {
		v.Running = false
	}
	b.steps(&v)
	v.Figures = metrics.EngineFigures{Since: b.changed, Requests: 12, Steps: len(v.Steps), TTFT: metrics.Known(31, 12), TPOT: metrics.Known(6.3, 12),
		Gap50: metrics.Known(6.3, 400), Gap99: metrics.Known(26, 400), MaxGap: metrics.Known(27, 400), Speed: metrics.Known(158, 12),
		Total: metrics.Known(158*float64(k.Users), 12), KV: metrics.Known(0.02, 0), PerStep: metrics.Known(1, 400),
		ClientTTFT: metrics.Known(31.4, 12), ClientTPOT: metrics.Known(6.3, 12), TTFTP99: metrics.Unknown("needs 100 requests"), Goodput: metrics.Unknown("no objectives")}
	v.Present = prediction(k, played)
	if b.before.Users > 0 {
		v.Previous = prediction(b.before, played)
	}
	v.Watched.User, v.Watched.TrueTTFT = b.watched, metrics.Unknown("its first token is to come")
	v.Watched.Stream = metrics.Stream{Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1, LastData: metrics.NoStamp, DataDeadline: metrics.NoStamp,
		State: metrics.Waiting}
	return v
}

// steps adds the steps that have ended since the last look, and shows the last.
func (b *ExplainBackend) steps(v *metrics.ExplainView) {
	for {
		n := b.made + 1
		d, prompt := b.stepOf(n)
		if b.end+d > v.Clock+1e-9 {
			break
		}
		b.kept = append(b.kept, b.step(n, b.end, d, prompt))
		b.end, b.made = b.end+d, n
	}
	if n := len(b.kept); n > 4*keptSteps {
		b.kept = append([]metrics.EngineStep(nil), b.kept[n-keptSteps:]...)
	}
	v.Steps = b.kept[max(len(b.kept)-keptSteps, 0):len(b.kept):len(b.kept)]
}

func (b *ExplainBackend) step(n int, at, d float64, prompt int) metrics.EngineStep {
	k := &b.knobs
	s := metrics.EngineStep{Number: uint64(n), Start: at, End: at + d, NumTerms: 2, Decodes: k.Users, Running: k.Users, Tokens: k.Users,
		Context: 1000 * k.Users, KV: 0.02, Bandwidth: 0.8, Compute: 0.02, Binds: "bandwidth"}
	s.Terms[0] = metrics.StepTerm{Name: "weights", Seconds: d - 0.001, Bytes: 15.01e9, FLOPs: 1.2e11, Limit: "bandwidth"}
	s.Terms[1] = metrics.StepTerm{Name: "overhead", Seconds: 0.001, Limit: "latency"}
	if prompt > 0 {
		s.Prefills, s.Prefilled, s.Decodes, s.Tokens, s.Binds, s.Compute = 1, prompt, k.Users-1, k.Users-1, "compute", 0.6
	}
	for u := 1; u <= k.Users && u <= metrics.MaxBatchRows; u++ {
		r := metrics.EngineRequest{ID: uint64(u), User: u, State: metrics.EngineDecode, Prompt: k.Prompt, PromptDone: k.Prompt,
			Output: k.Output, Out: n % max(k.Output, 1), Blocks: k.Prompt/16 + 1, Scheduled: 1}
		if prompt > 0 && u == 1 {
			r.State, r.PromptDone, r.Scheduled, r.Out = metrics.EnginePrefill, prompt, prompt, 0
		}
		s.Batch = append(s.Batch, r)
	}
	return s
}

func prediction(k metrics.Knobs, m metrics.Machine) metrics.Prediction {
	return metrics.Prediction{Knobs: k, Machine: m, TTFT: metrics.Known(30, 0), TTFTP99: metrics.Known(60, 0), TPOT: metrics.Known(6.2, 0),
		Gap99: metrics.Known(26, 0), Speed: metrics.Known(161, 0), Total: metrics.Known(161*float64(k.Users), 0), Queue: metrics.Known(0, 0),
		KV: metrics.Known(0.02, 0), MostUsers: metrics.Known(358, 0), Ceiling: metrics.Known(m.Bandwidth/m.StepBytes, 0),
		Floor: metrics.Known(2*m.PromptParameters*float64(k.Prompt)/m.FormatPeak*1e3, 0)}
}
