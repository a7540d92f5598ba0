package history

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// Screen is the History screen. It asks the store, and moves through what it has
// answered.
type Screen struct {
	screen.Base
	host   screen.Host
	look   *screen.Look
	back   Backend
	replay Replayer // nil without one
	pic    picture
	view   View

	ask   question
	asked bool // a question is under way
	again bool // and what it asks has changed since
	rows  bool // rows are under way
	known uint64
	moved bool  // the person has chosen a run
	place place // that n has chosen
	moves int   // counts choices that the chart is to follow

	session int // counts the entries into the screen, for late ticks
}

// A tickMsg looks whether the store has changed, and a settledMsg whether the person
// has stayed on a run.
type (
	tickMsg struct {
		session int
		version uint64
	}
	settledMsg struct{ moves int }
)

// Bounds of what is asked for, and how often.
const (
	rowsAhead = 300             // rows loaded around the visible ones
	rowsNear  = 60              // rows to the end of those, from which more are asked for
	lookEvery = 2 * time.Second // a look whether another process has measured
	patience  = 20 * time.Second
)

// New returns the History screen.
func New(d screen.Deps, b Backend) screen.Screen {
	s := &Screen{Base: screen.Base{ID: screen.History, Place: screen.Tab{Label: "History", Short: "Hist", Key: "5"}},
		host: d.Host, look: d.Look, back: b}
	s.replay, _ = d.Backend.(Replayer)
	s.view = View{Glyphs: d.Look.Glyphs, Figure: history.TTFT, answer: answer{at: -1}}
	s.Table = s.bindings()
	return s
}

// Enter implements screen.Screen. The first frame shows what is known; the store
// answers later.
func (s *Screen) Enter() (tea.Cmd, error) {
	s.Shown = true
	s.session++
	e, was := s.back.Endpoint(), &s.ask.endpoint
	if e.Name != was.Name || !e.Same(was) || e.Model != was.Model {
		s.ask.endpoint, s.ask.series, s.ask.change, s.moved = e, nil, time.Time{}, false
	}
	return tea.Batch(s.load(), s.tick()), nil
}

func (s *Screen) Draw(g *draw.Grid, r draw.Rect) { s.pic.Draw(g, r, &s.view) }

func (s *Screen) Status(st *screen.Status) {
	v := &s.view
	st.Runs(s.look.Glyphs, v.rows.All > 0)
	if v.Err != "" {
		st.Sign, st.Role = s.look.Glyphs.Stall, themes.Warn
	}
	if v.rows.All == 0 {
		st.Parts = append(st.Parts, screen.Part{Text: "history", Role: themes.Strong})
		return
	}
	n := format.Plural(v.rows.All, "run", "runs")
	st.Parts = append(st.Parts,
		screen.Part{Text: n + " since " + v.rows.Since.UTC().Format("2 Jan"), Short: n, Role: themes.Strong})
}

func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tickMsg:
		return s.watch(msg)
	case settledMsg:
		return s.settled(msg)
	case screen.Pointer:
		return s.choose(s.view.Selected + msg.Wheel + msg.Drag)
	}
	return nil
}

// command runs f with a bound of time, outside the interface's goroutine.
func command[M any](f func(context.Context) M) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return f(ctx)
	}
}

// tick looks later whether another process has measured.
func (s *Screen) tick() tea.Cmd {
	n := s.session
	look := command(func(ctx context.Context) tickMsg { return tickMsg{n, s.back.HistoryVersion(ctx)} })
	return tea.Tick(lookEvery, func(time.Time) tea.Msg { return look() })
}

// watch asks for everything when the version has changed.
func (s *Screen) watch(msg tickMsg) tea.Cmd {
	switch {
	case !s.Shown || msg.session != s.session:
		return nil
	case msg.version != s.known || s.view.Err != "":
		return tea.Batch(s.load(), s.tick())
	}
	return s.tick()
}

func (s *Screen) openRun() tea.Cmd {
	e := s.view.row(s.view.Selected)
	if e == nil {
		return nil
	}
	if e.Session == "" {
		return s.host.Complain(errors.New("this run was measured without a recording, so only its figures are known"))
	}
	path, request, replay := e.Session, e.Request, s.replay
	return tea.Batch(s.host.Say("opening "+sanitize.Line(filepath.Base(path), 60)),
		command(func(ctx context.Context) screen.Reply {
			err := replay.OpenReplay(ctx, path, request)
			return func() tea.Cmd {
				if err != nil {
					return s.host.Complain(err)
				}
				// The replay needs the rows that say what is opened.
				return tea.Batch(s.host.Say(""), s.host.Show(screen.Replay))
			}
		}))
}

func (s *Screen) openable() bool { return s.replay != nil && s.view.rows.Matching > 0 }

// filter opens the line of the filter. What is typed is tried at once.
func (s *Screen) filter() {
	before := s.ask.filter
	s.host.Open(dialog.NewHistoryFilter(before, s.suggestions()),
		listing.Typed(s.setFilter, func() tea.Cmd { return s.setFilter(before) }))
}

// leave goes back one level: from the filter, then to the screen before.
func (s *Screen) leave() tea.Cmd {
	if s.ask.filter != "" {
		return s.setFilter("")
	}
	return s.host.Back()
}

// baseline asks for a name and makes the time of the chart the baseline of its
// series.
func (s *Screen) baseline() {
	v := &s.view
	if v.shown == nil {
		return
	}
	b := history.Baseline{Series: v.shown.Series, From: v.from, To: v.to}
	if v.at >= 0 && v.finding.Since.After(v.from) { // what is usual ended at the change
		b.To = v.finding.Since
	}
	now := ""
	if v.shown.Baseline != nil {
		now = v.shown.Baseline.Name
	}
	s.host.Open(dialog.NewBaseline(now, v.finding.Label+" usual", v.finding.Label+", "+say.HistoryRange(b.From, b.To)),
		dialog.Chose(func(name string) tea.Cmd {
			b.Name = name
			return command(func(ctx context.Context) screen.Reply {
				set, err := s.back.HistoryBaseline(ctx, b)
				return func() tea.Cmd {
					if err != nil {
						return s.host.Complain(err)
					}
					return tea.Batch(s.load(), s.host.Say("baseline "+say.HistoryBaseline(&set)))
				}
			})
		}))
}

func (s *Screen) save() tea.Cmd {
	q := history.Query{Filter: s.ask.filter}
	return s.host.Save(func(ctx context.Context) (string, error) { return s.back.HistorySave(ctx, q) }, "", "")
}

func (s *Screen) Click(t draw.Target, _ tea.Mouse) (tea.Cmd, bool) {
	switch t := t.(type) {
	case onRow:
		if int(t) == s.view.Selected && s.moved && s.openable() {
			return s.openRun(), false
		}
		return s.choose(int(t)), false
	case onColumn:
		return s.sortBy(string(t)), false
	case target:
		if t == onChart {
			s.nextFigure()
		}
	}
	return nil, false
}
