package load

import (
	"context"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// Source is a load and its requests: that of this session, or a recorded one. All
// methods may be called from the UI's goroutine at any time and return at once.
type Source interface {
	// LoadView is the load now, or its final state; the zero view before any.
	LoadView() loadstat.View
	// LoadVersion changes whenever LoadView would differ by more than the clock.
	LoadVersion() uint64
	// LoadRequests are the ended requests of the load. It is called while their
	// list or their chart is shown.
	LoadRequests() request.View
	// LoadRequest is the stream of one of them, in new memory; false when only
	// its figures are kept.
	LoadRequest(id int) (metrics.Stream, bool)
}

// Backend is the measuring side as the Load screen uses it: the current or last
// load of this session, and what drives it. The screen exists only for a backend
// that implements it.
type Backend interface {
	Source
	// Endpoint is the endpoint in use.
	Endpoint() metrics.Endpoint
	// Snapshot is the current or last single stream; the zero Stream before any.
	Snapshot() metrics.Stream
	// LoadStart starts a load of that many users who send w again and again. A
	// large load needs consent: then nothing starts and needsConsent is the
	// question, with its estimate. After a yes, call LoadConsent and LoadStart
	// again. A running load is replaced.
	LoadStart(w metrics.Workload, users int) (needsConsent loadstat.Question, err error)
	// SetLengths sets the prompt lengths and answer limits that requests of
	// later loads draw. Where they do not vary, the workload's own apply.
	SetLengths(input, output metrics.Lengths)
	// LoadSteer changes what the running load sends, without stopping it. Running
	// requests end; no figure after the change counts them.
	LoadSteer(w metrics.Workload, input, output metrics.Lengths)
	// LoadMove lets the running load go on with another model or at another
	// endpoint. Where that needs consent, nothing happens without agreed, and
	// needsConsent is the question. It may wait for a server: call it in a command.
	LoadMove(e metrics.Endpoint, agreed bool) (needsConsent loadstat.Question, err error)
	// LoadUndo takes the last change of the running load back, LoadView().Undo. It
	// asks as LoadMove does.
	LoadUndo(agreed bool) (needsConsent loadstat.Question)
	// LoadConsent answers the last question with yes.
	LoadConsent()
	// LoadDrive changes what makes requests begin, in the running load and in the
	// next one: users, the rate of an open loop, or a ramp of either. Growing starts
	// users; shrinking lets running requests end. Growing beyond the consent raises a
	// question instead: LoadView().Asks.
	LoadDrive(loadstat.Drive)
	// Room is what this machine has for the users.
	Room() metrics.Room
	// LoadCut cancels the requests of users who leave.
	LoadCut()
	// LoadHold stops new requests from starting, or lets them start again.
	LoadHold(bool)
	// LoadStop starts no new request and lets the running ones end.
	LoadStop()
	// LoadStream is the running or last request of a user.
	LoadStream(user int) (metrics.Stream, bool)
	// LoadSave writes the load's figures beside the session's recording and
	// returns the path.
	LoadSave(ctx context.Context) (path string, err error)
	// SetSLOs changes the objectives of goodput.
	SetSLOs([]slo.Objective)
}

// View is the input of one frame. It is read, never changed.
type View struct {
	Load loadstat.View
	// Want is the slider's number of users: requested of the load, or for the
	// next one.
	Want int
	// Open: the slider in use is that of the rate. WantRate is its requests a
	// second, and Poisson says that they arrive at random.
	Open     bool
	WantRate float64
	Poisson  bool
	// Next is what a request of the next load is, and where it goes; its Drive does
	// not count. It is kept while no load has begun.
	Next say.Start
	// Since says what the load does now, where a frozen picture shows something
	// else; "" otherwise.
	Since string
	// Kind is the first chart. Log makes its scales logarithmic.
	Kind Kind
	Log  bool
	// Max is the panel that fills the screen, NoPanel for none.
	Max Panel
	// Ended are the ended requests, as of when their list or Lengths was shown last.
	Ended request.View
	// Replay is where the replay of a recorded load stands; nil for one of this
	// session.
	Replay *loadstat.Replay
	// Look is what all screens share. Reduced motion draws the lanes as often as figures
	// change; nil glyphs are the Unicode ones.
	Look screen.Look
}

// asks is what the slider in use asks for.
func (v *View) asks() loadstat.Drive {
	if v.Open {
		return loadstat.Drive{Rate: v.WantRate, Poisson: v.Poisson}
	}
	return loadstat.Drive{Users: v.Want}
}

// idle reports whether no load of this session has begun: then nothing is measured.
func (v *View) idle() bool { return v.Replay == nil && !v.begun() }

// begun reports whether a load runs or has run.
func (v *View) begun() bool { return v.Load.Running || v.Load.Sent > 0 }

// Kind is one of the charts.
type Kind uint8

const (
	// Curve is per-user speed and throughput over users: the seesaw.
	Curve Kind = iota
	// Frontier is throughput over per-user speed.
	Frontier
	// Timeline is both over time.
	Timeline
	// Rates is Curve over the requests per second of an open loop.
	Rates
	// Queue is what arrives and ends over time, and what waits.
	Queue
	// Waits is percentiles of TTFT over time.
	Waits
	// Lengths is prefill and decode speed over the length of the prompt.
	Lengths
	// Kinds is how many there are.
	Kinds
)
