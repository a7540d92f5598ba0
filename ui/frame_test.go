package ui

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
	"tokscope/ui/uitest"
)

var errRefused = errors.New("refused: \x1b]0;owned\x07\x1b[2Jkey sk-…")

// survivesEverySize checks that a frame has as many rows as the terminal, at any size.
func (r *harness) survivesEverySize() {
	r.Helper()
	for _, w := range []int{0, 1, 2, 3, 7, 20, 40, 71, 72, 80, 111, 300} {
		for _, h := range []int{0, 1, 2, 3, 5, 12, 18, 24, 80} {
			r.update(tea.WindowSizeMsg{Width: w, Height: h})
			if got := strings.Count(r.screen(), "\n") + 1; h > 0 && w > 1 && got != h {
				r.Fatalf("%dx%d has %d rows", w, h, got)
			}
		}
	}
	r.do("size:80x24")
}

func TestEverySizeIsSurvived(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
		r.do("space stream:40")
		for _, open := range []string{"drain", "p", "e", "?", "t", "L"} {
			r.do(open)
			r.survivesEverySize()
			r.do("esc")
		}
	})
}

// TestAnyKeys presses keys and the mouse at random on a screen, its dialogs and the screens
// beside it, while the terminal changes its size and requests stream. Nothing panics, the
// footer promises what works, no more than two dialogs are open, and check holds.
func TestAnyKeys(t *testing.T) {
	for stream, c := range []struct {
		top, begin string
		n          int
		longest    time.Duration // of a wait
		pool       string
		check      func(*harness) bool
	}{
		{"live", "drain", 1500, 10 * time.Millisecond, "space x esc p e m [ ] l L z Z v = left right shift+left w b c f d " +
			"r u t T N S : k ? up down pgup pgdown home end enter tab backspace ctrl+s ctrl+u a 日",
			func(*harness) bool { return true }},
		{"load", "tab space", 600, 1200 * time.Millisecond, "left right up down pgup pgdown home end enter enter esc tab space " +
			"space x c v Z l w o e m t k s ? [ ] f d r u 0 1 2 3 7 9 y n ctrl+r backspace",
			func(r *harness) bool { v := r.b.LoadView(); return !v.Running || v.Target <= 1024 }},
		{"explain", "4", 600, 300 * time.Millisecond, "left right up down pgup pgdown end enter enter esc tab space . - + [ ] " +
			"u U w v V T T n N b l c z Z t k ? 1 2 4 4 4 ctrl+u backspace",
			func(r *harness) bool { return r.b.ExplainView().Running == (r.shown() == screen.Explain) }},
	} {
		rnd, pool := testkit.Rand(t, uint64(stream)), strings.Fields(c.pool)
		play(t, c.top, 100, 30, Options{Mouse: true}, func(r *harness) {
			r.b.Free = 100
			r.do(c.begin)
			for i := range c.n {
				did := "the mouse, a size or a wait"
				switch rnd.IntN(12) {
				case 0:
					r.send(tea.WindowSizeMsg{Width: rnd.IntN(210), Height: rnd.IntN(60)})
				case 1:
					r.send(tea.MouseClickMsg{X: rnd.IntN(200), Y: rnd.IntN(55), Button: tea.MouseLeft})
				case 2:
					r.send(tea.MouseMotionMsg{X: rnd.IntN(200), Y: rnd.IntN(55), Button: tea.MouseLeft})
				case 3:
					r.wait(time.Duration(rnd.Int64N(int64(c.longest))))
				default:
					did = pool[rnd.IntN(len(pool))]
					r.press(did)
				}
				if r.b.Running() && rnd.IntN(3) == 0 {
					if r.b.Snapshot().State == metrics.Connecting {
						r.b.Sent()
					}
					r.b.Chunk("x ")
				}
				r.worksAll()
				r.quit = false // a click on "quit" is as random as any
				if n := len(r.m.stack); n > 2 || !c.check(r) {
					t.Fatalf("%s: %d dialogs after step %d (%s), on %s:\n%s", c.top, n, i, did, r.shown(), r.screen())
				}
			}
		})
	}
}

func TestHostileTextNeverReachesTheFrameRaw(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\x00\r\nsecond"
	play(t, "live", 120, 40, Options{Profile: themes.NoColor}, func(r *harness) {
		check := func(when string) {
			t.Helper()
			if got := raw(r.m.written()); got != "" {
				t.Fatalf("%s: %q", when, got)
			}
		}
		r.b.Offered = []metrics.Endpoint{{Name: evil, Note: evil, URL: evil, Badge: evil, Model: evil, Ready: true, Kind: metrics.EndpointURL}}
		r.b.Named = []string{evil}
		r.press("e", "down")
		check("endpoints")
		r.press("enter")
		check("models")
		r.press("end", "enter")
		check("header")
		r.do("space sent")
		r.b.Chunk(evil)
		r.wait(300 * time.Millisecond)
		check("text")
		r.b.Fail(metrics.Fault{Kind: metrics.FaultHTTP, Message: evil, Next: evil, Code: evil, Body: evil, Status: 500})
		r.drain()
		check("error")
		r.b.SaveErr = errRefused
		r.press("s")
		check("toast")
	})
}

func TestFooterIsTheKeyTable(t *testing.T) {
	play(t, "live", 300, 40, colours, func(r *harness) {
		for _, open := range []string{"", "p", "e", "?", "t"} {
			if open != "" {
				r.press(open)
			}
			for i, h := range keys.Hints(nil, r.m.keys(), false) { // the first of them, and the exit
				want := h.Key + " " + h.Word
				if i < mostHints && !strings.Contains(footer(r), want) {
					t.Errorf("%q is missing from %q", want, footer(r))
				}
			}
			if open != "" {
				r.press("esc")
			}
		}
	})
}

func TestASCIIMeansASCII(t *testing.T) {
	play(t, "live", 120, 40, Options{ASCII: true}, func(r *harness) {
		for _, open := range []string{"", "p", "e", "?", "t", "L"} {
			if open != "" {
				r.press(open)
			}
			top, foot, _ := strings.Cut(r.screen(), "\n")
			for _, c := range top + footer(r) {
				if c > '~' {
					t.Errorf("%q in %q or %q", c, top, footer(r))
				}
			}
			if open != "" && strings.ContainsAny(foot, "╭╮│─") {
				t.Errorf("box drawing after %q:\n%s", open, foot)
			}
			if open != "" {
				r.press("esc")
			}
		}
	})
}

func TestAnUnchangedFrameCostsNothing(t *testing.T) {
	play(t, "live", 200, 50, colours, func(r *harness) {
		r.do("space stream:100 wait:5s")
		allocs := testing.AllocsPerRun(50, func() {
			r.m.Update(struct{}{})
			r.o.t.write(&r.m.surface)
		})
		if allocs > 0 {
			t.Errorf("%v allocations for nothing", allocs)
		}
	})
}

// warm returns a model in the middle of a stream, with text on the screen.
func warm(w, h int) (*Model, *uitest.Backend) {
	b := newLive()
	m := New(registry.All(), b, Options{Profile: themes.TrueColor})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	tap(m, "space")
	b.Sent()
	for i := range 400 {
		b.Advance(7 * time.Millisecond)
		b.Chunk(fmt.Sprintf("word%d ", i%10))
	}
	m.Update(frameMsg{})
	return m, b.Backend
}

// nowhere is a terminal of m that nobody sees.
func nowhere(m *Model) onTerminal {
	return onTerminal{m, &terminal{out: io.Discard, changed: func() {}, lost: true}}
}

// written is the frame of m as a terminal gets it that shows nothing yet.
func (m *Model) written() string {
	return string(new(draw.Patch).Append(nil, m.surface.grid, m.surface.palette))
}

// frame draws and writes a frame as on a tick of the clock.
func (o onTerminal) frame() {
	o.m.Update(frameMsg{})
	o.t.write(&o.m.surface)
}

func TestAChangedFrameKeepsItsBudgetOfAllocations(t *testing.T) {
	m, b := warm(200, 50)
	o := nowhere(m)
	allocs := testing.AllocsPerRun(100, func() {
		b.Advance(33 * time.Millisecond)
		b.Chunk("another ")
		o.frame()
	})
	if allocs > 25 {
		t.Errorf("%v allocations a frame, the budget is 25", allocs)
	}
}

func BenchmarkFrameChanged(bm *testing.B) {
	m, b := warm(200, 50)
	o := nowhere(m)
	bm.ReportAllocs()
	for i := 0; bm.Loop(); i++ {
		b.Advance(33 * time.Millisecond)
		if i%400 == 399 { // keep the stream at its length
			bm.StopTimer()
			m, b = warm(200, 50)
			o = nowhere(m)
			bm.StartTimer()
		}
		b.Chunk("another ")
		o.frame()
	}
}

func BenchmarkFrameUnchanged(bm *testing.B) {
	m, b := warm(200, 50)
	b.Finish()
	b.Advance(time.Minute)
	m.sample(true)
	o := nowhere(m)
	o.frame()
	bm.ReportAllocs()
	for bm.Loop() {
		m.Update(struct{}{})
		o.t.write(&m.surface)
	}
}

// BenchmarkFrameBudget checks the budget of a frame at 200x50: 1 ms of CPU.
// lipgloss takes some 5 ms to render as many cells in runs of eight. An
// unchanged frame costs nothing measurable.
func BenchmarkFrameBudget(bm *testing.B) {
	const most, mostIdle = 0.15, 0.00005
	m, b := warm(200, 50)
	o := nowhere(m)
	n := 0
	changed := func() {
		if n++; n%400 == 0 { // keep the stream at its length
			m, b = warm(200, 50)
			o = nowhere(m)
		}
		b.Advance(33 * time.Millisecond)
		b.Chunk("another ")
		o.frame()
	}
	idle, ib := warm(200, 50)
	ib.Finish()
	ib.Advance(time.Minute)
	idle.sample(true)
	seen := nowhere(idle)
	seen.frame()
	unchanged := func() {
		idle.Update(struct{}{})
		seen.t.write(&idle.surface)
	}
	style := lipgloss.NewStyle().Foreground(lipgloss.Color("#aabbcc"))
	cells := 0
	reference := func() {
		for range 50 * 200 / 8 {
			cells += len(style.Render("another "))
		}
	}
	for bm.Loop() {
		r, i := testkit.Ratio(time.Now, changed, reference), testkit.Ratio(time.Now, unchanged, reference)
		bm.ReportMetric(r, "of-lipgloss")
		bm.ReportMetric(i, "idle-of-lipgloss")
		if r > most || i > mostIdle {
			bm.Fatalf("a frame takes %.3f of rendering its cells with lipgloss (at most %v), an unchanged one %.6f (at most %v)", r, most, i, mostIdle)
		}
	}
}
