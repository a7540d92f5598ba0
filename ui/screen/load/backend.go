package load

import (
	"context"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
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
