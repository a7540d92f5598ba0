package load

import (
	"cmp"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// Screen is the Load screen: many users on one endpoint, in this session or in a
// recording.
type Screen struct {
	screen.Base
	list   *listing.List
	host   screen.Host
	look   *screen.Look
	from   Source
	back   Backend       // from, which it drives; nil for a recorded load
	rec    ReplayBackend // that of a recorded load; nil for that of this session
	editor *dialog.Editor

	pic      *picture
	view     View
	version  uint64
	endpoint metrics.Endpoint
	single   metrics.Stream // the last single request; the header uses its model name

	focus   Panel         // that Z maximizes; NoPanel before the first choice
	endedAt metrics.Stamp // when view.Ended was taken

	ramping bool // a ramp was asked for, or runs
	been    bool // it was shown before
	waits   bool // a load begins once a request that was cut is over

	work   metrics.Workload
	input  metrics.Lengths // of prompts, where they vary
	output metrics.Lengths // of answers, where they vary

	frozen *View // the picture that stands still; nil while it follows the load
	cutTo  int   // the Target whose leaving users were cut and have not left yet; 0 without any

	pending func() tea.Cmd    // runs after a yes to the open question
	asked   loadstat.Question // the question that was answered with no
}

// New returns the Load screen.
func New(d screen.Deps, b Backend) screen.Screen {
	s := newScreen(d, b)
	s.back, s.editor, s.work = b, d.Editor, d.Options.LoadWork
	if s.work.Blank() {
		s.work = prompts.Load()
	}
	s.list = s.newList(listing.Config{
		Of: screen.Load, Users: true, Kept: say.RequestsKept, Rule: say.RequestsRule,
		Title: func(r *request.Row) string { return fmt.Sprintf("request %d of the load, user %d", r.N, r.User) },
	})
	s.ID, s.Table = screen.Load, s.bindings()
	return s
}

// newScreen returns a screen of the loads of from, without its list and keys.
func newScreen(d screen.Deps, from Source) *Screen {
	s := &Screen{Base: screen.Base{Place: screen.Tab{Label: "Load", Key: "2"}},
		host: d.Host, look: d.Look, from: from, pic: &picture{},
		view: View{Want: 1, WantRate: 1}}
	s.pic.lanes.of = &s.view
	s.view.Load.Began = metrics.NoStamp
	return s
}

// Enter implements screen.Screen. Only a key starts a load, on any endpoint.
func (s *Screen) Enter() (tea.Cmd, error) {
	if s.rec != nil {
		if s.refresh(); *s.view.Replay == (loadstat.Replay{}) {
			return nil, errors.New("no recording of a load is open: `tokscope replay FILE` opens one")
		}
		return nil, nil
	}
	s.editor.LoadLengths(s.work, s.input, s.output) // all screens share the editor
	single := s.back.Snapshot()
	s.single = metrics.Stream{State: single.State, Endpoint: single.Endpoint, Model: single.Model}
	s.refresh()
	if !s.been && len(s.view.Load.SLOs) == 0 {
		// until a person sets others: a first token within half a second, and 50 tok/s after it
		s.back.SetSLOs([]slo.Objective{{Name: "ttft", Limit: 500}, {Name: "tpot", Limit: 20}})
	}
	s.been = true
	return nil, nil
}

// Leave implements screen.Screen. A load that waits does not begin.
func (s *Screen) Leave() { s.waits = false }

func (s *Screen) Busy() string {
	return format.Either(s.from.LoadView().Running, "the load", "")
}

// Stop implements screen.Screen. The load ends at once.
func (s *Screen) Stop() {
	if s.from.LoadView().Running {
		s.back.LoadStop()
		s.back.LoadCut()
	}
}

// Hold implements screen.Screen.
func (s *Screen) Hold() (said string, sends bool) {
	s.back.LoadHold(true)
	return "the load is on hold; on Load space goes on", s.from.LoadView().InFlight > 0
}

func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Pointer:
		if msg.Held {
			return s.slideTo(msg.X)
		}
		s.rows().Move(msg.Wheel + msg.Drag)
	case screen.EndpointChanges:
		s.Stop()
	case screen.WorkChanges:
		s.work = msg.Work
	}
	return nil
}

func (s *Screen) Sample(_ metrics.Stamp, force bool) bool {
	version := s.from.LoadVersion()
	if version == s.version && !force {
		return false
	}
	s.version = version
	s.view.Load = s.from.LoadView()
	if s.rec != nil {
		s.followRecorded()
	} else {
		s.follow()
	}
	s.sampleEnded(force)
	return true
}

// follow takes over what the load of this session does, and asks what it asks.
func (s *Screen) follow() {
	if !s.leaving() {
		s.cutTo = 0
	}
	s.slideAlong(false)
	s.endpoint = s.back.Endpoint()
	if q := s.view.Load.Asks; q != (loadstat.Question{}) && q != s.asked && s.pending == nil && !s.host.Covered() {
		s.question(q, func() tea.Cmd {
			s.back.LoadConsent()
			if s.view.Load.Rate <= 0 && !s.ramping { // a ramp goes on by itself
				s.back.LoadDrive(loadstat.Drive{Users: s.view.Want})
			}
			return nil
		})
	}
}

func (s *Screen) refresh() { s.Sample(0, true) }

func (s *Screen) Draw(g *draw.Grid, r draw.Rect) {
	if s.view.idle() {
		s.view.Next = s.next()
	}
	s.view.Look = *s.look
	s.pic.Draw(g, r, s.drawn())
}

// next is what a request of the next load is. What it may use matters where the
// endpoint is not this machine.
func (s *Screen) next() say.Start {
	next := say.Start{Work: screen.WorkWords(&s.work, s.input, s.output, s.look.Glyphs)[1]}
	if k := s.endpoint.Kind; k == metrics.EndpointEmbedded || k == metrics.EndpointLoopback {
		return next
	}
	_, prompt := s.input.Bounds()
	_, answer := s.output.Bounds()
	prompt, answer = cmp.Or(prompt, s.work.InputTokens), cmp.Or(answer, s.work.MaxTokens)
	if next.On = s.endpoint.Name; prompt > 0 && answer > 0 {
		next.Tokens = prompt + answer
	}
	return next
}

// Click implements screen.Screen. It moves the slider, selects a lane, opens
// the selected one, and does what a panel's key does.
func (s *Screen) Click(t draw.Target, at tea.Mouse) (tea.Cmd, bool) {
	if cmd, ours := s.list.Click(t); ours {
		return cmd, false
	}
	switch t := t.(type) {
	case onLane:
		user, ok := s.pic.lanes.laneAt(t, at.X)
		if !ok {
			return nil, false
		}
		if now, some := s.pic.lanes.Selected(); some && now == user && s.pic.lanes.cursor != 0 {
			return s.openLane(), false
		}
		s.focus = LanesPanel
		s.pic.lanes.cursor = user
	case target:
		switch t {
		case onSlider:
			return s.slideTo(at.X), true
		case onChart:
			s.focus = ChartPanel
			s.nextView()
			s.refresh()
		case onGoodput:
			if s.focus = GoodputPanel; s.back != nil {
				s.pickObjectives()
			}
		}
	}
	return nil, false
}

func (s *Screen) Status(st *screen.Status) {
	l := &s.view.Load
	st.Runs(s.look.Glyphs, l.Running && !l.Holding)
	st.Observer = l.Observer
	if s.rec != nil {
		s.statusRecorded(st)
		return
	}
	served := screen.Served(&s.single, s.endpoint)
	if l.Model != "" && l.Endpoint.Same(&s.endpoint) && l.Endpoint.Model == s.endpoint.Model {
		served = l.Model
	}
	st.Endpoint(s.endpoint, served)
	if s.view.Open {
		st.Marks = append(st.Marks, screen.Part{Text: " open loop, " + format.Exact(s.view.WantRate) + " req/s ",
			Short: " open loop ", Role: themes.Badge})
	}
	s.statusFrozen(st)
	st.Work, st.WorkTarget = screen.WorkWords(&s.work, s.input, s.output, s.look.Glyphs), keys.EditPrompt
	if l.Running { // the figures belong to this workload
		st.Work = screen.WorkWords(&l.Work, l.Input, l.Output, s.look.Glyphs)
	}
}

// Aside implements screen.Screen. That of a recording is that of the replay on
// Live: both are one.
func (s *Screen) Aside() string {
	if s.rec == nil && !s.been {
		return ""
	}
	switch l := s.from.LoadView(); {
	case s.rec != nil && l.Began.Known():
		return "replay paused"
	case s.rec == nil && l.Running:
		return format.Plural(l.Users, "user", "users") + format.Either(l.Holding, " on hold", " at load")
	}
	return ""
}

func (s *Screen) Summary() *report.Doc {
	if s.rec != nil {
		return nil
	}
	return report.Load(s.from.LoadView())
}

func (s *Screen) Animating() bool { return s.frozen == nil && s.view.Load.Running }

func (s *Screen) running() bool { return s.view.Load.Running }

func (s *Screen) hasLanes() bool { return len(s.view.Load.Lanes) > 0 }

func (s *Screen) leaving() bool {
	v := &s.view.Load
	return v.Running && v.Users > v.Target && (v.Rate <= 0 || v.Ending)
}
