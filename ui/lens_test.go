package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/uitest"
)

func TestTheLensIsOneKeyAway(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.seesNot("lens ─", "b task")
		r.press("space")
		r.b.Sent()
		r.press("w")
		r.sees("lens ─ chat", "≤ 450 ms", "used so far", "as fast as a 238 wpm reader")
		r.b.Advance(700 * time.Millisecond)
		r.wait(time.Second)
		r.sees("✗ TTFT")
		r.stream(40)
		r.sees("✓ longest gap")
		r.press("w")
		r.sees("lens ─ voice", "≤ 260 ms")
		r.seesNot("b task")
		r.press("w")
		r.sees("lens ─ agent", "20 steps of 300 tokens take", "b task")
		r.press("w")
		r.sees("lens ─ batch", "≤ 24 h")
		r.press("w")
		r.sees("lens off")
		r.seesNot("lens ─")
	})
}

func TestTheAgentsTaskCanBeTyped(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("b")
		r.seesNot("the agent's task") // no lens, no task
		r.press("space")
		r.stream(40)
		r.press("w", "w", "w", "b")
		r.sees("the agent's task", "20 x 300", "50 x 50")
		r.typed("seven")
		r.sees("steps 1 to 10000")
		r.press("enter")
		r.sees("the agent's task")
		r.press("ctrl+u")
		r.typed("7x40")
		r.press("enter")
		r.sees("7 steps of 40 tokens take")
		r.press("b")
		r.sees("7 x 40", "current")
		r.press("home", "down", "enter")
		r.sees("50 steps of 50 tokens take")
		r.press("b", "esc")
		r.sees("50 steps of 50 tokens take")
	})
}

func TestTheLensFitsTheWindow(t *testing.T) {
	play(t, 80, 24, colours, func(r *harness) {
		r.press("space")
		r.stream(40)
		r.press("w")
		r.sees("lens: chat, a person reads", " chat ", "≥ 5.3 tok/s")
		r.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		r.press("w")
		r.sees("in a larger window")
		r.seesNot("≤", "≥")
	})
}

// The lens has the same keys on Explain and on Live, and is the same lens.
func TestTheLensOnExplain(t *testing.T) {
	playExplain(t, 120, 40, colours, func(r *harness, _ *uitest.ExplainBackend) {
		r.press("4")
		r.wait(2 * time.Second)
		r.seesNot("lens ─", "b task")
		r.press("w")
		r.sees("lens ─ chat", "mean of 11", "44.5 ms ≤ 450 ms")
		r.press("w", "w")
		r.sees("lens ─ agent", "20 steps of 300 tokens take")
		r.press("b")
		r.sees("the agent's task")
		r.typed("7x40")
		r.press("enter")
		r.sees("7 steps of 40 tokens take")
		r.press("1", "space")
		r.stream(40)
		r.sees("lens ─ agent", "7 steps of 40 tokens take")
		r.press("w", "4")
		r.wait(time.Second)
		r.sees("lens ─ batch", "130 tok/s")
		r.press("w")
		r.sees("lens off")
		r.seesNot("lens ─")
	})
}

func TestTheLensFitsExplain(t *testing.T) {
	playExplain(t, 80, 24, colours, func(r *harness, _ *uitest.ExplainBackend) {
		r.press("4", "w")
		r.wait(time.Second)
		r.sees("lens: chat, a person reads", "≥ 5.3 tok/s")
		r.send(tea.WindowSizeMsg{Width: 200, Height: 50})
		r.press("w")
		r.sees("lens ─ voice ─ mean of 11 requests", "right: predicted")
		r.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		r.press("w")
		r.sees("in a larger window")
		r.seesNot("≤", "≥")
	})
}
