package load

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/dialog"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// question asks before something is done.
func (s *Screen) question(q loadstat.Question, proceed func() tea.Cmd) {
	s.asked, s.pending = q, proceed
	s.host.Open(dialog.NewConfirm("confirm", say.Question(q)), s.answered)
}

// answered handles the answer.
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
	s.host.Open(dialog.NewDrive(s.view.asks(), loadstat.MaxUsers), dialog.Chose(func(d loadstat.Drive) tea.Cmd {
		return s.drive(d)
	}))
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

// slideTo moves the slider in use to column x.
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
