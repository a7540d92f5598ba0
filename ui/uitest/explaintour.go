package uitest

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// lessons are the lessons of the backend. Their figures come from the
// scenes.
var lessons = []struct {
	title, claim  string
	labels, turns []string
	set           func(k *serving.Knobs, stage int)
}{
	{"Two phases", "A request is read in one go and written token by token.",
		[]string{"one user"}, []string{""},
		func(k *serving.Knobs, _ int) { k.Users = 1 }},
	{"The ceiling of one user", "No user is faster than bandwidth divided by bytes.",
		[]string{"bf16", "4 bits"}, []string{"", "quantize to 4 bits"},
		func(k *serving.Knobs, i int) { k.Precision = []string{"bf16", "q4"}[i] }},
	{"The seesaw", "Together more, each of them less.",
		[]string{"1 user", "8 users", "64 users"}, []string{"", "8 users", "64 users"},
		func(k *serving.Knobs, i int) { k.Users = []int{1, 8, 64}[i] }},
}

func (b *ExplainBackend) lessonNow() serving.Lesson {
	l := lessons[b.lesson-1]
	out := serving.Lesson{Number: b.lesson, Title: l.title, Claim: l.claim, Focus: "timeline",
		Text: []string{"Every token needs all the weights once; a prompt's tokens share one reading of them."},
		Try:  "Change the users and watch both figures.", Knobs: []serving.Knob{serving.KnobUsers}}
	for i, label := range l.labels {
		k := knobsOf("bf16", 1)
		l.set(&k, i)
		out.Stages = append(out.Stages, serving.LessonStage{Label: label, Turn: l.turns[i], Knobs: k})
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

func (b *ExplainBackend) tour() serving.TourView {
	t := serving.TourView{Lessons: len(lessons)}
	if b.lesson == 0 {
		return t
	}
	t.On, t.Ready, t.Stage, t.Progress, t.Lesson = true, true, b.stage, b.progress(), b.lessonNow()
	each, total := serving.LessonRow{Label: "user", Unit: "tok/s"}, serving.LessonRow{Label: "aggr.", Unit: "tok/s"}
	for i, s := range t.Lesson.Stages {
		r := loop(&s.Knobs)
		each.Predicted, total.Predicted = append(each.Predicted, r.Present.Speed), append(total.Predicted, r.Present.Total)
		me, ma := metrics.Unknown(metrics.WhyStageNotRun), metrics.Unknown(metrics.WhyStageNotRun)
		if b.shown[i] {
			me, ma = r.Figures.Speed, r.Figures.Total
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
	t.Rows = []serving.LessonRow{each, total}
	if len(b.shown) == len(t.Lesson.Stages) {
		t.Holds, b.seen[b.lesson-1] = true, true
		t.Verdict = "per user " + serving.LessonFigure(serving.LessonRate, last(each.Measured)) +
			", aggregate " + serving.LessonFigure(serving.LessonRate, last(total.Measured))
	}
	t.Seen = append([]bool(nil), b.seen...)
	return t
}

func last[T any](s []T) T { return s[len(s)-1] }

// keptSteps is the largest number of steps shown.
const keptSteps = 200

func (b *ExplainBackend) ExplainView() serving.View {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.knobs
	played := loop(&k)
	v := serving.View{Now: b.now, Clock: b.time(), Running: b.open && b.Broken.Code == "",
		Paused: b.paused, Broken: b.Broken, Knobs: k, Machine: played.Machine,
		Marks: b.marks, Busy: b.Busy, Observer: b.Watch, Tour: b.tour()}
	if !b.open {
		v.Running = false
	}
	b.steps(&v)
	v.Figures, v.Present, v.Present.Knobs = played.Figures, played.Present, k
	f := &v.Figures
	f.Since, f.ClientTTFT, f.ClientTPOT = b.changed, metrics.Known(f.TTFT.V+0.1, f.TTFT.N), f.TPOT
	if b.before.Users > 0 {
		v.Previous, v.Previous.Knobs = loop(&b.before).Present, b.before
	}
	v.Watched.User, v.Watched.TrueTTFT = b.watched, metrics.Unknown(metrics.WhyTokenToCome)
	v.Watched.Stream = metrics.NoStream(0)
	v.Watched.Stream.State = metrics.Waiting
	return v
}

// steps adds the steps since the last call, and shows the last ones.
func (b *ExplainBackend) steps(v *serving.View) {
	for {
		s := b.next()
		if s.End > v.Clock+1e-9 {
			break
		}
		b.kept = append(b.kept, s)
		b.end, b.made = s.End, b.made+1
	}
	if n := len(b.kept); n > 4*keptSteps {
		b.kept = append([]serving.EngineStep(nil), b.kept[n-keptSteps:]...)
	}
	v.Steps = b.kept[max(len(b.kept)-keptSteps, 0):len(b.kept):len(b.kept)]
}
