package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestTheLensIsOneKeyAway(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.seesNot("lens ─", "b task")
		r.do("space sent w > lens ─ chat | ≤ 450 ms | used so far | as fast as a 238 wpm reader")
		r.b.Advance(700 * time.Millisecond)
		r.do("wait:1s > ✗ TTFT")
		r.do("stream:40 > ✓ longest gap")
		r.do("w > lens ─ voice | ≤ 260 ms | !b task")
		r.do("w > lens ─ agent | 20 steps of 300 tokens take | b task")
		r.do("w > lens ─ batch | ≤ 24 h")
		r.do("w > lens off | !lens ─")
	})
}

func TestTheAgentsTaskCanBeTyped(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("b > !the agent's task") // no lens, no task
		r.do("space stream:40 w w w b > the agent's task | 20 x 300 | 50 x 50")
		r.do(`"seven" > steps 1 to 10000`)
		r.do("enter > the agent's task")
		r.do(`ctrl+u "7x40" enter > 7 steps of 40 tokens take`)
		r.do("b > 7 x 40 | current")
		r.do("home down enter > 50 steps of 50 tokens take")
		r.do("b esc > 50 steps of 50 tokens take")
	})
}

func TestTheLensFitsTheWindow(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
		r.do("space stream:40 w > lens: chat, a person reads |  chat  | ≥ 5.3 tok/s")
		r.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		r.do("w > in a larger window | !≤ | !≥")
	})
}

// The lens has the same keys on Explain and on Live, and is the same lens.
func TestTheLensOnExplain(t *testing.T) {
	play(t, "explain", 120, 40, colours, func(r *harness) {
		r.do("4 wait:2s > !lens ─ | !b task")
		r.do("w > lens ─ chat | mean of 11 | 44.5 ms ≤ 450 ms")
		r.do("w w > lens ─ agent | 20 steps of 300 tokens take")
		r.do("b > the agent's task")
		r.do(`"7x40" enter > 7 steps of 40 tokens take`)
		r.do("1 space stream:40 > lens ─ agent | 7 steps of 40 tokens take")
		r.do("w 4 wait:1s > lens ─ batch | 130 tok/s")
		r.do("w > lens off | !lens ─")
	})
}

func TestTheLensFitsExplain(t *testing.T) {
	play(t, "explain", 80, 24, colours, func(r *harness) {
		r.do("4 w wait:1s > lens: chat, a person reads | ≥ 5.3 tok/s")
		r.send(tea.WindowSizeMsg{Width: 200, Height: 50})
		r.do("w > lens ─ voice ─ mean of 11 requests | right: predicted")
		r.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		r.do("w > in a larger window | !≤ | !≥")
	})
}
