package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

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
