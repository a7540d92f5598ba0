package dialog

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/keys"
)

// TestHelpBreaksBetweenGroups checks at every height that no heading of the help stands at
// the end of a column, that a column begins with one, and that what is hidden is counted.
func TestHelpBreaksBetweenGroups(t *testing.T) {
	var sections []keys.Section
	for i, n := range []int{5, 8, 16, 11, 3, 13} {
		s := keys.Section{Name: fmt.Sprintf("group %d", i)}
		for j := range n {
			s.Bindings = append(s.Bindings, keys.Binding{Show: string(rune('a' + j)),
				Help: fmt.Sprintf("what %d %d does, in words, to the end%d", i, j, i)})
		}
		sections = append(sections, s)
	}
	for _, w := range []int{40, 80, 120} {
		for h := 10; h < 50; h++ {
			d := NewHelp(sections...)
			s := drawn(d, w, h)
			begun, ended, keys := strings.Count(s, "what"), 0, 56
			for i := range sections {
				ended += strings.Count(s, fmt.Sprintf("end%d", i))
				if name := fmt.Sprintf("group %d", i); strings.Contains(s, name) &&
					!strings.Contains(s, fmt.Sprintf("what %d 0", i)) {
					t.Errorf("%dx%d: %s stands alone:\n%s", w, h, name, s)
				}
			}
			testkit.That(t, begun == ended, "%dx%d: %d of %d sentences are cut:\n%s", w, h, begun-ended, begun, s)
			more := fmt.Sprintf(" %d more below ", keys-begun)
			testkit.That(t, begun >= keys || strings.Contains(s, more), "%dx%d: no %q:\n%s", w, h, more, s)
			testkit.That(t, w != 120 || h != 40 || begun >= keys && strings.Contains(strings.Split(s, "\n")[2], "group 3"),
				"the second column begins without a heading:\n%s", s)
		}
	}
}
