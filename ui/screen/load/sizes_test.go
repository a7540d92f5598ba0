package load

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tokscope/ui/uitest/golden"
)

// lost are words that the next size leaves out or words otherwise. Round numbers are those of
// axes, which have others where other steps are whole rows apart.
var lost = map[string]string{
	"rising, 40x12 to 80x24":          "37",
	"broken, 40x12 to 80x24":          "36",
	"users 256, 80x24 to 100x30":      "8,000 79 105 131 157 183 209",
	"length, 80x24 to 100x30":         "one",
	"users 8, 200x50 to 300x80":       "2,000 1,500 top bottom",
	"ramp, 200x50 to 300x80":          "row before 250 5,000",
	"length, 200x50 to 300x80":        "2,000 1,500 top bottom",
	"one length, 200x50 to 300x80":    "1,500 top bottom",
	"varied, 200x50 to 300x80":        "2,000 1,500 top bottom",
	"steered, 200x50 to 300x80":       "250 earlier",
	"steered, time, 200x50 to 300x80": "250 2,500 earlier",
	"one length, 80x24 to 100x30":     "200 5,000",
	"time, 120x40 to 200x50":          "2,500",
	"starting, 200x50 to 300x80":      "200 2,000 1,500",
	"users 1, 200x50 to 300x80":       "2,000",
	"users 64, 200x50 to 300x80":      "250 2,500",
	"users 256, 200x50 to 300x80":     "8,000",
	"rising, 200x50 to 300x80":        "250 2,500",
	"broken, 200x50 to 300x80":        "250 2,500",
	"errors, 200x50 to 300x80":        "250 2,500",
	"late, 200x50 to 300x80":          "250 2,500",
	"refused, 200x50 to 300x80":       "800 2,000",
	"leaving, 200x50 to 300x80":       "250 2,500",
	"frontier, 200x50 to 300x80":      "2,500",
	"time, 200x50 to 300x80":          "250",
	"TTFT, 200x50 to 300x80":          "2,500",
	"rate, 200x50 to 300x80":          "2,000 1,500 2.5",
	"overload, 200x50 to 300x80":      "4,000 3,000",
	"queue, 200x50 to 300x80":         "250 4,000 3,000",
	"down again, 200x50 to 300x80":    "250 2,500",
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
