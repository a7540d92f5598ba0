package uitest

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
	"tokscope/probe/explain/lessons"
)

// ExplainBackend is a Backend with an engine to open. It repeats scenes of the simulated
// engine: of one, 8 and 64 users, the nearest one, whatever the other knobs are. Its tour is
// that of the program. Methods without a comment are those of explain.Backend.
type ExplainBackend struct {
	*Backend
	open, paused bool
	single       float64       // the clock at the end of a requested single step, 0: none
	due          metrics.Stamp // when that step has ended
	knobs        serving.Knobs
	before       serving.Knobs
	clock        float64 // of the engine, seconds, at its last change of pace
	since        metrics.Stamp
	changed      float64 // of the engine's clock, at the last change of the knobs
	marks        []serving.EngineMark
	kept         []serving.EngineStep
	made         int     // steps so far
	end          float64 // of the last of them
	watched      int
	tour         *lessons.Tour
	computed     atomic.Uint64 // lessons whose predictions came
	staged       metrics.Stamp // when the present stage began
	measured     explain.Measured

	// OpenErr, when set, refuses to open the engine. TurnErr refuses every
	// change of a knob.
	OpenErr, TurnErr error
	// Broken is why nothing runs, zero when everything works.
	Broken metrics.Ending
	// Computing reports that the lessons of the tour are not ready.
	Computing bool
	// StepTakes is the time from the call to the end of a single step.
	StepTakes time.Duration
	// Busy reports that the prediction is still being computed.
	Busy bool
}

// loop is the scene for some users.
func loop(users int) *serving.View {
	switch {
	case users < 3:
		return Scene("loop-1")
	case users <= 16:
		return Scene("loop-8")
	}
	return Scene("loop-64")
}

// stageLasts is how long a stage is shown before its figures are measured.
const stageLasts = metrics.Stamp(1e9)

// next is the next step. The scene restarts at its end.
func (b *ExplainBackend) next() serving.EngineStep {
	steps := loop(b.knobs.Users).Steps
	i := b.made % len(steps)
	s := steps[i]
	length, idle := s.End-s.Start, 0.0
	if i > 0 {
		idle = s.Start - steps[i-1].End
	}
	s.Number, s.Start = uint64(b.made+1), b.end+idle
	s.End = s.Start + length
	return s
}

func (b *ExplainBackend) time() float64 {
	if b.single > 0 && b.now >= b.due {
		b.clock, b.since, b.single = b.single, b.now, 0
	}
	if !b.open || b.paused || b.Broken.Code != "" {
		return b.clock
	}
	return b.clock + float64(b.now-b.since)/1e9*b.knobs.Time
}

// holdClock keeps the clock where it is before its pace changes.
func (b *ExplainBackend) holdClock() { b.clock, b.since = b.time(), b.now }

func (b *ExplainBackend) ExplainOpen() (err error) {
	b.Note("explain open", func() {
		if err = b.OpenErr; err == nil && !b.open {
			b.holdClock()
			b.open = true
		}
	})
	return err
}

func (b *ExplainBackend) ExplainClose() {
	b.Note("explain close", func() { b.holdClock(); b.open = false })
}

func (b *ExplainBackend) ExplainTurn(k serving.Knobs) (err error) {
	b.Note(fmt.Sprintf("explain turn %s users %d time %g", k.Precision, k.Users, k.Time), func() {
		if err = b.TurnErr; err == nil {
			b.turn(k)
		}
	})
	return err
}

func (b *ExplainBackend) turn(k serving.Knobs) {
	b.holdClock()
	b.marks = append(b.marks[:len(b.marks):len(b.marks)],
		serving.EngineMark{Step: uint64(b.made + 1), At: b.clock, From: b.knobs, To: k})
	b.before, b.knobs, b.changed = b.knobs, k, b.clock
}

func (b *ExplainBackend) ExplainPause(on bool) {
	if locked(&b.mu, &b.paused) != on { // an ask for what is already so is none
		b.Note("explain pause "+strconv.FormatBool(on), func() { b.holdClock(); b.paused = on })
	}
}

func (b *ExplainBackend) ExplainStep() {
	b.ExplainView() // the steps until now
	b.Note("explain step", func() {
		b.holdClock()
		b.paused = true
		b.single, b.due = b.next().End, b.now+metrics.Stamp(b.StepTakes)
	})
}

func (b *ExplainBackend) ExplainWatch(user int) {
	b.Note("explain watch "+strconv.Itoa(user), func() { b.watched = user })
}

// ExplainChoices are the positions of a knob of the engine.
func (b *ExplainBackend) ExplainChoices(k serving.Knob) []serving.KnobChoice {
	return explain.Choices(nil, k, locked(&b.mu, &b.knobs))
}

// ExplainVersion implements ui.ExplainBackend. While the engine runs, every
// moment is new.
func (b *ExplainBackend) ExplainVersion() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return uint64(len(b.calls)) + b.computed.Load() + uint64(b.time()*1e4)
}

func (b *ExplainBackend) TourLessons() []string { return lessons.Titles() }

func (b *ExplainBackend) TourGo(n int) {
	b.Note("tour go "+strconv.Itoa(n), func() { b.show(b.tour.Go(n)) })
}

func (b *ExplainBackend) TourStage(i int) {
	b.Note("tour stage "+strconv.Itoa(i), func() {
		b.observe()
		b.show(b.tour.Stage(i))
	})
}

func (b *ExplainBackend) TourAt() int { return b.tour.At() }

// tourComputed tells of a lesson whose predictions came.
func (b *ExplainBackend) tourComputed() {
	b.computed.Add(1)
	if b.Changed != nil {
		b.Changed()
	}
}

// show sets the knobs of a stage, if there is one.
func (b *ExplainBackend) show(k serving.Knobs, ok bool) {
	if ok {
		b.turn(k)
		b.staged, b.measured = b.now, measured(k, b.tour.Objectives())
	}
}

// observe tells the tour what is measured of the present stage.
func (b *ExplainBackend) observe() {
	f := b.measured
	if p := float64(b.now-b.staged) / float64(stageLasts); p < 1 {
		f.Complete, f.Progress = false, p
	}
	b.tour.Observe(b.knobs, f)
}

// keptSteps is the largest number of steps shown.
const keptSteps = 200

func (b *ExplainBackend) ExplainView() serving.View {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.knobs
	played := loop(k.Users)
	b.observe()
	v := serving.View{Now: b.now, Clock: b.time(), Running: b.open && b.Broken.Code == "",
		Paused: b.paused, Broken: b.Broken, Knobs: k, Machine: played.Machine,
		Marks: b.marks, Busy: b.Busy, Observer: b.Watch, Tour: b.tour.View()}
	if t := &v.Tour; b.Computing {
		t.Ready, t.Lesson.Stages = false, make([]serving.LessonStage, len(t.Lesson.Stages))
	}
	b.steps(&v)
	v.Figures, v.Present, v.Present.Knobs = played.Figures, played.Present, k
	f := &v.Figures
	f.Since, f.ClientTTFT, f.ClientTPOT = b.changed, metrics.Known(f.TTFT.V+0.1, f.TTFT.N), f.TPOT
	if b.before.Users > 0 {
		v.Previous, v.Previous.Knobs = loop(b.before.Users).Present, b.before
	}
	v.Watched.User, v.Watched.TrueTTFT = b.watched, metrics.Unknown(metrics.WhyTokenToCome)
	v.Watched.EngineTTFT = v.Watched.TrueTTFT
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
