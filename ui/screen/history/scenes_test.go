package history

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/html"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// desk is a Screen with its host, run as the program runs it: commands are carried
// out at once, ticks are dropped.
type desk struct {
	*Screen
	store *uitest.AllBackend
	said  []string
	wrong []error
	shows screen.Name
	open  dialog.Dialog
	on    func(dialog.Act) tea.Cmd
	busy  string // what other screens run
	hasty bool   // the person never stays on a run, so the chart does not follow
}

func (d *desk) Say(text string) tea.Cmd    { d.said = append(d.said, text); return nil }
func (d *desk) Complain(err error) tea.Cmd { d.wrong = append(d.wrong, err); return nil }
func (d *desk) Open(x dialog.Dialog, answered func(dialog.Act) tea.Cmd) {
	d.open, d.on = x, answered
}
func (d *desk) Covered() bool { return false }
func (d *desk) Save(to func(context.Context) (string, error), _, _ string) tea.Cmd {
	return func() tea.Msg {
		path, err := to(context.Background())
		d.said = append(d.said, path)
		return err
	}
}
func (d *desk) Page(string, func(context.Context) (any, error), func(any) *html.Page) tea.Cmd {
	return nil
}
func (d *desk) Has(screen.Name) bool                      { return true }
func (d *desk) Show(n screen.Name) tea.Cmd                { d.shows = n; return nil }
func (d *desk) ShowStream(screen.Source) tea.Cmd          { return nil }
func (d *desk) Busy() string                              { return d.busy }
func (d *desk) Runs(screen.Name) bool                     { return false }
func (d *desk) HoldOthers() string                        { return "" }
func (d *desk) Alone(_ string, do func() tea.Cmd) tea.Cmd { return do() }
func (d *desk) Back() tea.Cmd                             { d.shows = "before"; return nil }
func (d *desk) Came() screen.Name                         { return "" }
func (d *desk) BackWord() string                          { return "before" }
func (d *desk) Changed()                                  {}

// sit returns a screen over a store, before it is entered.
func sit(store *uitest.AllBackend) *desk {
	d := &desk{store: store}
	d.Screen = New(screen.Deps{Host: d, Look: &screen.Look{Glyphs: themes.UnicodeGlyphs()}, Backend: store},
		store).(*Screen)
	return d
}

// run carries out a command and what follows from it, apart from ticks.
func (d *desk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tickMsg:
	case settledMsg:
		if !d.hasty {
			d.run(d.Update(msg))
		}
	case screen.Reply:
		d.run(msg())
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	default:
		d.run(d.Update(msg))
	}
}

// enter enters the screen and draws it once, as the root does.
func (d *desk) enter() {
	cmd, _ := d.Enter()
	d.frame(120, 40)
	d.run(cmd)
	d.frame(120, 40)
}

// press carries out a key.
func (d *desk) press(names ...string) {
	for _, name := range names {
		for i := range d.Table {
			for _, k := range d.Table[i].Keys {
				if k == name && d.Table[i].Act != nil {
					d.run(d.Table[i].Act())
				}
			}
		}
	}
}

// frame draws the screen as the root would on a terminal of w by h.
func (d *desk) frame(w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	d.Draw(g, g.Bounds())
	return g
}

// week is a week of four targets, six hours after one of them changed.
var week = sync.OnceValues(func() ([]history.Entry, map[history.Series][]history.Change) {
	w := aWeek(weekEnd, 3*time.Minute)
	entries := w.entries()
	return entries, w.found(entries)
})

// weekEnd is the moment of the scenes: a time of the bubbles of synctest.
var weekEnd = time.Date(2000, 1, 23, 14, 20, 37, 0, time.UTC)

// at runs f at the moment of the scenes.
func at(t *testing.T, f func(*testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(weekEnd))
		f(t)
	})
}

// measured is a screen over that week.
func measured(tb testing.TB) *desk {
	tb.Helper()
	store := uitest.New()
	entries, changes := week()
	store.SetHistory(tb, entries, changes)
	d := sit(store)
	d.enter()
	return d
}

// withBaseline is the same with the three days before the last as groq's baseline.
func withBaseline(tb testing.TB) *desk {
	tb.Helper()
	d := measured(tb)
	s := d.view.shown.Series
	_, _ = d.store.HistoryBaseline(context.Background(), history.Baseline{Name: "usual", Series: s,
		From: weekEnd.Add(-4 * 24 * time.Hour), To: weekEnd.Add(-24 * time.Hour)})
	d.run(d.load())
	d.frame(120, 40)
	return d
}

var states = []string{"loading", "empty", "unreadable", "first minutes", "week", "change", "baseline", "as usual",
	"filter", "no match", "selected"}

// sceneOf are the moments of the golden files.
func sceneOf(tb testing.TB, name string) *desk {
	tb.Helper()
	switch name {
	case "loading":
		return sit(uitest.New())
	case "empty":
		d := sit(uitest.New())
		d.enter()
		return d
	case "unreadable":
		store := uitest.New()
		store.Err = errors.New("the history cannot be read: open /state/tokscope/history: permission denied; see tokscope " +
			"history path")
		d := sit(store)
		d.enter()
		return d
	case "first minutes":
		store := uitest.New()
		w := aWeek(weekEnd, 30*time.Second)
		w.From, w.Targets = weekEnd.Add(-3*time.Minute), w.Targets[3:]
		store.SetHistory(tb, w.entries(), nil)
		d := sit(store)
		d.enter()
		return d
	case "week":
		d := measured(tb)
		d.press("z")
		return d
	case "change":
		return measured(tb)
	case "baseline":
		return withBaseline(tb)
	case "as usual":
		d := measured(tb)
		d.press("up") // fireworks
		d.press("v", "l")
		return d
	case "filter":
		d := measured(tb)
		d.run(d.setFilter("groq state:failed since:7d sort:at"))
		return d
	case "no match":
		d := measured(tb)
		d.run(d.setFilter("model:gpt"))
		return d
	case "selected":
		d := measured(tb)
		d.press("pgdown", "pgdown", "down")
		return d
	}
	panic("unknown scene " + name)
}
