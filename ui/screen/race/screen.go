package race

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// Screen is the Race screen.
type Screen struct {
	screen.Base
	host   screen.Host
	look   *screen.Look
	back   Backend
	editor *dialog.Editor

	pic     picture
	view    View
	meters  [racestat.MaxLanes]metrics.Meter // of the lanes
	version uint64
	plan    racestat.Plan
	begin   bool // the program was started to race
	player  player
	now     metrics.Stamp // of the last sample
	// proposedAt is the endpoint in use for which contestants were proposed.
	proposedAt string
}

// New returns the Race screen.
func New(d screen.Deps, b Backend) screen.Screen {
	s := &Screen{Base: screen.Base{ID: screen.Race, Place: screen.Tab{Label: "Race", Key: "3"}},
		host: d.Host, look: d.Look, back: b, editor: d.Editor,
		plan: d.Options.Race, begin: !d.Options.Race.Work.Blank()}
	if !s.begin {
		s.plan = racestat.Plan{Work: prompts.Race(), Bounds: racestat.DefaultBounds}
	}
	s.view.Glyphs, s.view.Figure, s.view.By = d.Look.Glyphs, figure.TTFT, d.Options.By
	s.view.Race.Began = metrics.NoStamp
	s.Table = s.bindings()
	if s.plan.Swap != nil {
		s.Table = slices.DeleteFunc(s.Table, ofPairs)
	}
	return s
}

// Enter implements screen.Screen. A race begins by a key, or because the program
// was started for it.
func (s *Screen) Enter() (tea.Cmd, error) {
	s.Shown = true
	found := s.propose()
	s.refresh()
	return found, nil
}

func (s *Screen) Busy() string {
	return format.Either(s.back.RaceView().Running, "the race", "")
}

func (s *Screen) Stop() { s.back.RaceStop() }

// Hold implements screen.Screen.
func (s *Screen) Hold() (said string, sends bool) {
	s.back.RaceHold(true)
	for lane := range s.back.RaceView().Lanes {
		stream, ok := s.back.RaceStream(lane)
		sends = sends || ok && !stream.State.Ended()
	}
	return "the race is on hold; on Race space goes on", sends
}

func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(screen.Start); ok && s.begin {
		return s.start()
	}
	return nil
}

// ended tells of the end of the race that began at that moment.
func (s *Screen) ended(began metrics.Stamp) tea.Cmd {
	v := s.back.RaceView()
	if v.Began != began || v.Running || v.Ended == racestat.EndStopped {
		return nil
	}
	s.refresh()
	s.host.Changed()
	var said tea.Cmd
	if !s.Shown { // the screen itself says it in its last row
		said = s.host.Say("the race has ended: " + say.RaceEnd(&v))
	}
	// the bell, and a notification with the verdict for terminals that show one
	return tea.Batch(said, tea.Raw(sanitize.Notice(say.RaceSentence(&v))))
}

func (s *Screen) Sample(now metrics.Stamp, force bool) bool {
	s.now = now
	version := s.back.RaceVersion()
	if version == s.version && !force && !s.Animating() {
		return false
	}
	s.version = version
	v := &s.view
	if v.Race = s.back.RaceView(); !v.Race.Began.Known() {
		v.Race.Work, v.Race.Session = s.plan.Work, s.plan.Script
	}
	n := min(len(v.Race.Lanes), racestat.MaxLanes)
	if again, ok := s.replayed(now); ok {
		v.Tracks, v.Heat = again, s.player.Heat
	} else {
		v.Tracks, v.Heat = s.present(n), Heat{}
	}
	v.Last = min(v.Last, len(v.Race.Rounds))
	if v.Reference >= n {
		v.Reference = 0
	}
	return true
}

// present are the tracks of the lanes as they are now: those that have run in this round up
// to the moment of the one that is live. One without text of its own keeps that of the round
// before.
func (s *Screen) present(n int) []Track {
	tracks, streams := make([]Track, n), make([]metrics.Stream, n)
	var after time.Duration // of the lane that is live
	all := true             // none is
	for i := range streams {
		streams[i], tracks[i].Has = s.back.RaceStream(i)
		if tracks[i].Has && !streams[i].State.Ended() {
			all = false
			if d, sent := streams[i].Now.Sub(streams[i].Marks.Sent); sent {
				after = max(after, d)
			}
		}
	}
	for i := range tracks {
		if tracks[i].Has {
			tracks[i] = trackOf(&s.meters[i], &streams[i], !streams[i].State.Ended(), all, after)
		}
		if before := s.player.streams; tracks[i].Text == "" && i < len(before) {
			tracks[i].Before = textOf(&before[i], len(before[i].Text))
		}
	}
	return tracks
}

func (s *Screen) refresh() { s.Sample(s.now, true) }

func (s *Screen) Draw(g *draw.Grid, r draw.Rect) { s.pic.Draw(g, r, &s.view) }

func (s *Screen) Click(t draw.Target, _ tea.Mouse) (tea.Cmd, bool) {
	switch t := t.(type) {
	case onLane:
		s.view.Reference = int(t)
	case onPairs:
		s.nextView()
	}
	return nil, false
}

func (s *Screen) Status(st *screen.Status) {
	r := &s.view.Race
	st.Runs(s.look.Glyphs, r.Running && !r.Holding)
	st.Parts = append(st.Parts, screen.Part{Text: "race", Role: themes.Strong})
	if s.measured() {
		st.Parts = append(st.Parts, screen.Part{Text: say.RaceAmount(r), Role: themes.Text})
	}
	if r.Parallel {
		st.Parts = append(st.Parts, screen.Part{Text: "parallel", Role: themes.Warn})
	}
	st.Work = screen.WorkWords(&s.plan.Work, metrics.Lengths{}, metrics.Lengths{}, s.look.Glyphs)
	st.Observer = r.Observer
}

func (s *Screen) Aside() string {
	v := s.back.RaceView()
	return format.If(v.Running, "race, "+say.RaceAmount(&v))
}

func (s *Screen) Summary() *report.Doc {
	v := s.back.RaceView()
	if !v.Began.Known() {
		return nil
	}
	return report.Race(&v, s.view.By, false)
}

func (s *Screen) Animating() bool { return s.view.Race.Running || s.player.moves }

// run is the action of the space bar: start, pause, go on.
func (s *Screen) run() tea.Cmd {
	switch r := &s.view.Race; {
	case r.Running && r.Holding:
		return s.host.Alone("the race goes on in a moment", func() tea.Cmd { return s.hold(false) })
	case r.Running:
		return s.hold(true)
	}
	return s.start()
}

func (s *Screen) hold(on bool) tea.Cmd {
	s.back.RaceHold(on)
	s.refresh()
	return nil
}

// start starts a race between the contestants, once no other screen sends: a request of
// one would slow its lanes.
func (s *Screen) start() tea.Cmd {
	if len(s.back.RaceContest().Targets) == 0 {
		s.pick()
		return nil
	}
	return s.host.Alone("the race begins in a moment", s.startNow)
}

func (s *Screen) startNow() tea.Cmd {
	if err := s.back.RaceStart(s.plan, nil); err != nil {
		return s.host.Complain(err)
	}
	s.refresh()
	began := s.view.Race.Began
	return func() tea.Msg {
		s.back.RaceWait(context.Background())
		return screen.Reply(func() tea.Cmd { return s.ended(began) })
	}
}

func (s *Screen) stop() tea.Cmd {
	if !s.view.Race.Running {
		return nil
	}
	s.back.RaceStop()
	s.refresh()
	return s.host.Say("stopped; what is known stays")
}

// pick opens the picker of the contestants. Other ones end the race and wait for space: who
// reads that it races would pause one that has begun by itself.
func (s *Screen) pick() {
	contestants := dialog.NewContestants(s.back.RaceContest(), s.back.Endpoint())
	s.host.Open(contestants, dialog.Chose(func(c racestat.Contest) tea.Cmd {
		if c.String() == s.back.RaceContest().String() {
			return nil
		}
		if err := s.back.RaceSet(c); err != nil {
			return s.host.Complain(err)
		}
		s.view.Reference, s.view.Proposed = 0, racestat.NotProposed
		s.refresh()
		return nil
	}))
}

// measured reports whether the race has a pair or a block.
func (s *Screen) measured() bool { return s.view.Race.Pairs()+len(s.view.Race.Blocks) > 0 }

// nextView shows the next figure, and after the last one the statistics. Blocks of few lanes
// show all figures at once.
func (s *Screen) nextView() {
	v, all := &s.view, racestat.Times
	if s.plan.Swap != nil {
		all = racestat.Swapped[:format.Either(len(v.Race.Lanes) > fewLanes, 2, 1)]
	}
	at := (slices.Index(all, v.Figure) + 1) % len(all)
	if v.Statistics = at == 0 && !v.Statistics; !v.Statistics {
		v.Figure = all[at]
	}
}

// paged reports whether the table of pairs is shown and does not hold all of them.
func (s *Screen) paged() bool { return s.pic.room > 0 && len(s.view.Race.Rounds) > s.pic.room }

// page shows pairs so many tables older. A newer pair than the newest, and an older
// one than the first, is none.
func (s *Screen) page(by int) {
	if v, all := &s.view, len(s.view.Race.Rounds); s.paged() {
		last := cmp.Or(v.Last, all) - by*s.pic.room
		v.Last = format.Either(last < all, max(last, s.pic.room), 0)
	}
}

func (s *Screen) compareWith(by int) {
	if n := len(s.view.Race.Lanes); n > 0 {
		s.view.Reference = (s.view.Reference + by + n) % n
	}
}

func (s *Screen) openEditor() {
	s.editor.LoadLengths(s.plan.Work, metrics.Lengths{}, metrics.Lengths{})
	s.host.Open(s.editor, func(a dialog.Act) tea.Cmd {
		_, _, _, err := s.editor.Keep(&s.plan.Work)
		if err == nil {
			s.plan.Script = nil
		}
		return screen.Edited(s.host, a, err, s.start)
	})
}

// proposeWithin bounds the question for what to race.
const proposeWithin = 2 * time.Second

// propose names contestants where nobody has, and before a race again where another endpoint
// is in use since: at once what needs no asking, then what the backend finds.
func (s *Screen) propose() tea.Cmd {
	e := s.back.Endpoint()
	at := e.API + " " + e.URL + "#" + e.Model
	named := len(s.back.RaceContest().Targets) > 0 && s.view.Proposed == racestat.NotProposed
	if named || s.proposedAt == at || s.back.RaceView().Began.Known() {
		return nil
	}
	s.proposedAt = at
	asked, stop := context.WithCancel(context.Background())
	stop()
	if s.take(s.back.RacePropose(asked)); s.view.Proposed == racestat.DemoMachines {
		return nil
	}
	shown := s.back.RaceContest().String()
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(context.Background(), proposeWithin)
		defer stop()
		c, why := s.back.RacePropose(ctx)
		return screen.Reply(func() tea.Cmd {
			if s.back.RaceContest().String() == shown && !s.back.RaceView().Began.Known() {
				s.take(c, why)
				s.refresh()
				s.host.Changed()
			}
			return nil
		})
	}
}

// take makes a proposal the contestants. One that cannot race is none.
func (s *Screen) take(c racestat.Contest, why racestat.Proposal) {
	if s.back.RaceSet(c) == nil {
		s.view.Proposed = why
	}
}
