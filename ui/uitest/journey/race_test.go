//go:build !windows

package journey

import (
	"strings"
	"testing"
)

// tinyRace are flags that make a race short.
var tinyRace = []string{"--max-tokens", "8", "--record=false", "--pairs", "2", "--all-pairs"}

// TestRaceOnScreen races the built program in a terminal to its bound: text in both
// columns, a lane shown as recorded, the end announced to the terminal, and the
// verdicts in the scrollback.
func TestRaceOnScreen(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, append([]string{"race", "llama-3.1-8b@h100", "llama-3.1-8b-q4@m3max"}, tinyRace...)...)
	x.until("3 Race", "A llama-3.1-8b@h100", "B llama-3.1-8b-q4@m3max", "replay of pair", "Between your",
		"the bound of 2 pairs is reached")
	x.wait("a notification", func() bool { return strings.Contains(x.written(), "\x1b]9;tokscope: ") })
	x.quits()
	x.restored()
	if text := x.screen(); !strings.Contains(text, "too few: 2 of 11 pairs") {
		t.Errorf("no verdicts in the scrollback:\n%s", text)
	}
}
