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

func TestRunFromKeyToEnd(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("> demo | llama-3.1-8b | ? help | space run | !stop | !copy")
		r.do("space > x stop | !space run")
		r.do("stream:30 > space again | s save | word")
		if w := r.b.Begun(); len(w) != 1 || w[0].Prompt != prompts.Default().Prompt || w[0].MaxTokens != 200 {
			t.Errorf("sent %+v", w)
		}
		r.do("space > requests:2")
	})
}

func TestStopKeepsWhatArrived(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
		r.do(`space sent chunk:"the beginning" wait:100ms x > the beginning`)
		if !slices.Contains(r.b.Calls(), "stop") {
			t.Error("it was not stopped")
		}
	})
}

func TestIdleCostsNothing(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.wait(time.Second)
		n := r.updates
		r.wait(5 * time.Second)
		if r.updates != n {
			t.Errorf("%d messages before any run", r.updates-n)
		}
		r.do("space stream:20 wait:10s") // fades
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
		play(t, "live", 120, 40, c.o, func(r *harness) {
			r.do("space sent")
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
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do(`space sent chunk:"before " wait:100ms f > before | frozen | f unfreeze | x stop`)
		n := r.updates
		for range 20 {
			r.do(`chunk:"later " wait:20ms`)
		}
		r.seesNot("later")
		if r.updates-n > 2 {
			t.Errorf("%d messages while frozen", r.updates-n)
		}
		r.b.Finish()
		r.drain()
		r.do("> f unfreeze | space again | !x stop")
		r.do("f > later | !frozen")
	})
}

func TestEditThePromptAndRunIt(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
		r.do("p > chat | long answer | ctrl+r run")
		r.do(`ctrl+x "Why is q quick?" enter`)
		r.send(tea.PasteMsg{Content: "two\r\nlines\x1b[2J"})
		r.do("esc > custom")
		r.do("p > Why is q quick? | lines[2J")
		r.press("ctrl+r")
		if got, want := last(r.b.Begun()).Prompt, "Why is q quick?\ntwo\nlines[2J"; got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
		r.seesNot("ctrl+r")
	})
}

func TestPresetsBringTheirLength(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("c c p tab ctrl+r") // warm
		w := last(r.b.Begun())
		if w.Name != "1k in" || w.InputTokens != 1000 || w.Connection != metrics.ReuseWarm {
			t.Errorf("sent %+v", w)
		}
	})
}

func TestChooseEndpointAndModel(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("e > needs a key: OPENAI_API_KEY | llama.cpp")
		r.do(`"work" enter > model | llama-3.1-70b`)
		r.do(`"70b" enter`)
		if got := r.b.Endpoint(); got.Name != "work" || got.Model != "llama-3.1-70b" {
			t.Fatalf("chose %+v", got)
		}
		r.sees("work", "llama-3.1-70b", "via proxy", "space run")
	})
}

func TestBackFromTheModelsToTheEndpoints(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("e enter > first listed model")
		r.do("esc > type a URL")
		r.do("esc > space run")
		if slices.ContainsFunc(r.b.Calls(), func(c string) bool { return strings.HasPrefix(c, "select") }) {
			t.Error("something was chosen")
		}
	})
}

func TestARefusedEndpointIsExplained(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.b.SelectErr = errRefused
		r.do("m enter > refused: ␛]0;owned")
		r.do("wait:10s > !refused")
	})
}

func TestLengths(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("] > next run: up to 400 tokens | up to 400 tokens")
		r.do("[ [ L end enter space")
		if w := last(r.b.Begun()); w.MaxTokens != 0 {
			t.Errorf("sent %+v", w)
		}
	})
}

func TestThemePreviewIsTakenBack(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
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
	play(t, "live", 80, 24, colours, func(r *harness) {
		if !r.m.surface.palette.Theme().Dark {
			t.Error("it does not start dark")
		}
		r.send(tea.BackgroundColorMsg{Color: color.White})
		if r.m.surface.palette.Theme().Dark || strings.Contains(r.m.surface.palette.SGR(themes.Text), ";48;") {
			t.Errorf("on a light terminal: %q, ink %q", r.m.surface.palette.Theme().Name, r.m.surface.palette.SGR(themes.Text))
		}
		r.do(`t "midnight" enter`)
		if !strings.Contains(r.m.View().Content, ";48;2;") || !strings.Contains(r.m.surface.palette.SGR(themes.Text), ";48;2;") {
			t.Error("a dark theme on a light terminal brings no ground")
		}
	})
}

func TestHelpListsTheKeysAndScrolls(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
		r.do("? > send the request | more below | ↑↓ scroll")
		r.do("end > cancel: nothing changes")
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
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("space stream:12")
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
		r.do("wait:5s > !clipboard")
		r.do("s > saved ")
	})
}

func TestNothingGoesToTheClipboardUnasked(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("y space stream:12 s ? esc p esc")
		if slices.Contains(r.effects, "tea.setClipboardMsg") {
			t.Error("it did")
		}
	})
}

func TestMouse(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do(`click:"space run" > requests:1`)
		r.do(`click:"x stop" click:"? help" > send the request`)
		r.do("click:demo > !send the request") // beside the box
		r.do("click:llama-3.1-8b > first listed model")
		r.press("esc", "k")
		if r.m.View().MouseMode != tea.MouseModeNone {
			t.Error("k does not give the mouse back")
		}
	})
}

func TestAFloodOfTheWheelIsOneFrame(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.press("?")
		n := r.updates
		for range 500 {
			r.update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		}
		if got := r.updates - n; got > 2 {
			t.Errorf("%d updates for a flood", got)
		}
		r.do("wait:200ms > cancel: nothing changes")
	})
}

func TestSuspendRedrawResume(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
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
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("space stream:60 > SPEED tok/s | 238 wpm")
		r.do("U > SPEED wpm | !SPEED tok/s")
		r.do("U > SPEED ms/token")
		r.do("U > SPEED tok/s")
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
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("D > !as other tools define it") // nothing has run
		r.do("space stream:60 D > run 1 as other tools define it | vLLM 0.33 | AIPerf 0.13 | tokscope | events")
		r.do("up esc > SPEED tok/s")
	})
}
