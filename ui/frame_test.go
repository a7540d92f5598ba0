package ui

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

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
		{"load", "tab space", 600, 500 * time.Millisecond, "left right up down pgup pgdown home end enter enter esc tab " +
			"space space x c v Z l w o e m t k s ? [ ] f d r u 0 1 2 3 7 9 y n ctrl+r backspace",
			func(r *harness) bool { v := r.b.LoadView(); return !v.Running || v.Target <= 1024 }},
		{"explain", "4", 600, 300 * time.Millisecond, "left right up down pgup pgdown end enter enter esc tab space . - + " +
			"[ ] u U w v V T T n N b l c z Z t k ? 1 2 4 4 4 ctrl+u backspace",
			func(r *harness) bool { return r.b.ExplainView().Running == (r.shown() == screen.Explain) }},
	} {
		rnd, pool := testkit.Rand(t, uint64(stream)), strings.Fields(c.pool)
		play(t, c.top, 100, 30, Options{Mouse: true}, func(r *harness) {
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
			testkit.Need(t, raw(r.m.written()), "", when)
		}
		r.b.Offered = []metrics.Endpoint{{Name: evil, Note: evil, URL: evil, Badge: evil, Model: evil, Ready: true,
			Kind: metrics.EndpointURL}}
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

// TestFooterIsTheKeyTable: a footer with room has the first keys and the exit, no other, and
// each of them works.
func TestFooterIsTheKeyTable(t *testing.T) {
	play(t, "all", 300, 40, colours, func(r *harness) {
		for _, step := range []string{"drain", "p", "esc e", "esc ?", "esc t", "esc 4", "T", "n", "5"} {
			r.do(step)
			for i, h := range keys.Hints(nil, r.m.keys(), false) {
				shown := i < mostHints || h.Binding.Do == keys.Quit
				if has := strings.Contains(footer(r)+" ", " "+h.Key+" "+h.Word+" "); i != mostHints && has != shown {
					t.Errorf("after %q: %s %s is in the footer: %v\n%s", step, h.Key, h.Word, has, footer(r))
				}
			}
			r.worksAll()
		}
	})
}

// TestASCIIMeansASCII: without Unicode every screen and dialog of the program, with its
// header and footer, is ASCII.
func TestASCIIMeansASCII(t *testing.T) {
	play(t, "all", 120, 40, Options{ASCII: true}, func(r *harness) {
		for _, step := range []string{"space stream:5", "p", "esc e", "esc ?", "esc t", "esc L", "esc 2", "3", "4 wait:1s",
			"T", "n", "5"} {
			r.do(step)
			if i := strings.IndexFunc(r.screen(), func(c rune) bool { return c > '~' }); i >= 0 {
				t.Errorf("after %q: %.20q on\n%s", step, r.screen()[i:], r.screen())
			}
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
