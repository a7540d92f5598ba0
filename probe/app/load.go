package app

import (
	"context"
	"errors"
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/probe/endpoint"
	"tokscope/probe/loadgen"
	"tokscope/probe/result"
	"tokscope/probe/transport"
)

// loadCap is the number of tokens after which a load on another machine ends,
// whatever was agreed to. A forgotten slider then costs some euros, not
// hundreds.
const loadCap = 5_000_000

// Load is the backend of the Load screen: it puts many users on the endpoint.
type Load struct {
	latest[*loadgen.Load]
	slos    []slo.Objective
	drive   loadstat.Drive  // of loads to come, where it is an open loop
	input   metrics.Lengths // of loads to come
	output  metrics.Lengths
	asked   metrics.Endpoint // that the last question was about; no URL: none
	allowed metrics.Endpoint // that it was answered for
}

// joinOver is the time over which the users of one slider step begin. It is
// about the length of an answer at a busy endpoint, so that they are out of
// step with each other, and short enough to watch. More than 128 users take
// longer, because their answers do.
const joinOver = 4 * time.Second

// LoadStart starts a load of users who repeat w on the selected endpoint, and
// replaces a running one. It is an open loop where LoadDrive set
// one. On another machine more than loadgen.FreeUsers need
// consent: then nothing starts and needsConsent is the question. After
// LoadConsent the same call starts the load. Fewer users start at once and
// may continue up to loadgen.FreeTokens; then LoadView().Asks has the question. A
// load on another machine ends by itself at five million tokens.
func (s *Load) LoadStart(w metrics.Workload, users int) (needsConsent loadstat.Question, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.target
	if t.URL == "" {
		return loadstat.Question{}, errors.New("no endpoint is chosen: choose one with e")
	}
	c := loadgen.Config{
		Engine: s.o.Engine, Target: t, Work: w, Input: s.input, Output: s.output,
		Shape: loadgen.Shape{Drive: loadstat.Drive{Users: users}, Join: joinOver}, SLOs: s.slos, List: true,
	}
	if d := s.drive; d.Open() {
		c.Shape.Drive = loadstat.Drive{Users: d.Users, Rate: d.Rate, Poisson: d.Poisson}
		users = 1 // a schedule asks when it needs more than are free
	}
	c.Journal, c.Record = s.journal(t, w)
	if !t.Here() {
		c.MaxTokens = loadCap
		c.Guarded = !s.allowed.Same(&t.Endpoint)
		if c.Guarded && users > loadgen.FreeUsers {
			question, _ := loadgen.NeedsConsent(t, loadgen.Estimate(c, loadgen.Step{Users: users}, nil))
			s.asked = t.Endpoint
			return question, nil
		}
	}
	old := s.run
	if old != nil {
		old.Stop()
		s.before += old.Version() + 1
	}
	l := loadgen.Start(context.Background(), c)
	s.run = l
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
	return loadstat.Question{}, nil
}

// SetLengths sets the distributions for the next loads: the lengths of their
// prompts and their output limits. The zero Lengths keep those of the
// workload.
func (s *Load) SetLengths(input, output metrics.Lengths) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.input, s.output = input, output
}

// LoadConsent answers the last question, of LoadStart or LoadView().Asks, with yes.
// It applies to that endpoint until the session ends.
func (s *Load) LoadConsent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked.URL != "" {
		s.allowed, s.asked = s.asked, metrics.Endpoint{}
	}
	if l := s.run; l != nil {
		if v := l.View(); v.Asks != (loadstat.Question{}) {
			s.allowed = v.Endpoint
			if shown := s.o.Engine.Shown(s.target); s.allowed.Same(&shown) {
				s.allowed = s.target.Endpoint // what was shown may have had its key redacted
			}
			l.Consent()
		}
	}
}

// LoadDrive changes what makes requests begin, in the running load and in the
// next one: users, a rate, or a ramp of either. The next load begins without
// a ramp.
func (s *Load) LoadDrive(d loadstat.Drive) {
	s.mu.Lock()
	s.drive = d
	s.mu.Unlock()
	s.with(func(l *loadgen.Load) { l.SetDrive(d) })
}

// Room returns what this machine has for requests to t.
func Room(t *endpoint.Target) metrics.Room {
	r := transport.Room()
	if t.Kind == metrics.EndpointEmbedded {
		r.Each = 2
	}
	return r
}

// Room returns what this machine has for users, those of the present load included.
func (s *Load) Room() metrics.Room {
	users := s.LoadView().Users
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Room(&s.target)
	r.Files -= min(r.Files, r.Each*users)
	return r
}

// LoadCut cancels the requests of users who leave.
func (s *Load) LoadCut() { s.with((*loadgen.Load).Cut) }

// LoadHold prevents new requests, or allows them again.
func (s *Load) LoadHold(on bool) { s.with(func(l *loadgen.Load) { l.Hold(on) }) }

// LoadStop prevents new requests and waits for the running ones in the
// background. The second call cancels them.
func (s *Load) LoadStop() {
	s.with(func(l *loadgen.Load) {
		if l.Ending() {
			l.Stop()
		}
		l.Drain()
	})
}

// LoadView returns the current or last view of the load. Before the first
// load it returns a view that never began, with the current objectives.
func (s *Load) LoadView() loadstat.View {
	if l := s.present(); l != nil {
		return l.View()
	}
	s.mu.Lock()
	slos := s.slos
	s.mu.Unlock()
	return loadstat.View{Now: s.Now(), Began: metrics.NoStamp, Endpoint: s.Endpoint(), SLOs: slos}
}

// LoadVersion changes whenever LoadView would differ by more than the clock.
func (s *Load) LoadVersion() uint64 { return s.changes() }

// LoadStream returns the running or last request of a user.
func (s *Load) LoadStream(user int) (v metrics.Stream, ok bool) {
	s.with(func(l *loadgen.Load) { v, ok = l.Stream(user) })
	return v, ok
}

// LoadRequests returns the ended requests of the current or last load.
func (s *Load) LoadRequests() (v request.View) {
	s.with(func(l *loadgen.Load) { v = l.Requests() })
	return v
}

// LoadRequest returns the stream of an ended request, in new memory; false when
// only its figures are kept.
func (s *Load) LoadRequest(id int) (v metrics.Stream, ok bool) {
	s.with(func(l *loadgen.Load) { v, ok = l.Request(id) })
	return v, ok
}

// SetSLOs changes the objectives of goodput, also for points already
// measured.
func (s *Load) SetSLOs(slos []slo.Objective) {
	s.mu.Lock()
	s.slos = slos
	s.mu.Unlock()
	s.with(func(l *loadgen.Load) { l.SetSLOs(slos) })
}

// LoadSave writes the current or ended load as a JSON document beside the
// recording, in the format of a sweep.
func (s *Load) LoadSave(context.Context) (string, error) {
	v := s.LoadView()
	if !v.Live.Total.OK && len(v.Path) == 0 {
		return "", errors.New("nothing to save yet: the load has no figures")
	}
	began := time.Now().Add(-time.Duration(s.Now() - v.Began))
	doc := result.LoadDocumentOf(s.o.Version, began, &v, s.o.Sentences)
	list := s.LoadRequests()
	doc.WithRequests(&list)
	return s.write(".load.json", func(out io.Writer) error { return s.o.Sentences.WriteDocument(out, &doc) })
}
