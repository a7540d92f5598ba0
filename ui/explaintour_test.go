package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/testkit"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

func TestTheTour(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("4 > T tour")
		r.do("T > last:explain open, tour go 1")
		foot := func(texts ...string) {
			r.Helper()
			for _, s := range texts {
				if !strings.Contains(footer(r), s) {
					r.Fatalf("%q is missing from the footer %q", s, footer(r))
				}
			}
		}
		foot("enter next lesson", "esc leave the tour")
		if strings.Contains(footer(r), "n next lesson") {
			t.Errorf("two keys for the same: %q", footer(r))
		}
		r.press("n")
		foot("enter quantize to 4 bits", "n next lesson", "N back")
		if got := r.knob(); got != "users" {
			t.Errorf("the lesson speaks of the users, and the knob selected is %s", got)
		}
		r.do("wait:2s left")
		foot("esc newest")
		r.do("enter > last:tour go 2, tour stage 1") // a stage is shown at the newest step
		foot("enter next lesson", "esc leave the tour")
		r.do("enter N n > last:tour go 3, tour go 2, tour go 3")
		r.do("enter enter > last:tour stage 1, tour stage 2")
		if strings.Contains(footer(r), "next lesson") {
			t.Errorf("there is no lesson after the last: %q", footer(r))
		}
		r.do("T > the tour | Two phases | you are here")
		r.do("home enter > last:tour go 1")
		r.press("1", "4")
		if !b.ExplainView().Tour.On {
			t.Error("a look at Live ended the tour")
		}
		r.do("esc > last:tour go 0")
		foot("T tour", "esc live")
	})
}

func TestTheMouseOnExplain(t *testing.T) {
	playExplain(t, 160, 40, Options{Mouse: true}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("4 wait:1s space click:quantization")
		if r.knob() != "quantization" || r.m.stack.top() != nil {
			t.Errorf("a click selected %s", r.knob())
		}
		r.click("quantization")
		if r.m.stack.top() == nil {
			t.Error("a second click does not list its positions")
		}
		r.press("esc")
		_, y := r.locate("engine steps")
		r.send(tea.MouseClickMsg{X: 140, Y: y + 2, Button: tea.MouseLeft})
		first := r.stepsBehind()
		if first == 0 {
			t.Fatal("a click on a step does not look at it")
		}
		for x := 140; x > 100; x-- {
			r.send(tea.MouseMotionMsg{X: x, Y: y + 2, Button: tea.MouseLeft})
		}
		r.wait(100 * time.Millisecond)
		dragged := r.stepsBehind()
		if dragged <= first {
			t.Errorf("dragged to the left the cursor went from %d steps back to %d", first, dragged)
		}
		r.send(tea.MouseReleaseMsg{X: 100, Y: y + 2})
		r.send(tea.MouseMotionMsg{X: 150, Y: y + 2})
		r.wait(100 * time.Millisecond)
		if r.stepsBehind() != dragged {
			t.Error("released, the cursor still follows")
		}
		r.do(`click:"T tour" wait:300ms`)     // in the footer
		x, y := r.locate("enter next lesson") // in the panel of the lesson
		if y > 37 {
			t.Fatalf("the lesson does not say how to go on:\n%s", r.screen())
		}
		r.send(tea.MouseClickMsg{X: x + 2, Y: y, Button: tea.MouseLeft})
		r.wantLast("tour go 1", "tour go 2")
		r.do(`wait:300ms click:"N back" > last:tour go 1`)
	})
}

// While a lesson is still being computed, the footer shows the action of
// enter.
func TestALessonThatIsNotReady(t *testing.T) {
	playExplain(t, 120, 40, Options{First: screen.Explain, Screens: screen.Options{Lesson: 2}}, func(r *harness, b *uitest.ExplainBackend) {
		b.Computing = true
		r.wait(500 * time.Millisecond)
		if f := footer(r); !strings.Contains(f, "enter next stage") {
			t.Errorf("the footer is %q", f)
		}
		if r.press("space"); !r.m.moving() {
			t.Error("nothing looks whether the lesson is there")
		}
		r.do("enter > last:tour stage 1")
	})
}

// The verdicts of the lessons stay in the scrollback.
func TestTheTourLeavesItsVerdicts(t *testing.T) {
	playExplain(t, 120, 40, Options{First: screen.Explain, Screens: screen.Options{Lesson: 2}}, func(r *harness, b *uitest.ExplainBackend) {
		if s := r.m.Summary(); s != "" {
			t.Errorf("before any verdict: %q", s)
		}
		r.do("wait:2s enter wait:2s n esc esc")
		want := "tour, predicted by the model and measured on the embedded engine\n2  The ceiling of one user: holds. per user 313 tok/s, aggregate 289 tok/s\n"
		if s := r.m.Summary(); s != want {
			t.Errorf("got %q, want %q", s, want)
		}
	})
}

// The summary is wrapped for the terminal.
func TestTheSummaryBreaksBetweenWords(t *testing.T) {
	playExplain(t, 40, 12, Options{First: screen.Explain, Screens: screen.Options{Lesson: 2}}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("wait:2s enter wait:2s")
		for _, row := range strings.Split(r.m.Summary(), "\n")[2:] {
			if len(row) > 40 {
				t.Errorf("%q is wider than the terminal", row)
			}
		}
	})
}

// `tokscope tour` resumes the last lesson, or opens the requested one.
func TestTourOption(t *testing.T) {
	for _, c := range []struct {
		lesson int
		want   string
	}{{0, "tour go 1"}, {2, "tour go 2"}} {
		playExplain(t, 80, 24, Options{First: screen.Explain, Screens: screen.Options{Lesson: c.lesson}}, func(r *harness, b *uitest.ExplainBackend) {
			r.wantLast("explain open", c.want)
			r.do("> requests:0")
		})
	}
}

func TestExplainFooterIsTheKeyTable(t *testing.T) {
	playExplain(t, 300, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.press("4")
		for range 2 {
			for _, h := range keys.Hints(nil, r.m.keys(), false) {
				if want := h.Key + " " + h.Word; !strings.Contains(footer(r), want) {
					t.Errorf("%q is missing from %q", want, footer(r))
				}
			}
			r.worksAll()
			r.press("T", "n")
		}
	})
}

// The footer guides also in narrow terminals: the next action comes first,
// and the key to leave is always there.
func TestTheFooterOfANarrowTour(t *testing.T) {
	playExplain(t, 40, 12, Options{First: screen.Explain, Screens: screen.Options{Lesson: 2}}, func(r *harness, b *uitest.ExplainBackend) {
		if f := footer(r); !strings.Contains(f, "enter quantize to 4 bits") || !strings.Contains(f, "n next") {
			t.Errorf("at 40 columns the footer is %q", f)
		}
		r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		if f := footer(r); !strings.Contains(f, "esc leave the tour") {
			t.Errorf("at 80 columns the footer is %q", f)
		}
	})
}

func TestTinyTerminalsOfExplain(t *testing.T) {
	playExplain(t, 120, 40, Options{First: screen.Explain}, func(r *harness, b *uitest.ExplainBackend) {
		r.wait(800 * time.Millisecond)
		for w := range 5 {
			for h := range 5 {
				r.send(tea.WindowSizeMsg{Width: w, Height: h})
			}
		}
		for _, size := range [][2]int{{40, 12}, {80, 24}, {200, 50}, {300, 80}} {
			r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			r.sees("A request is read", "enter next")
		}
	})
}

// Random keys on the Explain screen, its dialogs and the other screens never
// cause a panic. The engine is open exactly while it is shown.
func TestAnyKeyOnExplain(t *testing.T) {
	rnd := testkit.Rand(t, 5)
	pool := []string{"left", "right", "up", "down", "pgup", "pgdown", "end", "enter", "enter", "esc", "tab", "space", ".", "-", "+", "[", "]", "u", "U", "w", "v", "V",
		"T", "T", "n", "N", "b", "l", "c", "z", "Z", "t", "k", "?", "1", "2", "4", "4", "4", "ctrl+u", "backspace"}
	playExplain(t, 100, 30, Options{Mouse: true}, func(r *harness, b *uitest.ExplainBackend) {
		r.press("4")
		for range 600 {
			switch rnd.IntN(12) {
			case 0:
				r.send(tea.WindowSizeMsg{Width: rnd.IntN(210), Height: rnd.IntN(60)})
			case 1:
				r.send(tea.MouseClickMsg{X: rnd.IntN(200), Y: rnd.IntN(55), Button: tea.MouseLeft})
			case 2:
				r.wait(time.Duration(rnd.IntN(300)) * time.Millisecond)
			default:
				r.press(pool[rnd.IntN(len(pool))])
			}
			r.quit = false // a click on "quit" is as random as any
			if open := b.ExplainView().Running; open != (r.shown() == screen.Explain) {
				r.Fatalf("the engine runs: %v, the screen is shown: %v", open, (r.shown() == screen.Explain))
			}
		}
	})
}

// Leaving the stages of a lesson too early shows a notice.
func TestALessonLeftTooEarly(t *testing.T) {
	playExplain(t, 120, 40, Options{First: screen.Explain, Screens: screen.Options{Lesson: 2}}, func(r *harness, _ *uitest.ExplainBackend) {
		r.do("enter enter > lesson 2 ended without a verdict")
	})
	playExplain(t, 120, 40, Options{First: screen.Explain, Screens: screen.Options{Lesson: 2}}, func(r *harness, b *uitest.ExplainBackend) {
		measured := func(stage int) {
			for range 100 {
				r.wait(100 * time.Millisecond)
				if t := b.ExplainView().Tour; t.Stage == stage && t.Progress >= 1 {
					return
				}
			}
			t.Fatalf("stage %d is never measured", stage)
		}
		measured(0)
		r.press("enter")
		measured(1)
		r.do("enter > last:tour go 3 | !without a verdict")
	})
}
