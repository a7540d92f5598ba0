package ui

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/keys"
	"tokscope/ui/uitest"
)

// playExplain is play with a backend whose engine can be laid open.
func playExplain(t *testing.T, w, h int, o Options, f func(*rig, *uitest.ExplainBackend)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewExplain()
		r := &rig{T: t, b: b.Backend, msgs: make(chan tea.Msg, 1000)}
		r.m = New(b, o)
		b.Changed = r.m.Notify
		r.spawn(r.m.Init())
		r.send(tea.WindowSizeMsg{Width: w, Height: h})
		defer func() {
			r.m.close.Do(func() { close(r.m.gone) })
			r.m.ask()
			time.Sleep(time.Hour) // every timer fires; nothing may be left
			synctest.Wait()
		}()
		f(r, b)
	})
}

func (r *rig) explainCalls() []string {
	var out []string
	for _, c := range r.b.Calls() {
		if strings.HasPrefix(c, "explain ") || strings.HasPrefix(c, "tour ") {
			out = append(out, c)
		}
	}
	return out
}

// wantLast fails unless the last things that the engine was told are these.
func (r *rig) wantLast(want ...string) {
	r.Helper()
	got := r.explainCalls()
	if len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
		r.Fatalf("the engine was told %q, want at the end %q", got, want)
	}
}

func TestTheWayRoundTheScreens(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		at := func(want keys.Context) {
			r.Helper()
			if got := r.m.context(); got != want {
				r.Fatalf("the keys go to %s, want %s", got, want)
			}
		}
		r.sees("1 Live", "2 Load", "4 Explain", "4 explain")
		r.press("tab")
		at(keys.Load)
		r.seesNot("4 Explain") // a digit is a number of users there
		r.sees("tab explain", "esc live")
		r.press("tab")
		at(keys.Explain)
		r.sees("1 Live", "2 Load", "4 Explain", "the load was stopped")
		r.press("tab")
		at(keys.Live)
		r.press("4")
		at(keys.Explain)
		r.press("2")
		at(keys.Load)
		r.press("esc", "4", "1")
		at(keys.Live)
		r.press("4", "esc")
		at(keys.Live)
		// Nobody streams behind another screen.
		want := []string{"explain open", "explain close", "explain open", "explain close", "explain open", "explain close", "explain open", "explain close"}
		if got := r.explainCalls(); !slices.Equal(got, want) {
			t.Errorf("the engine was told %q, want %q", got, want)
		}
	})
}

// The users of the knobs end with the program, however it ends.
func TestExplainIsClosedAtTheEnd(t *testing.T) {
	b := uitest.NewExplain()
	m := New(b, Options{})
	m.toExplain()
	m.leaveExplain()
	m.leaveExplain() // as Run does once more
	if got := b.Calls(); !slices.Equal(got, []string{"explain open", "explain close"}) {
		t.Errorf("the backend was told %q", got)
	}
}

func TestWithoutAnEngineThereIsNoScreen(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *rig, _ *uitest.LoadBackend) {
		r.seesNot("Explain", "explain")
		r.press("4")
		if r.m.context() != keys.Live {
			t.Error("a screen that cannot work was opened")
		}
		r.press("tab", "tab")
		if r.m.context() != keys.Live {
			t.Error("tab does not lead round two screens")
		}
	})
}

func TestAnEngineThatDoesNotOpenSaysWhy(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		b.OpenErr = errors.New("no port is free")
		r.press("4")
		r.sees("the engine cannot be laid open: no port is free")
		if r.m.context() != keys.Live {
			t.Error("the screen was opened all the same")
		}
	})
}

// Explain runs on the embedded engine, also when Live measures another
// endpoint; then it says so all the time.
func TestExplainSaysWhoseEngineItIs(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		r.seesNot("not demo")
		r.press("1")
		if err := b.Select(b.Offered[2]); err != nil {
			t.Fatal(err)
		}
		r.press("4")
		r.sees("this is the embedded engine, not groq")
		r.wait(10 * time.Second)
		head, _, _ := strings.Cut(r.screen(), "\n")
		if !strings.Contains(head, "embedded engine") || !strings.Contains(head, "not groq") {
			t.Errorf("the header does not say it: %q", head)
		}
	})
}

func TestARequestOfLiveIsStoppedForTheEngine(t *testing.T) {
	playExplain(t, 120, 40, Options{Start: true}, func(r *rig, b *uitest.ExplainBackend) {
		b.Sent()
		b.Chunk("still writing ")
		r.wait(100 * time.Millisecond)
		r.press("4")
		r.sees("the request of Live was stopped")
		if !slices.Contains(b.Calls(), "stop") {
			t.Error("the backend was not told")
		}
	})
}

func TestTimePausesAndSteps(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		r.wait(time.Second)
		r.press("space")
		r.wantLast("explain pause true")
		r.sees("space go on")
		steps := len(b.ExplainView().Steps)
		r.wait(time.Second)
		r.press(".", ".")
		r.wantLast("explain step", "explain step")
		if got := len(b.ExplainView().Steps); got != steps+2 {
			t.Errorf("%d steps came of two single ones", got-steps)
		}
		r.press("space")
		r.wantLast("explain pause false")
		r.press("-")
		r.wantLast("explain turn bf16 users 8 time 0.5")
		r.press("+", "+")
		r.sees("time: there is no further position")
		r.wantLast("explain turn bf16 users 8 time 1")
	})
}

// A paused engine costs nothing: no beat, no frame.
func TestAPausedEngineCostsNothing(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		r.wait(time.Second)
		if !r.m.moving() {
			t.Fatal("a running engine does not move")
		}
		r.press("space")
		r.wait(time.Second)
		n := r.updates
		r.wait(10 * time.Second)
		if r.updates != n {
			t.Errorf("%d messages in ten seconds of pause", r.updates-n)
		}
	})
}

// A step that ends a moment after it was asked for is seen, although time stands.
func TestAStepThatTakesAMomentIsSeen(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		r.wait(time.Second)
		r.press("space")
		r.wait(time.Second)
		newest := func() uint64 { s := r.m.explain.view.Explain.Steps; return s[len(s)-1].Number }
		before := newest()
		b.StepTakes = 100 * time.Millisecond
		r.press(".")
		if newest() != before {
			t.Fatal("the step is there at once: the case is not tried")
		}
		r.wait(200 * time.Millisecond)
		if newest() != before+1 {
			t.Errorf("step %d is shown, want %d", newest(), before+1)
		}
	})
}

// While the model is still computed the clock goes on, or nobody would fetch it.
func TestThePredictionIsFetchedInAPause(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		b.Busy = true
		r.press("4", "space")
		r.wait(time.Second)
		if !r.m.moving() {
			t.Error("nothing looks whether the prediction is there")
		}
	})
}

func TestTheCursorScrubs(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4", "left")
		if r.m.explain.view.Cursor != 0 {
			t.Error("a cursor without steps")
		}
		r.wait(time.Second)
		newest := func() uint64 { s := r.m.explain.view.Explain.Steps; return s[len(s)-1].Number }
		r.press("space") // the clock stands, so that numbers can be compared
		r.press("left", "left")
		if got, want := r.m.explain.view.Cursor, newest()-2; got != want {
			t.Errorf("two steps back the cursor is at %d, want %d", got, want)
		}
		r.sees("esc newest")
		r.press("right", "right")
		if r.m.explain.view.Cursor != 0 {
			t.Error("back at the newest the cursor does not follow")
		}
		r.shift(tea.KeyLeft)
		page := newest() - r.m.explain.view.Cursor
		if page < 2 || page > newest() {
			t.Errorf("a page is %d steps", page)
		}
		r.press("end")
		r.send(tea.MouseWheelMsg{X: 40, Y: 10, Button: tea.MouseWheelUp})
		if r.m.explain.view.Cursor != newest()-wheelRows {
			t.Error("the wheel does not scrub")
		}
		r.press("esc")
		if r.m.explain.view.Cursor != 0 || r.m.context() != keys.Explain {
			t.Error("esc does not lead back to the newest step")
		}
		r.press("left", "space")
		r.wait(time.Second)
		if at := r.m.explain.view.Cursor; at == 0 || at >= newest() {
			t.Error("the cursor moved with the time")
		}
	})
}

func TestKnobsTurn(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		for r.m.explain.view.Knob != metrics.KnobPrecision {
			r.press("down")
		}
		r.press("]")
		r.wantLast("explain turn fp8 users 8 time 1")
		r.press("up") // the model: its next position does not fit and is skipped, with the reason
		r.press("]")
		if got := b.ExplainView().Knobs.Model; got != "qwen3-32b" {
			t.Errorf("the model is %s", got)
		}
		r.sees("model llama-3.1-70b: 141 GB of weights, 80 GB of memory")
		r.press("u", "u", "U")
		r.wantLast("explain turn fp8 users 16 time 1", "explain turn fp8 users 32 time 1", "explain turn fp8 users 16 time 1")
		r.press("enter") // the list of the model
		r.typed("70b")
		r.press("enter")
		r.sees("141 GB of weights") // not taken
		r.press("ctrl+u")
		r.typed("8b")
		r.press("enter")
		if got := b.ExplainView().Knobs.Model; got != "llama-3.1-8b" || r.m.top() != nil {
			t.Errorf("the model is %s", got)
		}
		b.TurnErr = errors.New("no room for this")
		r.press("u")
		r.sees("no room for this")
	})
}

// A list that is left does not take the prompt of the load to Live.
func TestAKnobLeavesThePromptsAlone(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		live := r.m.work
		r.press("tab", "tab", "enter", "esc", "1")
		if r.m.work.Prompt != live.Prompt || r.m.work.Name != live.Name {
			t.Errorf("Live now sends %q", r.m.work.Name)
		}
	})
}

func TestKnobsGoRound(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4", "up")
		if got := r.m.explain.view.Knob; got != metrics.NumKnobs-1 {
			t.Errorf("above the first knob is %s", got)
		}
		r.press("down")
		if got := r.m.explain.view.Knob; got != 0 {
			t.Errorf("below the last knob is %s", got)
		}
	})
}

func TestWhoIsWatched(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		r.wait(200 * time.Millisecond)
		r.press("v", "V", "V")
		r.wantLast("explain watch 2", "explain watch 1", "explain watch 8")
		for range 3 {
			r.press("U")
		}
		r.seesNot("v watch") // one user: nobody else
	})
}

func TestTheTour(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		r.sees("t tour")
		r.press("t")
		r.wantLast("explain open", "tour go 1")
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
		foot("enter quantise to 4 bits", "n next lesson", "p back")
		if got := r.m.explain.view.Knob; got != metrics.KnobUsers {
			t.Errorf("the lesson speaks of the users, and the knob selected is %s", got)
		}
		r.wait(2 * time.Second)
		r.press("left")
		foot("esc newest")
		r.press("enter") // a stage is shown where it happens: at the newest step
		r.wantLast("tour go 2", "tour stage 1")
		foot("enter next lesson", "esc leave the tour")
		r.press("enter", "p", "n")
		r.wantLast("tour go 3", "tour go 2", "tour go 3")
		r.press("enter", "enter")
		r.wantLast("tour stage 1", "tour stage 2")
		if strings.Contains(footer(r), "next lesson") {
			t.Errorf("there is no lesson after the last: %q", footer(r))
		}
		r.press("t")
		r.sees("the tour", "Two phases", "you are here")
		r.press("home", "enter")
		r.wantLast("tour go 1")
		r.press("1", "4")
		if !b.ExplainView().Tour.On {
			t.Error("a look at Live ended the tour")
		}
		r.press("esc")
		r.wantLast("tour go 0")
		foot("t tour", "esc live")
	})
}

func TestTheMouseOnExplain(t *testing.T) {
	playExplain(t, 160, 40, Options{Mouse: true}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		r.wait(time.Second)
		r.press("space")
		r.click("quantisation")
		if r.m.explain.view.Knob != metrics.KnobPrecision || r.m.top() != nil {
			t.Errorf("a click selected %s", r.m.explain.view.Knob)
		}
		r.click("quantisation")
		if r.m.top() == nil {
			t.Error("a second click does not list its positions")
		}
		r.press("esc")
		_, y := r.locate("engine steps")
		r.send(tea.MouseClickMsg{X: 140, Y: y + 2, Button: tea.MouseLeft})
		first := r.m.explain.view.Cursor
		if first == 0 {
			t.Fatal("a click on a step does not look at it")
		}
		for x := 140; x > 100; x-- {
			r.send(tea.MouseMotionMsg{X: x, Y: y + 2, Button: tea.MouseLeft})
		}
		r.wait(100 * time.Millisecond)
		dragged := r.m.explain.view.Cursor
		if dragged >= first {
			t.Errorf("dragged to the left the cursor went from %d to %d", first, dragged)
		}
		r.send(tea.MouseReleaseMsg{X: 100, Y: y + 2})
		r.send(tea.MouseMotionMsg{X: 150, Y: y + 2})
		r.wait(100 * time.Millisecond)
		if r.m.explain.view.Cursor != dragged {
			t.Error("released, the cursor still follows")
		}
		r.click("t tour") // in the footer
		r.wait(300 * time.Millisecond)
		x, y := r.locate("enter next lesson") // in the panel of the lesson
		if y > 37 {
			t.Fatalf("the lesson does not say how to go on:\n%s", r.screen())
		}
		r.send(tea.MouseClickMsg{X: x + 2, Y: y, Button: tea.MouseLeft})
		r.wantLast("tour go 1", "tour go 2")
		r.wait(300 * time.Millisecond)
		r.click("p back")
		r.wantLast("tour go 1")
	})
}

// While a lesson is still computed the footer promises what enter does.
func TestALessonThatIsNotReady(t *testing.T) {
	playExplain(t, 120, 40, Options{Tour: true, Lesson: 2}, func(r *rig, b *uitest.ExplainBackend) {
		b.Computing = true
		r.wait(500 * time.Millisecond)
		if f := footer(r); !strings.Contains(f, "enter next stage") {
			t.Errorf("the footer is %q", f)
		}
		if r.press("space"); !r.m.moving() {
			t.Error("nothing looks whether the lesson is there")
		}
		r.press("enter")
		r.wantLast("tour stage 1")
	})
}

// What the lessons came to stays in the scrollback.
func TestTheTourLeavesItsVerdicts(t *testing.T) {
	playExplain(t, 120, 40, Options{Tour: true, Lesson: 2}, func(r *rig, b *uitest.ExplainBackend) {
		if s := r.m.TourSummary(); s != "" {
			t.Errorf("before any verdict: %q", s)
		}
		r.wait(2 * time.Second)
		r.press("enter")
		r.wait(2 * time.Second)
		r.press("n", "esc", "esc")
		want := "\ntour, predicted by the model and measured on the embedded engine\n   2  The ceiling of one user: holds. each 375 tok/s, all together 375 tok/s\n"
		if s := r.m.TourSummary(); s != want {
			t.Errorf("got %q, want %q", s, want)
		}
	})
}

// `tokscope tour` opens where one was, or at the lesson that was asked for.
func TestTourOption(t *testing.T) {
	for _, c := range []struct {
		lesson int
		want   string
	}{{0, "tour go 1"}, {2, "tour go 2"}} {
		playExplain(t, 80, 24, Options{Tour: true, Lesson: c.lesson}, func(r *rig, b *uitest.ExplainBackend) {
			r.wantLast("explain open", c.want)
			if len(b.Begun()) != 0 {
				t.Error("a request of Live was sent as well")
			}
		})
	}
}

func TestExplainFooterIsTheKeyTable(t *testing.T) {
	playExplain(t, 300, 40, Options{}, func(r *rig, b *uitest.ExplainBackend) {
		r.press("4")
		for range 2 {
			for _, h := range keys.Hints(nil, r.m.context(), r.m.state(), false) {
				if want := h.Key + " " + h.Word; !strings.Contains(footer(r), want) {
					t.Errorf("%q is missing from %q", want, footer(r))
				}
			}
			r.press("t", "n")
		}
	})
}

// The footer guides also where there is little room: what leads on comes first,
// and how to leave is never lost.
func TestTheFooterOfANarrowTour(t *testing.T) {
	playExplain(t, 40, 12, Options{Tour: true, Lesson: 2}, func(r *rig, b *uitest.ExplainBackend) {
		if f := footer(r); !strings.Contains(f, "enter quantise to 4 bits") || !strings.Contains(f, "n next") {
			t.Errorf("at 40 columns the footer is %q", f)
		}
		r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		if f := footer(r); !strings.Contains(f, "esc leave the tour") {
			t.Errorf("at 80 columns the footer is %q", f)
		}
	})
}

func TestTinyTerminalsOfExplain(t *testing.T) {
	playExplain(t, 120, 40, Options{Tour: true}, func(r *rig, b *uitest.ExplainBackend) {
		r.wait(time.Second)
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

// Any key in any order on the Explain screen, its dialogs and the others:
// nothing panics, the engine is open exactly while it is shown.
func TestAnyKeyOnExplain(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 5))
	pool := []string{"left", "right", "up", "down", "pgup", "pgdown", "end", "enter", "enter", "esc", "tab", "space", ".", "-", "+", "[", "]", "u", "U", "w", "v", "V",
		"t", "t", "n", "p", "b", "l", "c", "z", "Z", "T", "k", "?", "1", "2", "4", "4", "4", "ctrl+u", "backspace"}
	playExplain(t, 100, 30, Options{Mouse: true}, func(r *rig, b *uitest.ExplainBackend) {
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
			if open := b.ExplainView().Running; open != r.m.explain.on {
				r.Fatalf("the engine runs: %v, the screen is shown: %v", open, r.m.explain.on)
			}
		}
	})
}
