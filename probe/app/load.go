package app

import (
	"context"
	"errors"
	"time"

	"tokscope/metrics"
	"tokscope/probe/loadgen"
	"tokscope/probe/record"
)

// loadCap is the number of tokens after which a load on another machine ends,
// whatever was agreed to. A forgotten slider then costs some euros, not
// hundreds.
const loadCap = 5_000_000

// loads is the part of a session that puts many users on an endpoint.
type loads struct {
	load    *loadgen.Load
	base    uint64 // versions of the loads before
	slos    []metrics.Objective
	input   metrics.Lengths // of loads to come
	output  metrics.Lengths
	asked   string // URL that the last question was about
	allowed string // URL that it was answered for
}

// joinOver is the time over which the users of one slider step begin. It is
// about the length of an answer at a busy endpoint, so that they are out of
// step with each other, and short enough to watch. More than 128 users take
// longer, because their answers do.
const joinOver = 4 * time.Second

// LoadStart starts a load of users who send w again and again on the chosen
// endpoint, in place of one that runs. On another machine more than
// load.FreeUsers are asked about first: then nothing starts, and needsConsent
// is the question; after LoadConsent the same call starts. Fewer start at once
// and may grow and go on for as long as load.FreeTokens last; then LoadAsks has
// the question. There, a load ends by itself at five million tokens.
func (s *Session) LoadStart(w metrics.Workload, users int) (needsConsent string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.target
	if t.URL == "" {
		return "", errors.New("no endpoint is chosen: choose one with e")
	}
	c := loadgen.Config{
		Engine: s.o.Engine, Target: t, Work: w, Input: s.loads.input, Output: s.loads.output, Shape: loadgen.Shape{Users: users, Join: joinOver}, SLOs: s.loads.slos,
	}
	if s.o.File != nil {
		c.Journal = s.o.File.Load
	}
	if !loadgen.Exempt(t) {
		c.MaxTokens = loadCap
		c.Guarded = s.loads.allowed != t.URL
		if c.Guarded && users > loadgen.FreeUsers {
			question, _ := loadgen.NeedsConsent(t, loadgen.Estimate(c, users, 0))
			s.loads.asked = t.URL
			return question, nil
		}
	}
	old := s.loads.load
	if old != nil {
		old.Stop()
		s.loads.base += old.Version() + 1
	}
	l := loadgen.Start(context.Background(), c)
	s.loads.load = l
	s.version++
	notify := s.o.Notify
	s.wg.Go(func() {
		if old != nil {
			old.Wait()
		}
		l.Wait()
		notify()
	})
	notify()
	return "", nil
}

// SetLengths says what the requests of loads that start from now on draw: the
// lengths of their prompts and the bounds of their answers. The zero Lengths
// leave what the workload says.
func (s *Session) SetLengths(input, output metrics.Lengths) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads.input, s.loads.output = input, output
}

// LoadConsent is the yes to the last question, of LoadStart or LoadAsks. It
// holds for that endpoint until the session ends.
func (s *Session) LoadConsent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loads.asked != "" {
		s.loads.allowed, s.loads.asked = s.loads.asked, ""
	}
	if l := s.loads.load; l != nil {
		if v := l.View(); v.Asks != "" {
			s.loads.allowed = v.Endpoint.URL
			l.Consent()
		}
	}
}

// LoadAsks is the question of a running load that waits for LoadConsent, ""
// when there is none.
func (s *Session) LoadAsks() string { return s.LoadView().Asks }

// running is the load, nil before any.
func (s *Session) running() *loadgen.Load {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads.load
}

// LoadResize changes the number of users.
func (s *Session) LoadResize(n int) {
	if l := s.running(); l != nil {
		l.Resize(n)
	}
}

// LoadCut cancels the requests of users who leave.
func (s *Session) LoadCut() {
	if l := s.running(); l != nil {
		l.Cut()
	}
}

// LoadHold keeps new requests from beginning, or lets them begin again.
func (s *Session) LoadHold(on bool) {
	if l := s.running(); l != nil {
		l.Hold(on)
	}
}

// LoadStop begins no new request and lets those end that run; the second time
// it cancels them.
func (s *Session) LoadStop() {
	if l := s.running(); l != nil {
		if l.Ending() {
			l.Stop()
		}
		l.Drain()
	}
}

// LoadView is the load now, or as it ended; before any, a view that never began,
// with the objectives that one would have.
func (s *Session) LoadView() metrics.View {
	if l := s.running(); l != nil {
		return l.View()
	}
	s.mu.Lock()
	slos := s.loads.slos
	s.mu.Unlock()
	return metrics.View{Now: s.Now(), Began: metrics.NoStamp, Endpoint: s.Endpoint(), SLOs: slos}
}

// LoadVersion changes whenever LoadView would differ by more than the clock.
func (s *Session) LoadVersion() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loads.load == nil {
		return s.version
	}
	return s.version + s.loads.base + s.loads.load.Version()
}

// LoadStream is the running or last request of a user.
func (s *Session) LoadStream(user int) (metrics.Stream, bool) {
	if l := s.running(); l != nil {
		return l.Stream(user)
	}
	return metrics.Stream{}, false
}

// SetSLOs changes the objectives of goodput, also of what was measured already.
func (s *Session) SetSLOs(slos []metrics.Objective) {
	s.mu.Lock()
	s.loads.slos = slos
	l := s.loads.load
	s.mu.Unlock()
	if l != nil {
		l.SetSLOs(slos)
	}
}

// LoadSave writes the load so far, or as it ended, as a JSON document beside the
// recording: the format of a sweep.
func (s *Session) LoadSave(context.Context) (string, error) {
	v := s.LoadView()
	switch {
	case !v.Live.Total.OK && len(v.Path) == 0:
		return "", errors.New("nothing to save yet: the load has no figures")
	case s.o.File == nil:
		return "", errors.New("nothing is recorded in this session: start without --record=false to save")
	}
	began := time.Now().Add(-time.Duration(s.Now() - v.Began))
	doc := record.LoadDocumentOf(s.o.Version, began, &v)
	return s.write(".load.json", doc.Write)
}

// endLoad stops the load.
func (s *Session) endLoad() {
	if l := s.running(); l != nil {
		l.Stop()
	}
}
