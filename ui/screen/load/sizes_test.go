package load

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tokscope/ui/uitest/golden"
)

// lost are words that the next size leaves out or words otherwise.
var lost = map[string]string{
	"rising, 40x12 to 80x24":          "37",
	"broken, 40x12 to 80x24":          "36",
	"users 256, 80x24 to 100x30":      "79 105 131 157 183 209",
	"length, 80x24 to 100x30":         "one",
	"users 8, 200x50 to 300x80":       "top bottom",
	"ramp, 200x50 to 300x80":          "row before",
	"length, 200x50 to 300x80":        "top bottom",
	"one length, 200x50 to 300x80":    "top bottom",
	"varied, 200x50 to 300x80":        "top bottom",
	"steered, 200x50 to 300x80":       "earlier",
	"steered, time, 200x50 to 300x80": "earlier",
}

// skipped are words that do not count: ranges of users are shorter where there are more rows.
var skipped = regexp.MustCompile(`^(p50|\d+-\d+)$`)

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	golden.Larger(t, states, steps, skipped, lost, shownAt)
}

// TestNoWarningIsCut checks every state at all sizes from 80x24.
func TestNoWarningIsCut(t *testing.T) { golden.Uncut(t, states, shownAt) }

// TestEveryLaneThatFitsIsInView checks that the sentence takes no row that lanes need.
func TestEveryLaneThatFitsIsInView(t *testing.T) {
	for _, users := range []int{1, 64, 256} {
		if text := frame(scene(users), 80, 24).Plain(); !strings.Contains(text, fmt.Sprintf("lanes ─ %d ", users)) {
			t.Errorf("%d users:\n%s", users, text)
		}
	}
}
