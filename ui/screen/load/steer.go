package load

import (
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/html"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// onFrozen is the badge in the header.
type onFrozen struct{}

// steers reports whether the load takes changes: it runs, and does not end.
func (s *Screen) steers() bool {
	v := &s.view.Load
	return v.Running && (v.Target > 0 || v.Rate > 0) // in an open loop nothing may be under way
}

// cuts reports whether x cuts the requests of leaving users. It does so once: a
// canceled request takes a moment to end, and the next x stops the load.
func (s *Screen) cuts() bool {
	return s.leaving() && (s.cutTo == 0 || s.cutTo != s.view.Load.Target)
}

// send lets the next requests of the load be those of the editor.
func (s *Screen) send() tea.Cmd {
	marks := len(s.view.Load.Marks)
	s.back.LoadSteer(s.work, s.input, s.output)
	s.refresh()
	return s.host.Say(format.Either(len(s.view.Load.Marks) == marks,
		"nothing has changed", "new requests send this; running ones finish"))
}

// Choose implements screen.Screen: a load that runs goes on with the model or at
// the endpoint.
func (s *Screen) Choose(e metrics.Endpoint) (cmd tea.Cmd, taken bool) {
	if !s.steers() {
		return nil, false
	}
	return s.move(e, false), true
}

// move asks the backend to let the load go on at e. It may look things up.
func (s *Screen) move(e metrics.Endpoint, agreed bool) tea.Cmd {
	return func() tea.Msg {
		need, err := s.back.LoadMove(e, agreed)
		return screen.Reply(func() tea.Cmd {
			s.host.Changed()
			s.refresh()
			switch {
			case err != nil:
				return s.host.Complain(err)
			case need != (loadstat.Question{}):
				s.question(need, func() tea.Cmd { return s.move(e, true) })
				return nil
			}
			return s.host.Say("new requests go there; running ones finish")
		})
	}
}

// undo takes the last change back.
func (s *Screen) undo() tea.Cmd { return s.undoing(false) }

func (s *Screen) undoing(agreed bool) tea.Cmd {
	was := s.undoes()
	if was == nil {
		return nil
	}
	if need := s.back.LoadUndo(agreed); need != (loadstat.Question{}) {
		s.question(need, func() tea.Cmd { return s.undoing(true) })
		return nil
	}
	s.refresh()
	v := &s.view.Load
	switch was.Kind {
	case loadstat.MarkUsers, loadstat.MarkRate:
		s.adopt(loadstat.Drive{Users: max(v.Target, 1), Rate: v.Rate, Poisson: v.Drive.Poisson})
	case loadstat.MarkWork:
		s.work, s.input, s.output = v.Work, v.Input, v.Output
	}
	return s.host.Say(say.Undone(was))
}

// undoes returns the change that undo takes back, nil for none.
func (s *Screen) undoes() *loadstat.Mark {
	return format.Either(s.steers(), s.view.Load.Undo, nil)
}

// Commands implements screen.Screen: the palette says what undo takes back.
func (s *Screen) Commands() (out []keys.Binding) {
	if m := s.undoes(); m != nil {
		out = append(out, keys.Binding{Do: keys.Intent("undo last change: " + say.Mark(m)),
			Act: s.undo, Help: "take the last change of the load back"})
	}
	return append(out, screen.Paged(s.host, "load", func() bool { return len(s.view.Load.Path) > 0 },
		func() report.Sweep { return sweepOf(s.view.Load) }, nil,
		func(r report.Sweep) *html.Page { return html.Load(&r, r.Doc(false)) }))
}

// sweepOf is a load as a sweep: a step for each number of users, or rate, with the present work.
func sweepOf(v loadstat.View) report.Sweep {
	r := report.Sweep{Plan: loadstat.SweepPlan{Work: v.Work, SLOs: v.SLOs},
		SweepOutcome: loadstat.SweepOutcome{Endpoint: v.Endpoint, View: v}}
	use := func(i int) bool { return !v.Path[i].Warmup && v.Path[i].Setup == v.Setup }
	for _, i := range choose(nil, v.Path, v.Rate > 0, use) {
		q := v.Path[i]
		r.Steps = append(r.Steps, loadstat.SweepStep{Rate: q.Asked, Point: q})
		if q.Asked > 0 {
			r.Plan.Rates = append(r.Plan.Rates, q.Asked)
		} else {
			r.Plan.Users = append(r.Plan.Users, q.Users)
		}
	}
	r.Planned = len(r.Steps)
	return r
}

// freeze lets the picture stand still, or follow the load again.
func (s *Screen) freeze() {
	if s.frozen != nil {
		s.frozen = nil
		s.refresh()
		return
	}
	still := s.view
	still.Ended = s.back.LoadRequests()
	s.frozen = &still
}

// drawn returns what to draw. A frozen picture follows the keys for charts and
// panels only: its sliders stand where its figures were measured.
func (s *Screen) drawn() *View {
	now := &s.view
	if s.frozen == nil {
		return now
	}
	still := *now
	still.Load, still.Ended = s.frozen.Load, s.frozen.Ended
	still.Want, still.WantRate, still.Poisson = s.frozen.Want, s.frozen.WantRate, s.frozen.Poisson
	still.Since = s.since()
	return &still
}

// since says what the load does now, "" while that is what the frozen picture
// shows.
func (s *Screen) since() string {
	was, now := &s.frozen.Load, &s.view.Load
	same := was.Target == now.Target && was.Rate == now.Rate
	if was.Drive.Ramps() && now.Drive.Ramps() { // on its way it changes all the time
		same = was.Drive.To == now.Drive.To && was.Drive.Open() == now.Drive.Open()
	}
	switch {
	case !now.Running && was.Running:
		return "now ended"
	case now.Holding && !was.Holding:
		return "now held"
	case same && now.Holding == was.Holding:
		return ""
	case now.Rate > 0:
		return "now " + format.Exact(now.Rate) + " req/s"
	case now.Target == 0:
		return "now stopping"
	}
	return "now " + format.Plural(now.Target, "user", "users")
}

// status adds the badge of a frozen picture, with the time of the load at which
// it stands.
func (s *Screen) statusFrozen(st *screen.Status) {
	if s.frozen == nil {
		return
	}
	l := &s.frozen.Load
	text := " frozen "
	if since, ok := l.Now.Sub(l.Began); ok {
		text = " frozen at " + string(format.AppendElapsed(nil, math.Floor(float64(since)/float64(time.Second)))) + " "
	}
	st.Marks = append(st.Marks, screen.Part{Text: text, Short: " frozen ", Role: themes.Headline, Target: onFrozen{}})
}
