package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/prompts"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
	"tokscope/ui/uitest"
)

// playExplain is play with a backend whose engine can be laid open.
func playExplain(t *testing.T, w, h int, o Options, f func(*harness, *uitest.ExplainBackend)) {
	t.Helper()
	playOn(t, w, h, o, func() (*uitest.ExplainBackend, *uitest.Backend) { b := uitest.NewExplain(); return b, b.Backend }, f)
}

func (r *harness) explainCalls() []string {
	var out []string
	for _, c := range r.b.Calls() {
		if strings.HasPrefix(c, "explain ") || strings.HasPrefix(c, "tour ") {
			out = append(out, c)
		}
	}
	return out
}

// wantLast fails unless the last things that the engine was told are these.
func (r *harness) wantLast(want ...string) {
	r.Helper()
	got := r.explainCalls()
	if len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
		r.Fatalf("the engine was told %q, want at the end %q", got, want)
	}
}

func TestTheWayRoundTheScreens(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		at := func(want screen.Name) {
			r.Helper()
			if got := r.shown(); got != want {
				r.Fatalf("the keys go to %s, want %s", got, want)
			}
		}
		r.sees("1 Live", "2 Load", "4 Explain")
		r.press("tab")
		at(screen.Load)
		r.sees("4 Explain", "tab explain", "esc live")
		r.press("tab", "enter")
		at(screen.Explain)
		r.sees("1 Live", "2 Load", "4 Explain", "the load was stopped")
		r.press("tab")
		at(screen.Live)
		r.press("4")
		at(screen.Explain)
		r.press("2")
		at(screen.Load)
		r.press("esc", "4", "1")
		at(screen.Live)
		r.press("4", "esc")
		at(screen.Live)
		// No user streams behind another screen.
		want := []string{"explain open", "explain close", "explain open", "explain close", "explain open", "explain close", "explain open", "explain close"}
		if got := r.explainCalls(); !slices.Equal(got, want) {
			t.Errorf("the engine was told %q, want %q", got, want)
		}
	})
}

// The users of the knobs end with the program, in every way it can end.
func TestExplainIsClosedAtTheEnd(t *testing.T) {
	b := uitest.NewExplain()
	m := New(registry.All(), b, Options{})
	tap(m, "4", "esc")
	m.screens.shown().Leave() // as Run does
	tap(m, "4")
	m.screens.shown().Leave()
	m.screens.shown().Leave() // a second Leave does nothing
	if got := b.Calls(); !slices.Equal(got, []string{"explain open", "explain close", "explain open", "explain close"}) {
		t.Errorf("the backend was told %q", got)
	}
}

func TestWithoutAnEngineThereIsNoScreen(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, _ *uitest.LoadBackend) {
		r.seesNot("Explain", "explain")
		r.do("4 > at:live")
		r.do("tab tab > at:live")
	})
}

func TestAnEngineThatDoesNotOpenSaysWhy(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		b.OpenErr = errors.New("no port is free")
		r.do("4 > the engine cannot be shown: no port is free | at:live")
	})
}

// Explain runs on the embedded engine, also when Live measures another
// endpoint. The header then always says so.
func TestExplainSaysWhoseEngineItIs(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("4 > !not demo")
		r.press("1")
		if err := b.Select(b.Offered[2]); err != nil {
			t.Fatal(err)
		}
		r.do("4 > this is the embedded engine, not groq")
		r.wait(10 * time.Second)
		head, _, _ := strings.Cut(r.screen(), "\n")
		if !strings.Contains(head, "embedded engine") || !strings.Contains(head, "not groq") {
			t.Errorf("the header does not say it: %q", head)
		}
	})
}

func TestARequestOfLiveIsStoppedForTheEngine(t *testing.T) {
	playExplain(t, 120, 40, Options{Start: true}, func(r *harness, b *uitest.ExplainBackend) {
		r.do(`sent chunk:"still writing " wait:100ms 4 > the request on Live was stopped`)
		if !slices.Contains(b.Calls(), "stop") {
			t.Error("the backend was not told")
		}
	})
}

// TestExplainAsksBeforeItStopsALoad: whichever way leads there, a running load
// goes on until the answer is yes. What runs on the embedded endpoint of Live
// stops without a question, what runs on another endpoint does not.
func TestExplainAsksBeforeItStopsALoad(t *testing.T) {
	for _, key := range []string{"tab", "4"} {
		playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
			r.press("2", key)
			r.sees("Explain stops the load, to have this machine alone. Show it?")
			r.press("esc")
			if r.shown() != screen.Load || !b.LoadView().Running {
				t.Fatalf("%s: after a no the keys go to %s, running %v", key, r.shown(), b.LoadView().Running)
			}
			r.do("1 4 enter > at:explain | the load was stopped")
		})
	}
	playExplain(t, 120, 40, Options{Start: true}, func(r *harness, b *uitest.ExplainBackend) {
		if err := b.Select(b.Offered[1]); err != nil {
			t.Fatal(err)
		}
		r.do(`sent chunk:"still writing " wait:100ms 4 > Explain stops the request on Live`)
	})
}

func TestTimePausesAndSteps(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("4 wait:1s space > last:explain pause true | space go on")
		steps := len(b.ExplainView().Steps)
		r.do("wait:1s . . > last:explain step, explain step")
		if got := len(b.ExplainView().Steps); got != steps+2 {
			t.Errorf("%d steps came of two single ones", got-steps)
		}
		r.do("space > last:explain pause false")
		r.do("- > last:explain turn bf16 users 8 time 0.5")
		r.do("+ + > time: no further value | last:explain turn bf16 users 8 time 1")
	})
}

// A paused engine costs nothing: no tick, no frame.
func TestAPausedEngineCostsNothing(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("4 wait:1s")
		if !r.m.moving() {
			t.Fatal("a running engine does not move")
		}
		r.do("space wait:1s")
		n := r.updates
		r.wait(10 * time.Second)
		if r.updates != n {
			t.Errorf("%d messages in ten seconds of pause", r.updates-n)
		}
	})
}

// A step that ends a moment after the key is drawn, although time is stopped.
func TestAStepThatTakesAMomentIsSeen(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("4 wait:1s space wait:1s")
		newest := func() int { s := b.ExplainView().Steps; return int(s[len(s)-1].Number) }
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

// While the model is still being computed the clock ticks; otherwise nobody
// would fetch the result.
func TestThePredictionIsFetchedInAPause(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		b.Busy = true
		r.do("4 space wait:1s")
		if !r.m.moving() {
			t.Error("nothing looks whether the prediction is there")
		}
	})
}

func TestTheCursorScrubs(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.press("4", "left")
		if r.stepsBehind() != 0 {
			t.Error("a cursor without steps")
		}
		r.wait(time.Second)
		newest := func() int { s := b.ExplainView().Steps; return int(s[len(s)-1].Number) }
		r.do("space left left") // the clock is stopped, so that numbers can be compared
		if got := r.stepsBehind(); got != 2 {
			t.Errorf("two steps back the cursor is %d back", got)
		}
		r.sees("esc newest")
		r.press("right", "right")
		if r.stepsBehind() != 0 {
			t.Error("back at the newest the cursor does not follow")
		}
		r.press("shift+left")
		if page := r.stepsBehind(); page < 2 || page > newest() {
			t.Errorf("a page is %d steps", page)
		}
		r.press("end")
		r.send(tea.MouseWheelMsg{X: 40, Y: 10, Button: tea.MouseWheelUp})
		if r.stepsBehind() != wheelRows {
			t.Error("the wheel does not scrub")
		}
		r.press("esc")
		if r.stepsBehind() != 0 || r.shown() != screen.Explain {
			t.Error("esc does not lead back to the newest step")
		}
		r.do("left space wait:1s")
		if r.stepsBehind() < 2 {
			t.Error("the cursor moved with the time")
		}
	})
}

func TestKnobsTurn(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.press("4")
		for r.knob() != "quantization" {
			r.press("down")
		}
		r.do("] > last:explain turn fp8 users 8 time 1")
		r.do("up ]") // the model: its next position does not fit and is skipped, with the reason
		if got := b.ExplainView().Knobs.Model; got != "qwen3-32b" {
			t.Errorf("the model is %s", got)
		}
		r.sees("model llama-3.1-70b: 141 GB of weights, 80 GB of memory")
		r.do(`u "16" enter > last:explain turn fp8 users 16 time 1`)
		if got := r.knob(); got != "users" {
			t.Errorf("the knob is %s", got)
		}
		r.do(`up up up enter "70b" enter`) // the list of the model
		r.sees("141 GB of weights")        // not chosen
		r.do(`ctrl+u "8b" enter`)
		if got := b.ExplainView().Knobs.Model; got != "llama-3.1-8b" || r.m.stack.top() != nil {
			t.Errorf("the model is %s", got)
		}
		b.TurnErr = errors.New("no room for this")
		r.do("u 3 2 enter > no room for this")
	})
}

// Leaving a list does not copy the prompt of the load to Live.
func TestAKnobLeavesThePromptsAlone(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("tab tab enter esc 1 space")
		if sent := r.b.Begun(); len(sent) != 1 || sent[0].Prompt != prompts.Default().Prompt || sent[0].Name != prompts.Default().Name {
			t.Errorf("Live now sends %+v", sent)
		}
	})
}

func TestKnobsGoRound(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("4 up > ▸async off") // the last of the options
		r.press("down")
		if got := r.knob(); got != "hardware" {
			t.Errorf("below the last knob is %s", got)
		}
	})
}

func TestWhoIsWatched(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, b *uitest.ExplainBackend) {
		r.do("4 wait:200ms n N N > last:explain watch 2, explain watch 1, explain watch 8")
		r.do("u 1 enter > !n watch") // one user: no other to watch
	})
}
