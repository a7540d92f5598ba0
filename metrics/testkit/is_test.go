package testkit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// noted is a test that notes how it fails.
type noted struct {
	testing.TB
	said string
}

func (n *noted) Helper()                         {}
func (n *noted) Errorf(form string, args ...any) { n.said += fmt.Sprintf(form, args...) }
func (n *noted) Fatal(args ...any)               { n.said += "ends: " + fmt.Sprint(args...) }

// kept has what a test allocates, which then is not on the stack.
var kept []byte

// TestAssertions: each passes in silence, and fails with both values and what they are of.
func TestAssertions(t *testing.T) {
	refused := errors.New("no such model")
	one := func() { kept = make([]byte, 64) }
	for _, c := range []struct {
		fails func(t T)
		says  string
	}{
		{func(t T) { OK(t, nil, "x") }, ""},
		{func(t T) { OK(t, refused) }, "ends: no such model"},
		{func(t T) { OK(t, refused, "case", 3) }, "ends: case 3: no such model"},
		{func(t T) { Is(t, 2, 2, "x") }, ""},
		{func(t T) { Is(t, 2.5, 3) }, "have 2.5, want 3"},
		{func(t T) { Is(t, "a b", "", "lane", 2) }, `lane 2: have "a b", want ""`},
		{func(t T) { Is(t, "a\nb", "a") }, "have \na\nb\n, want \"a\""},
		{func(t T) { Is(t, refused, nil) }, "have no such model, want <nil>"},
		{func(t T) { Need(t, 2, 2, "x") }, ""},
		{func(t T) { Need(t, 2, 3, "lanes") }, "ends: lanes: have 2, want 3"},
		{func(t T) { That(t, true, "%d lanes", 3) }, ""},
		{func(t T) { That(t, false, "%d lanes", 3) }, "3 lanes"},
		{func(t T) { Given(t, true, "no lane") }, ""},
		{func(t T) { Given(t, false, "%d lanes", 3) }, "ends: 3 lanes"},
		{func(t T) { Same(t, []int{1}, []int{1}) }, ""},
		{func(t T) { Same(t, []int{1}, []int{2}, "case", 3) }, "case 3: (-want +have)"},
		{func(t T) { Has(t, "one two", "one", "two") }, ""},
		{func(t T) { Has(t, "one two", "one", "six") }, `"six" is not in "one two"`},
		{func(t T) { Lacks(t, "one two", "six") }, ""},
		{func(t T) { Lacks(t, "one two", "six", "two") }, `"two" is in "one two"`},
		{func(t T) { Refuses(t, refused, "no", "model") }, ""},
		{func(t T) { Refuses(t, refused, "model", "yes") }, `"yes" is not in "no such model"`},
		{func(t T) { Refuses(t, nil, "yes") }, `no error, want one with ["yes"]`},
		{func(t T) { Allocates(t, 1, 100, one, "x") }, ""},
		{func(t T) { Allocates(t, 0, 100, one, "x") }, "x: 1 allocations, at most 0"},
		{func(t T) { Is(t, Allocated(func() { kept = make([]byte, 1<<20) })>>20, 1) }, ""},
	} {
		n := &noted{TB: t}
		c.fails(n)
		if (n.said == "") != (c.says == "") || !strings.HasPrefix(n.said, c.says) {
			t.Errorf("says %q, want %q", n.said, c.says)
		}
	}
}
