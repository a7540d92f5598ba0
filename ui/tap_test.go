package ui

import (
	"testing"

	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
	tapped "tokscope/ui/screen/tap"
	"tokscope/ui/uitest"
)

// withTap returns all screens, and that of a tap's session in that state.
func withTap(state string) []screen.Maker {
	return append(registry.All(), tapped.New(uitest.NewTap(state)))
}

// TestTap: a tap is shown from the first frame on; its turns can be walked through, opened on
// Live, and left again.
func TestTap(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		playScreens(t, withTap("for you"), "all", size[0], size[1], Options{Start: true, First: tapped.Name}, func(r *harness) {
			r.steps(`> at:tap | 6 Tap | head:Claude Code | turn 6: waiting for you for 30.0 s | ╭ turn 6 ─ whole run
up > ╭ turn 5 ─ whole run | turn 5 lost the cache
N > ╭ turn 3 ─
n n > no turn below failed or lost its cache
home > ╭ turn 1 ─ | hint:End newest
enter > at:a lane on Live | ╭ turn 1 ─ ✓ | hint:esc back to the tap | hint:n/N turn
n > ╭ turn 2 ─ ✓
n > ╭ turn 1 of subagent a ─ ✓
esc > at:tap | ╭ turn 1 of subagent a ─
end > ╭ turn 6 ─ | !hint:End newest
v > turns, each from its start | hint:v one clock
v / > all turns
"ttft>oops" > write milliseconds or a unit
ctrl+u "status:failed" enter > turns ─ / status:failed | ╭ turn 3 ─ | hint:esc all turns | !claude-haiku
/ ctrl+u "model:gemini" enter > no turn matches
esc > ╭ turns ─ ↑ up | ╭ turn 6 ─
/ ctrl+u "sort:-ttft" enter > ▸ 6
home > ▸ 5
esc end > ▸ 6 | !hint:End newest
1 > at:live
6 > at:tap
s > saved turns.json`)
		})
	}
}

// TestTapWithoutTurns: no key fails on a session without a turn.
func TestTapWithoutTurns(t *testing.T) {
	playScreens(t, withTap("went around"), "all", 80, 24, Options{Start: true, First: tapped.Name}, func(r *harness) {
		r.steps(`> at:tap | sent no request through the tap
up down enter n N v home end pgup pgdown > at:tap | look at ANTHROPIC_BASE_URL`)
	})
}
