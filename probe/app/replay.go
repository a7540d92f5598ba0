package app

import (
	"context"
	"io"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/probe/replay"
)

// Replay is the backend of a replay on Live: recorded requests, played by a clock
// of their own beside the session's requests.
type Replay struct {
	*base
	player *replay.Player // nil: none is open
}

// OpenReplay opens the session file at path and shows its request id, complete
// and paused at its end; of 0, all requests from the beginning. A large file
// takes a second. Errors are for a person.
func (s *Replay) OpenReplay(ctx context.Context, path string, id int) error {
	if err := s.PlayFiles(ctx, nil, metrics.ReplayPlan{Files: []string{path}, ID: id, Speed: 1}); err != nil || id == 0 {
		return err
	}
	s.open().End()
	return nil
}

// PlayFiles opens the files of p, of which "-" is stdin, and begins to play them.
func (s *Replay) PlayFiles(ctx context.Context, stdin io.Reader, p metrics.ReplayPlan) error {
	player, err := s.load(ctx, stdin, p)
	if err != nil {
		return err
	}
	player.SetSpeed(p.Speed)
	if p.From > 0 {
		player.From(p.From)
	}
	player.Toggle()
	s.mu.Lock()
	s.player = player
	s.version++
	s.mu.Unlock()
	s.notify()
	return nil
}

// load reads the files of p.
func (s *Replay) load(ctx context.Context, stdin io.Reader, p metrics.ReplayPlan) (*replay.Player, error) {
	var recs []*replay.Recording
	for _, path := range p.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := replay.Open(path, stdin)
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
	return replay.NewPlayer(s.Now, s.o.Engine.Number, p.ID, recs...)
}

// open returns the open replay, nil without one.
func (s *Replay) open() *replay.Player {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.player
}

// CloseReplay closes the replay.
func (s *Replay) CloseReplay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.player = nil
	s.version++
}

// ReplayState returns where the replay stands; ok is false when none is open.
func (s *Replay) ReplayState() (r metrics.Replay, ok bool) {
	if p := s.open(); p != nil {
		return p.State(), true
	}
	return metrics.Replay{}, false
}

// ReplayStream returns the shown request as it was at the replay's moment.
func (s *Replay) ReplayStream() metrics.Stream {
	if p := s.open(); p != nil {
		return p.Snapshot()
	}
	n := metrics.NoStamp
	return metrics.Stream{Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
		LiveTokens: -1, LastData: n, DataDeadline: n, Now: s.Now()}
}

// ReplayWhole returns the shown request to its end. ok is false when none is open.
func (s *Replay) ReplayWhole() (run metrics.Run, ok bool) {
	if p := s.open(); p != nil {
		return p.Whole(), true
	}
	return metrics.Run{}, false
}

// ReplayRuns returns the recorded requests that had ended at the replay's moment.
func (s *Replay) ReplayRuns() []metrics.Run {
	if p := s.open(); p != nil {
		return p.Runs()
	}
	return nil
}

// LoadReplay returns the chosen load of the replay, at first the first one, to its
// end. ok is false when none is open, or its recordings hold no load.
func (s *Replay) LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool) {
	s.with(func(p *replay.Player) { v, r, ok = p.Load() })
	return v, r, ok
}

// LoadReplayNext chooses the next load of the recordings, or for by < 0 the one
// before. It reports whether there is one.
func (s *Replay) LoadReplayNext(by int) (ok bool) {
	s.with(func(p *replay.Player) { ok = p.NextLoad(by) })
	return ok
}

// LoadReplayRequests returns the recorded requests of the chosen load that have
// ended.
func (s *Replay) LoadReplayRequests() (v request.View) {
	s.with(func(p *replay.Player) { v = p.LoadRequests() })
	return v
}

// LoadReplayRequest returns one of them by its number in this program, and what
// the recording lacks of it.
func (s *Replay) LoadReplayRequest(id int) (v metrics.Stream, missing metrics.ReplayMissing, ok bool) {
	s.with(func(p *replay.Player) { v, missing, ok = p.LoadRequest(id) })
	return v, missing, ok
}

// ReplayVersion changes whenever ReplayStream would differ by more than the clock.
func (s *Replay) ReplayVersion() uint64 {
	if p := s.open(); p != nil {
		return p.Version()
	}
	return 0
}

// ReplayToggle pauses or goes on.
func (s *Replay) ReplayToggle() { s.with((*replay.Player).Toggle) }

// ReplayStep pauses at the next event.
func (s *Replay) ReplayStep() { s.with((*replay.Player).Step) }

// ReplayFaster changes the speed by one step, down for by < 0.
func (s *Replay) ReplayFaster(by int) {
	if by < 0 {
		s.with((*replay.Player).Slower)
		return
	}
	s.with((*replay.Player).Faster)
}

// ReplayEdge goes to the beginning of the shown request, or for by > 0 to its
// end.
func (s *Replay) ReplayEdge(by int) {
	if by > 0 {
		s.with((*replay.Player).End)
		return
	}
	s.with((*replay.Player).Home)
}

// ReplayStall pauses at the next stall, or for by < 0 at the one before, and
// returns its chunk. ok is false without one.
func (s *Replay) ReplayStall(by int) (chunk int, ok bool) {
	s.with(func(p *replay.Player) { chunk, ok = p.Stall(by) })
	return chunk, ok
}

// ReplayNext shows the request by further on. It reports whether there is one.
func (s *Replay) ReplayNext(by int) (ok bool) {
	s.with(func(p *replay.Player) { ok = p.Next(by) })
	return ok
}

func (s *Replay) with(f func(*replay.Player)) {
	if p := s.open(); p != nil {
		f(p)
	}
}
