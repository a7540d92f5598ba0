package uitest

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"tokscope/metrics"
)

// ExplainBackend is a LoadBackend that also has an engine to lay open: its
// steps follow from the clock by a simple rule, its tour has three lessons.
type ExplainBackend struct {
	*LoadBackend
	open, paused bool
	single       float64       // the clock at the end of a single step that is asked for, 0: none
	due          metrics.Stamp // when it is there
	knobs        metrics.Knobs
	before       metrics.Knobs
	clock        float64 // of the engine, seconds, when it last changed its pace
	since        metrics.Stamp
	changed      float64 // of the engine's clock: the last change of the knobs
	marks        []metrics.EngineMark
	kept         []metrics.EngineStep
	made         int     // steps so far
	end          float64 // of the last of them
	watched      int
	lesson       int // 0: the tour is off
	at           int // the lesson shown last
	stage        int
	staged       metrics.Stamp
	shown        map[int]bool // stages of the lesson that were shown long enough
	seen         []bool

	// OpenErr refuses to open the engine, TurnErr every turn of a knob, when set.
	OpenErr, TurnErr error
	// Broken is why nothing runs, "" when all is well.
	Broken string
	// Computing says that the lessons of the tour are not ready.
	Computing bool
	// StepTakes is how long after the call a single step ends.
	StepTakes time.Duration
	// Busy says that the prediction is still being computed.
	Busy bool
}

// NewExplain returns a backend at rest on the demo endpoint.
func NewExplain() *ExplainBackend {
	return &ExplainBackend{LoadBackend: NewLoad(), watched: 1, at: 1, seen: make([]bool, len(lessons)), shown: map[int]bool{},
		knobs: metrics.Knobs{Model: "llama-3.1-8b", Precision: "bf16", Hardware: "h100", TP: 1, Users: 8, Prompt: 1000, Output: 200,
			Mode: "continuous", Budget: 512, PrefixCache: true, Accept: 0.7, Time: 1}}
}

// stageLasts is how long a stage is shown before its figures are measured.
const stageLasts = metrics.Stamp(1e9)

// prefillEvery: each so many steps one has the chunk of a prompt in it.
const prefillEvery = 24

// stepOf is how long the n-th step lasts, in seconds, and the prompt tokens in it.
func (b *ExplainBackend) stepOf(n int) (seconds float64, prompt int) {
	s := 0.0052 + 0.00014*float64(b.knobs.Users)
	if b.knobs.Precision != "bf16" {
		s /= 2
	}
	if n%prefillEvery == 0 {
		return s + 0.02, b.knobs.Budget
	}
	return s, 0
}

// time is the engine's clock.
func (b *ExplainBackend) time() float64 {
	if b.single > 0 && b.now >= b.due {
		b.clock, b.since, b.single = b.single, b.now, 0
	}
	if !b.open || b.paused || b.Broken != "" {
		return b.clock
	}
	return b.clock + float64(b.now-b.since)/1e9*b.knobs.Time
}

// holdClock keeps the clock where it is before its pace changes.
func (b *ExplainBackend) holdClock() { b.clock, b.since = b.time(), b.now }

// ExplainOpen implements ui.ExplainBackend.
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

// ExplainClose implements ui.ExplainBackend.
func (b *ExplainBackend) ExplainClose() {
	b.note("explain close", func() { b.holdClock(); b.open = false })
}

// ExplainTurn implements ui.ExplainBackend.
func (b *ExplainBackend) ExplainTurn(k metrics.Knobs) (err error) {
	b.note(fmt.Sprintf("explain turn %s users %d time %g", k.Precision, k.Users, k.Time), func() {
		if err = b.TurnErr; err == nil {
			b.turn(k)
		}
	})
	return err
}

func (b *ExplainBackend) turn(k metrics.Knobs) {
	b.holdClock()
	b.before, b.knobs, b.changed = b.knobs, k, b.clock
	b.marks = append(b.marks[:len(b.marks):len(b.marks)], metrics.EngineMark{Step: uint64(b.made + 1), At: b.clock, What: fmt.Sprintf("%s, %d users", k.Precision, k.Users)})
}

// ExplainPause implements ui.ExplainBackend.
func (b *ExplainBackend) ExplainPause(on bool) {
	if b.pausedNow() != on { // an ask for what is already so is none
		b.note("explain pause "+strconv.FormatBool(on), func() { b.holdClock(); b.paused = on })
	}
}

func (b *ExplainBackend) pausedNow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paused
}

// ExplainStep implements ui.ExplainBackend.
func (b *ExplainBackend) ExplainStep() {
	b.ExplainView() // the steps until now
	b.note("explain step", func() {
		b.holdClock()
		b.paused = true
		d, _ := b.stepOf(b.made + 1)
		b.single, b.due = b.end+d, b.now+metrics.Stamp(b.StepTakes)
	})
}

// ExplainWatch implements ui.ExplainBackend.
func (b *ExplainBackend) ExplainWatch(user int) {
	b.note("explain watch "+strconv.Itoa(user), func() { b.watched = user })
}

// ErrNoRoom is why a knob cannot change.
var ErrNoRoom = errors.New("141 GB of weights, 80 GB of memory")

// ExplainChoices implements ui.ExplainBackend: a few positions of each knob,
// one that does not fit among those of the model.
func (b *ExplainBackend) ExplainChoices(k metrics.Knob) []metrics.KnobChoice {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []metrics.KnobChoice
	add := func(label string, now bool, set func(*metrics.Knobs)) {
		c := metrics.KnobChoice{Label: label, Knobs: b.knobs, Now: now}
		set(&c.Knobs)
		out = append(out, c)
	}
	switch k {
	case metrics.KnobModel:
		for _, m := range []string{"llama-3.1-8b", "llama-3.1-70b", "qwen3-32b"} {
			add(m, b.knobs.Model == m, func(n *metrics.Knobs) { n.Model = m })
		}
		out[1].Why = ErrNoRoom.Error()
	case metrics.KnobPrecision:
		for _, p := range []string{"bf16", "fp8", "q4"} {
			add(p, b.knobs.Precision == p, func(n *metrics.Knobs) { n.Precision = p })
		}
	case metrics.KnobUsers:
		for u := 1; u <= 64; u *= 2 {
			add(strconv.Itoa(u), b.knobs.Users == u, func(n *metrics.Knobs) { n.Users = u })
		}
	case metrics.KnobTime:
		for _, t := range []float64{1, 0.5, 0.1, 0.01} {
			add(fmt.Sprintf("%gx", t), b.knobs.Time == t, func(n *metrics.Knobs) { n.Time = t })
		}
	default:
		add("as it is", true, func(*metrics.Knobs) {})
	}
	return out
}

// ExplainVersion implements ui.ExplainBackend. While the engine runs, every
// moment is new.
func (b *ExplainBackend) ExplainVersion() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return uint64(len(b.calls)) + uint64(b.time()*1e4)
}

// TourLessons implements ui.ExplainBackend.
func (b *ExplainBackend) TourLessons() []string {
	var out []string
	for _, l := range lessons {
		out = append(out, l.title)
	}
	return out
}

// TourGo implements ui.ExplainBackend.
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

// TourStage implements ui.ExplainBackend.
func (b *ExplainBackend) TourStage(i int) {
	b.note("tour stage "+strconv.Itoa(i), func() {
		b.progress()
		b.stage, b.staged = i, b.now
		b.turn(b.lessonNow().Stages[i].Knobs)
	})
}

// TourAt implements ui.ExplainBackend.
func (b *ExplainBackend) TourAt() int { b.mu.Lock(); defer b.mu.Unlock(); return b.at }
