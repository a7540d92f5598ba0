package lessons

import (
	"context"
	"slices"
	"sync"

	"tokscope/metrics/pick"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// Tour is the position in the tour. It is safe for concurrent use. The
// predictions of a lesson are computed in the background once it begins.
type Tour struct {
	dir     string
	changed func()

	mu    sync.Mutex
	at    int // the last shown lesson, from 1
	on    bool
	stage int
	seen  []bool
	show  *show
	view  *serving.TourView // the last view; nil after a change
	ended sync.WaitGroup
}

// show is the state of the lesson on the screen.
type show struct {
	*lesson
	stop      context.CancelFunc
	predicted []*explain.Outcome // nil until computed; then one per stage
	curve     []serving.CurvePoint
	live      []*explain.Outcome // measurements so far, one per stage
	got       []*explain.Outcome // the complete ones of these
	shown     serving.Lesson     // without texts until computed; views share it
	progress  float64
}

// New begins at the stored position, else at the first lesson; with dir ""
// nothing is stored. changed is called after a computation; it must not block
// and may be nil.
func New(dir string, changed func()) *Tour {
	if changed == nil {
		changed = func() {}
	}
	at, seen := load(dir)
	return &Tour{dir: dir, changed: changed, at: at, seen: seen}
}

// Titles returns the titles of the lessons, in order.
func Titles() []string {
	return pick.Each(lessons, func(l **lesson) string { return (*l).title })
}

// At returns the last shown lesson, 1 before any.
func (t *Tour) At() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

// Go begins lesson n, from 1, with its first stage and returns the stage's
// knobs; false for an unknown lesson. 0 leaves the tour.
func (t *Tour) Go(n int) (serving.Knobs, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n < 0 || n > len(lessons) {
		return serving.Knobs{}, false
	}
	if t.show != nil {
		t.show.stop()
		t.show = nil
	}
	t.view = nil
	t.on = n > 0
	if !t.on {
		return serving.Knobs{}, false
	}
	l := lessons[n-1]
	ctx, stop := context.WithCancel(context.Background())
	s := &show{lesson: l, stop: stop, live: make([]*explain.Outcome, len(l.stages)),
		got: make([]*explain.Outcome, len(l.stages))}
	s.begin(n)
	t.at, t.stage, t.show = n, 0, s
	save(t.dir, t.at, t.seen)
	t.ended.Go(func() { t.compute(ctx, s) })
	return l.stageKnobs(0), true
}

// Stage shows stage i of the lesson and returns its knobs; false for an
// unknown stage.
func (t *Tour) Stage(i int) (serving.Knobs, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.show == nil || i < 0 || i >= len(t.show.stages) {
		return serving.Knobs{}, false
	}
	t.stage, t.show.progress, t.view = i, 0, nil
	return t.show.stageKnobs(i), true
}

// Setting returns the knobs that the shown lesson begins with; false without one.
func (t *Tour) Setting() (serving.Knobs, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.show == nil {
		return serving.Knobs{}, false
	}
	return t.show.stageKnobs(0), true
}

// Objectives returns the objectives of the shown lesson.
func (t *Tour) Objectives() explain.Objectives {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.show == nil {
		return explain.Objectives{}
	}
	return t.show.objectives
}

// Wait stops the tour's background work and returns once it has ended.
func (t *Tour) Wait() {
	t.mu.Lock()
	if t.show != nil {
		t.show.stop()
	}
	t.mu.Unlock()
	t.ended.Wait()
}

// curveUsers are the numbers of users of a lesson's curve.
var curveUsers = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}

// compute runs the stages of a lesson in virtual time.
func (t *Tour) compute(ctx context.Context, s *show) {
	var all []*explain.Outcome
	for i := range s.stages {
		o, err := explain.Play(ctx, s.stageKnobs(i), s.objectives)
		if err != nil {
			return // left before it was computed: the knobs of the stages always fit (tour_test.go)
		}
		all = append(all, &o)
	}
	var curve []serving.CurvePoint
	if s.lesson.curve {
		users := slices.Clone(curveUsers)
		for i := range s.stages {
			users = append(users, all[i].Config.Knobs.Users)
		}
		slices.Sort(users)
		for _, n := range slices.Compact(users) {
			k := s.stageKnobs(0)
			k.Users = n
			o, err := explain.Play(ctx, k, s.objectives)
			if err != nil {
				return
			}
			curve = append(curve, point(&o, false))
		}
	}
	t.mu.Lock()
	s.predicted, s.curve, t.view = all, curve, nil
	if t.show == s {
		s.write(t.at)
	}
	t.mu.Unlock()
	t.changed()
}

func point(o *explain.Outcome, measured bool) serving.CurvePoint {
	f := &o.Measured
	return serving.CurvePoint{Users: o.Config.Knobs.Users, Speed: f.Speed,
		Total: f.Total, Good: f.Goodput, GoodRate: f.GoodRate, Measured: measured}
}

// Observe ingests the measurements of the running engine since its knobs
// became k. It ignores measurements with knobs other than the stage's; the
// speed of time does not matter.
func (t *Tour) Observe(k serving.Knobs, f explain.Measured) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.show
	if s == nil {
		return
	}
	want := s.stageKnobs(t.stage)
	k.Time = want.Time
	if k != want {
		return
	}
	r, err := explain.NewEngineConfig(nil, k)
	if err != nil {
		return
	}
	o := explain.NewOutcome(r, f)
	t.view = nil
	s.live[t.stage] = &o
	s.progress = f.Progress
	if need := min(max(k.Users, 2), 16); !f.Complete || f.Requests < need {
		s.progress = min(s.progress, 0.95)
		return
	}
	s.progress = 1
	s.got[t.stage] = &o
	if verdict, _ := s.judge(s.got); verdict != "" && !t.seen[t.at-1] {
		t.seen[t.at-1] = true
		save(t.dir, t.at, t.seen)
	}
}
