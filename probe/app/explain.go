package app

import (
	"errors"

	"tokscope/metrics"
	"tokscope/probe/explain/lessons"
	"tokscope/probe/explain/runner"
	"tokscope/probe/sim"
)

// The Explain screen always runs on the embedded endpoint, whatever the target
// is; nothing of it is recorded, and its requests are no runs. What it measures
// is the bench's; see probe/explain/runner.

// newBench is the session's engine laid open, closed at first.
func (b *Session) newBench() *runner.Runner {
	server := b.o.Server
	if server == nil {
		server = func() (*sim.Server, error) { return nil, errors.New("this session has no embedded endpoint") }
	}
	return runner.New(runner.Options{Server: server, Dir: b.o.StateDir, Notify: func() {
		b.mu.Lock()
		notify := b.o.Notify
		b.mu.Unlock()
		notify()
	}})
}

// ExplainOpen lets the users of the knobs ask; a stream and a load are stopped
// first. The embedded endpoint is started when it does not run yet.
func (s *Session) ExplainOpen() error {
	s.Stop()
	s.endLoad()
	return s.bench.Open()
}

// ExplainClose ends the users' requests. The knobs are kept.
func (s *Session) ExplainClose() { s.bench.Close() }

// ExplainView is the engine now.
func (s *Session) ExplainView() metrics.ExplainView { return s.bench.View() }

// ExplainVersion changes whenever ExplainView would differ by more than the clock.
func (s *Session) ExplainVersion() uint64 { return s.bench.Version() }

// ExplainChoices are the positions of a knob.
func (s *Session) ExplainChoices(k metrics.Knob) []metrics.KnobChoice { return s.bench.Choices(k) }

// ExplainTurn sets the knobs from the next step on.
func (s *Session) ExplainTurn(k metrics.Knobs) error { return s.bench.Turn(k) }

// ExplainPause stops and continues the engine's time.
func (s *Session) ExplainPause(on bool) { s.bench.Pause(on) }

// ExplainStep lets exactly one more step happen.
func (s *Session) ExplainStep() { s.bench.Step() }

// ExplainWatch chooses whose request is shown.
func (s *Session) ExplainWatch(user int) { s.bench.Watch(user) }

// TourLessons are the titles, in order.
func (s *Session) TourLessons() []string { return lessons.Titles() }

// TourGo begins lesson n; 0 leaves the tour.
func (s *Session) TourGo(n int) { s.bench.TourGo(n) }

// TourStage shows stage i of the lesson.
func (s *Session) TourStage(i int) { s.bench.TourStage(i) }

// TourAt is the lesson that was shown last, 1 before any.
func (s *Session) TourAt() int { return s.bench.TourAt() }
