package uitest

import (
	"fmt"
	"strconv"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// ExplainBackend is a LoadBackend with an engine to open. It repeats
// scenes of the simulated engine: of one, 8 and 64 users, and of one user
// with q4. Other knobs use the nearest scene. Its tour has three lessons. Methods without a
// comment are those of explain.Backend.
type ExplainBackend struct {
	*LoadBackend
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
	lesson       int // 0: the tour is off
	at           int // the last lesson shown
	stage        int
	staged       metrics.Stamp
	shown        map[int]bool // stages of the lesson that were shown long enough
	seen         []bool

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

// loop is the scene for some knobs.
func loop(k *serving.Knobs) *serving.View {
	switch {
	case k.Precision == "q4" && k.Users < 3:
		return scene("loop-q4-1")
	case k.Users < 3:
		return scene("loop-bf16-1")
	case k.Users <= 16:
		return scene("loop-bf16-8")
	}
	return scene("loop-bf16-64")
}

// knobsOf are the knobs of a scene, at full speed.
func knobsOf(precision string, users int) serving.Knobs {
	k := loop(&serving.Knobs{Precision: precision, Users: users}).Knobs
	k.Precision, k.Users, k.Time = precision, users, 1
	return k
}

// stageLasts is how long a stage is shown before its figures are measured.
const stageLasts = metrics.Stamp(1e9)

// next is the next step. The scene restarts at its end.
func (b *ExplainBackend) next() serving.EngineStep {
	steps := loop(&b.knobs).Steps
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

// time is the engine's clock.
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
	if s := b.Snapshot(); b.OpenErr == nil && s.State != metrics.Idle && !s.State.Ended() {
		b.Stop()
	}
	b.note("explain open", func() {
		if err = b.OpenErr; err == nil && !b.open {
			b.holdClock()
			b.open = true
			b.load.Running, b.load.Lanes = false, nil
		}
	})
	return err
}

func (b *ExplainBackend) ExplainClose() {
	b.note("explain close", func() { b.holdClock(); b.open = false })
}

func (b *ExplainBackend) ExplainTurn(k serving.Knobs) (err error) {
	b.note(fmt.Sprintf("explain turn %s users %d time %g", k.Precision, k.Users, k.Time), func() {
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
		b.note("explain pause "+strconv.FormatBool(on), func() { b.holdClock(); b.paused = on })
	}
}

func (b *ExplainBackend) ExplainStep() {
	b.ExplainView() // the steps until now
	b.note("explain step", func() {
		b.holdClock()
		b.paused = true
		b.single, b.due = b.next().End, b.now+metrics.Stamp(b.StepTakes)
	})
}

func (b *ExplainBackend) ExplainWatch(user int) {
	b.note("explain watch "+strconv.Itoa(user), func() { b.watched = user })
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
	return uint64(len(b.calls)) + uint64(b.time()*1e4)
}

func (b *ExplainBackend) TourLessons() []string {
	var out []string
	for _, l := range lessons {
		out = append(out, l.title)
	}
	return out
}

func (b *ExplainBackend) TourGo(n int) {
	b.note("tour go "+strconv.Itoa(n), func() {
		b.lesson, b.stage, b.staged = n, 0, b.now
		if n > 0 {
			b.at = n
			b.shown = map[int]bool{}
			b.turn(b.lessonNow().Stages[0].Knobs)
		}
	})
}

func (b *ExplainBackend) TourStage(i int) {
	b.note("tour stage "+strconv.Itoa(i), func() {
		b.progress()
		b.stage, b.staged = i, b.now
		b.turn(b.lessonNow().Stages[i].Knobs)
	})
}

func (b *ExplainBackend) TourAt() int { return locked(&b.mu, &b.at) }
