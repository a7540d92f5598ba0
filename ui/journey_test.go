package ui

import (
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/prompts"
)

func last[T any](s []T) T { return s[len(s)-1] }

func footer(r *harness) string { return last(strings.Split(r.screen(), "\n")) }

func TestRunFromKeyToEnd(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.sees("demo", "llama-3.1-8b", "? help", "space run")
		r.seesNot("stop", "copy")
		r.press("space")
		r.sees("x stop")
		r.seesNot("space run")
		r.stream(30)
		r.sees("space again", "s save", "word")
		if w := r.b.Begun(); len(w) != 1 || w[0].Prompt != prompts.Default().Prompt || w[0].MaxTokens != 200 {
			t.Errorf("sent %+v", w)
		}
		r.press("space")
		if len(r.b.Begun()) != 2 {
			t.Error("no second run")
		}
	})
}

func TestStopKeepsWhatArrived(t *testing.T) {
	play(t, 80, 24, colours, func(r *harness) {
		r.press("space")
		r.b.Sent()
		r.b.Chunk("the beginning")
		r.wait(100 * time.Millisecond)
		r.press("x")
		r.sees("the beginning")
		if !slices.Contains(r.b.Calls(), "stop") {
			t.Error("it was not stopped")
		}
	})
}

func TestIdleCostsNothing(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.wait(time.Second)
		n := r.updates
		r.wait(5 * time.Second)
		if r.updates != n {
			t.Errorf("%d messages before any run", r.updates-n)
		}
		r.press("space")
		r.stream(20)
		r.wait(10 * time.Second) // fades
		n = r.updates
		frame := r.m.View().Content
		r.wait(20 * time.Second)
		if r.updates != n {
			t.Errorf("%d messages after the end", r.updates-n)
		}
		if r.m.View().Content != frame {
			t.Error("the frame changed")
		}
	})
}

func TestTheClockBeatsAtItsRate(t *testing.T) {
	for _, c := range []struct {
		o        Options
		min, max int
	}{
		{Options{}, 28, 34},
		{Options{FPS: 15}, 14, 18},
		{Options{ReducedMotion: true}, 4, 6},
	} {
		play(t, 120, 40, c.o, func(r *harness) {
			r.press("space")
			r.b.Sent()
			r.drain()
			n := r.updates
			r.wait(time.Second)
			if got := r.updates - n; got < c.min || got > c.max {
				t.Errorf("%+v: %d frames a second", c.o, got)
			}
			r.press("x")
		})
	}
}

func TestFreezeHoldsThePictureWhileTheStreamGoesOn(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("space")
		r.b.Sent()
		r.b.Chunk("before ")
		r.wait(100 * time.Millisecond)
		r.press("f")
		r.sees("before", "frozen", "f unfreeze", "x stop")
		n := r.updates
		for range 20 {
			r.b.Chunk("later ")
			r.wait(20 * time.Millisecond)
		}
		r.seesNot("later")
		if r.updates-n > 2 {
			t.Errorf("%d messages while frozen", r.updates-n)
		}
		r.b.Finish()
		r.drain()
		r.sees("f unfreeze", "space again")
		r.seesNot("x stop")
		r.press("f")
		r.sees("later")
		r.seesNot("frozen")
	})
}

func TestEditThePromptAndRunIt(t *testing.T) {
	play(t, 80, 24, colours, func(r *harness) {
		r.press("p")
		r.sees("chat", "long answer", "ctrl+r run")
		r.press("ctrl+x")
		r.typed("Why is q quick?")
		r.press("enter")
		r.send(tea.PasteMsg{Content: "two\r\nlines\x1b[2J"})
		r.press("esc")
		r.sees("custom")
		r.press("p")
		r.sees("Why is q quick?", "lines[2J")
		r.press("ctrl+r")
		if got, want := last(r.b.Begun()).Prompt, "Why is q quick?\ntwo\nlines[2J"; got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
		r.seesNot("ctrl+r")
	})
}

func TestPresetsBringTheirLength(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("c", "c") // warm
		r.press("p", "tab", "ctrl+r")
		w := last(r.b.Begun())
		if w.Name != "1k in" || w.InputTokens != 1000 || w.Connection != metrics.ReuseWarm {
			t.Errorf("sent %+v", w)
		}
	})
}

func TestChooseEndpointAndModel(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("e")
		r.sees("needs a key: OPENAI_API_KEY", "llama.cpp")
		r.typed("work")
		r.press("enter")
		r.sees("model", "llama-3.1-70b")
		r.typed("70b")
		r.press("enter")
		if got := r.b.Endpoint(); got.Name != "work" || got.Model != "llama-3.1-70b" {
			t.Fatalf("chose %+v", got)
		}
		r.sees("work", "llama-3.1-70b", "via proxy", "space run")
	})
}

func TestBackFromTheModelsToTheEndpoints(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("e", "enter")
		r.sees("first listed model")
		r.press("esc")
		r.sees("type a URL")
		r.press("esc")
		r.sees("space run")
		if slices.ContainsFunc(r.b.Calls(), func(c string) bool { return strings.HasPrefix(c, "select") }) {
			t.Error("something was chosen")
		}
	})
}

func TestARefusedEndpointIsExplained(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.b.SelectErr = errRefused
		r.press("m", "enter")
		r.sees("refused: ␛]0;owned")
		r.wait(10 * time.Second)
		r.seesNot("refused")
	})
}

func TestLengths(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("]")
		r.sees("next run: up to 400 tokens", "up to 400 tokens")
		r.press("[", "[")
		r.press("L", "end", "enter", "space")
		if w := last(r.b.Begun()); w.MaxTokens != 0 {
			t.Errorf("sent %+v", w)
		}
	})
}

func TestThemePreviewIsTakenBack(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		before := r.m.surface.palette.Theme().Name
		r.press("t", "down")
		if r.m.surface.palette.Theme().Name == before {
			t.Error("no preview")
		}
		r.press("esc")
		if r.m.surface.palette.Theme().Name != before {
			t.Error("the preview stays")
		}
		r.press("t", "down", "enter")
		if r.m.surface.palette.Theme().Name == before {
			t.Error("the choice is lost")
		}
	})
}

func TestTheThemeFollowsTheTerminal(t *testing.T) {
	play(t, 80, 24, colours, func(r *harness) {
		if !r.m.surface.palette.Theme().Dark {
			t.Error("it does not start dark")
		}
		r.send(tea.BackgroundColorMsg{Color: color.White})
		if r.m.surface.palette.Theme().Dark || strings.Contains(r.m.surface.palette.SGR(themes.Text), ";48;") {
			t.Errorf("on a light terminal: %q, ink %q", r.m.surface.palette.Theme().Name, r.m.surface.palette.SGR(themes.Text))
		}
		r.press("t")
		r.typed("midnight")
		r.press("enter")
		if !strings.Contains(r.m.View().Content, ";48;2;") || !strings.Contains(r.m.surface.palette.SGR(themes.Text), ";48;2;") {
			t.Error("a dark theme on a light terminal brings no ground")
		}
	})
}

func TestHelpListsTheKeysAndScrolls(t *testing.T) {
	play(t, 80, 24, colours, func(r *harness) {
		r.press("?")
		r.sees("send the request", "more below", "↑↓ scroll")
		r.press("end")
		r.sees("cancel: nothing changes")
		r.press("q")
		if r.quit {
			t.Fatal("q in the help quits")
		}
		r.sees("space run")
		r.press("q")
		if !r.quit {
			t.Error("q does not quit")
		}
	})
}

func TestCopyGoesToClipboardAndFile(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("space")
		r.stream(12)
		r.effects = nil
		r.press("y")
		if !slices.Contains(r.effects, "tea.setClipboardMsg") {
			t.Errorf("not copied: %q", r.effects)
		}
		r.sees("copied; saved to")
		if text := r.b.Saved.Beside[".md"]; !strings.Contains(text, "\n- TTFT: ") {
			t.Errorf("the text: %q", text)
		}
		r.press("Y")
		if text := r.b.Saved.Beside[".sh"]; !strings.HasPrefix(text, "curl ") {
			t.Errorf("the request: %q", text)
		}
		r.wait(5 * time.Second)
		r.seesNot("clipboard")
		r.press("s")
		r.sees("saved ")
	})
}

func TestNothingGoesToTheClipboardUnasked(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("y", "space")
		r.stream(12)
		r.press("s", "?", "esc", "p", "esc")
		if slices.Contains(r.effects, "tea.setClipboardMsg") {
			t.Error("it did")
		}
	})
}

func TestMouse(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.click("space run")
		if len(r.b.Begun()) != 1 {
			t.Fatal("a click on the footer does not run")
		}
		r.click("x stop")
		r.click("? help")
		r.sees("send the request")
		r.click("demo") // beside the box
		r.seesNot("send the request")
		r.click("llama-3.1-8b")
		r.sees("first listed model")
		r.press("esc", "k")
		if r.m.View().MouseMode != tea.MouseModeNone {
			t.Error("k does not give the mouse back")
		}
	})
}

func TestAFloodOfTheWheelIsOneFrame(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("?")
		n := r.updates
		for range 500 {
			r.update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		}
		if got := r.updates - n; got > 2 {
			t.Errorf("%d updates for a flood", got)
		}
		r.wait(200 * time.Millisecond)
		r.sees("cancel: nothing changes")
	})
}

func TestSuspendRedrawResume(t *testing.T) {
	play(t, 80, 24, colours, func(r *harness) {
		r.effects = nil
		r.press("ctrl+z", "ctrl+l")
		r.send(tea.ResumeMsg{})
		for _, want := range []string{"tea.SuspendMsg", "tea.clearScreenMsg", "tea.backgroundColorMsg"} {
			if !slices.Contains(r.effects, want) {
				t.Errorf("%s is missing: %q", want, r.effects)
			}
		}
		r.press("ctrl+c")
		if !r.quit {
			t.Error("ctrl+c does not quit")
		}
	})
}

// The key U cycles through the units of speed, r through the paces. The
// figures belong to the same stream.
func TestUnitsAndPace(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("space")
		r.stream(60)
		r.sees("SPEED tok/s", "238 wpm")
		r.press("U")
		r.sees("SPEED wpm")
		r.seesNot("SPEED tok/s")
		r.press("U")
		r.sees("SPEED ms/token")
		r.press("U")
		r.sees("SPEED tok/s")
		seen := map[string]bool{}
		for range metrics.Paces {
			for _, p := range metrics.Paces {
				if strings.Contains(r.screen(), p.Name+" ") {
					seen[p.Name] = true
				}
			}
			r.press("r")
		}
		if len(seen) != len(metrics.Paces) {
			t.Errorf("%d of %d paces were seen: %v", len(seen), len(metrics.Paces), seen)
		}
		r.sees("238 wpm") // round
	})
}

// D shows a finished run as other tools define it; esc goes back to it.
func TestDefinitionLab(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("D") // nothing has run
		r.seesNot("as other tools define it")
		r.press("space")
		r.stream(60)
		r.press("D")
		r.sees("run 1 as other tools define it", "vLLM 0.33", "AIPerf 0.13", "tokscope", "events")
		r.press("up", "esc")
		r.sees("SPEED tok/s")
	})
}
