package load

import (
	"fmt"
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/format"
	"tokscope/ui/html"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

func (s *Screen) question(q loadstat.Question, proceed func() tea.Cmd) {
	s.asked, s.pending = q, proceed
	s.host.Open(dialog.NewConfirm("confirm", say.Question(q)), s.answered)
}

func (s *Screen) answered(a dialog.Act) tea.Cmd {
	proceed := s.pending
	s.pending = nil
	if _, yes := a.(dialog.Confirmed); !yes || proceed == nil {
		s.slideAlong(true)
		return nil
	}
	s.asked = loadstat.Question{}
	cmd := proceed()
	s.refresh()
	return cmd
}

// start starts a load of what the slider in use says, once no other screen sends: each
// request of one would be a user more than is said.
func (s *Screen) start() tea.Cmd {
	s.waits = true
	return s.host.Alone("the load begins in a moment", s.startNow)
}

func (s *Screen) startNow() tea.Cmd {
	if !s.waits {
		return nil
	}
	s.frozen, s.waits = nil, false
	s.back.SetLengths(s.input, s.output)
	s.back.LoadDrive(s.view.asks())
	need, err := s.back.LoadStart(s.work, s.view.Want)
	if err != nil {
		s.refresh()
		return s.host.Complain(err)
	}
	if need != (loadstat.Question{}) {
		s.question(need, func() tea.Cmd {
			s.back.LoadConsent()
			return s.start()
		})
		return nil
	}
	s.refresh()
	return nil
}

// hold is the action of the space bar: start, hold, continue.
func (s *Screen) hold() tea.Cmd {
	if !s.view.Load.Running {
		return s.start()
	}
	goesOn := func() tea.Cmd {
		s.back.LoadHold(!s.view.Load.Holding)
		s.refresh()
		return nil
	}
	if s.view.Load.Holding && s.host.Runs(screen.Race) {
		return s.host.Alone("the load goes on in a moment", goesOn)
	}
	return goesOn()
}

// stopUsers lets running requests end. While users leave it first cuts their
// requests, and in a stopping load all of them. A load that waits does not begin.
func (s *Screen) stopUsers() tea.Cmd {
	if s.waits {
		s.waits = false
		return s.host.Say("load canceled; space starts it")
	}
	if s.cuts() {
		s.refresh() // requests have ended since the last look
		s.cutTo = s.view.Load.Target
		said := say.LoadCut(&s.view.Load)
		s.back.LoadCut()
		s.refresh()
		return s.host.Say(said)
	}
	s.back.LoadStop()
	s.refresh()
	if v := &s.view.Load; !v.Running || v.InFlight == 0 {
		return s.host.Say("stopped: no request was under way")
	}
	return s.host.Say("stopping: running requests finish; x again cuts them")
}

// pickUsers opens the picker for the number of users, or for the rate when its
// slider is in use. It reads ramps too.
func (s *Screen) pickUsers() {
	now := s.view.asks()
	s.host.Open(dialog.NewDrive(now, loadstat.MaxUsers, stepsOf(now.Open())), dialog.Chose(s.drive))
}

func (s *Screen) pickObjectives() {
	s.host.Open(dialog.NewObjectives(s.view.Load.SLOs), dialog.Chose(func(slos []slo.Objective) tea.Cmd {
		s.back.SetSLOs(slos)
		s.refresh()
		return nil
	}))
}

func (s *Screen) openEditor() {
	s.editor.LoadLengths(s.work, s.input, s.output)
	s.host.Open(s.editor, s.edited)
}

// edited keeps the edited workload, and starts a load if requested.
func (s *Screen) edited(a dialog.Act) tea.Cmd {
	in, out, lengths, err := s.editor.Keep(&s.work)
	if lengths {
		s.input, s.output = drawn(in), drawn(out)
	}
	return screen.Edited(s.host, a, err, format.Either(s.steers(), s.send, s.start))
}

// drawn returns l if it varies, else the zero Lengths: a fixed length is part
// of the workload.
func drawn(l metrics.Lengths) metrics.Lengths {
	return format.Either(l.Varies(), l, metrics.Lengths{})
}

// openLane shows the selected request or user's stream.
func (s *Screen) openLane() tea.Cmd {
	if s.listed() {
		return s.list.Open()
	}
	user, ok := s.pic.lanes.Selected()
	if !ok {
		return nil
	}
	if _, ok := s.back.LoadStream(user); !ok {
		return s.host.Say(fmt.Sprintf("user %d has sent no request yet", user))
	}
	s.pic.lanes.cursor = user
	return s.host.ShowStream(&lane{s, user})
}

// slide moves the slider in use by a step; fine: by one user, or by one in the
// second digit of a rate.
func (s *Screen) slide(by int, fine bool) tea.Cmd {
	to := s.view.asks()
	switch {
	case !s.view.Open && fine:
		to.Users += by
	case !s.view.Open:
		to.Users = int(userSteps.next(float64(to.Users), by))
	case fine:
		to.Rate = rateFine(to.Rate, by)
	default:
		to.Rate = rateSteps.next(to.Rate, by)
	}
	return s.drive(to)
}

func (s *Screen) slideTo(x int) tea.Cmd {
	at, to := stepsOf(s.view.Open).at(s.pic.head.track, x), s.view.asks() // a drag may leave its row
	if s.view.Open {
		to.Rate = at
	} else {
		to.Users = int(at)
	}
	return s.drive(to)
}

// drive makes d the load, with as many users as the machine holds. It says what they lack.
func (s *Screen) drive(d loadstat.Drive) tea.Cmd {
	said := ""
	v, l, was := &s.view, &s.view.Load, s.view.asks()
	s.asked = loadstat.Question{}
	if !d.Open() {
		d.Users = min(max(d.Users, 1), loadstat.MaxUsers)
		room, lacks := s.back.Room(), false
		if said, lacks = say.Room(&room, d.Users); lacks {
			d.Users = max(room.Fits(), 1)
		}
	}
	s.adopt(d)
	same := v.Open && l.Drive == d || !v.Open && l.Target == d.Users && l.Rate <= 0 && !l.Drive.Ramps()
	if d != was || l.Running && !same {
		s.ramping = d.Ramps()
		if s.back.LoadDrive(d); l.Running {
			s.refresh()
		}
	}
	if said == "" {
		return nil
	}
	return s.host.Say(said)
}

// adopt lets the slider of d come into use, with its chart where the other one's was
// shown.
func (s *Screen) adopt(d loadstat.Drive) {
	v := &s.view
	if v.Open = d.Open(); v.Open {
		v.WantRate, v.Poisson = d.Rate, d.Poisson
		if v.Kind == Curve {
			v.Kind = Rates
		}
		return
	}
	v.Want = d.Users
	if v.Kind == Rates || v.Kind == Queue {
		v.Kind = Curve
	}
}

// slideAlong moves the sliders with a load on a ramp; always: whatever it does.
func (s *Screen) slideAlong(always bool) {
	l := &s.view.Load
	if !l.Running || !always && !s.ramping {
		return
	}
	s.ramping = l.Drive.Ramps()
	switch {
	case l.Rate > 0:
		s.view.WantRate = l.Rate
	case l.Target > 0:
		s.view.Want = l.Target
	}
}

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
	st.Marks = append(st.Marks,
		screen.Part{Text: text, Short: " frozen ", Role: themes.Headline, Target: keys.Intent("freeze")})
}
