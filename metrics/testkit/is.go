package testkit

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Is fails the test, which goes on, unless have is want. The message has both, after
// what: the words and values that say which case this is, a blank between them.
func Is[V comparable](t T, have, want V, what ...any) {
	if have != want {
		t.Helper()
		t.Errorf("%shave %s, want %s", which(what...), shown(have), shown(want))
	}
}

// Need is Is that ends the test: what follows would make no sense of another value.
func Need[V comparable](t T, have, want V, what ...any) {
	if have != want {
		t.Helper()
		t.Fatal(fmt.Sprintf("%shave %s, want %s", which(what...), shown(have), shown(want)))
	}
}

// That fails the test, which goes on, unless ok, with the message of form and args, which are
// evaluated where all is well too.
func That(t T, ok bool, form string, args ...any) {
	if !ok {
		t.Helper()
		t.Errorf(form, args...)
	}
}

// Given is That which ends the test: what follows would make no sense.
func Given(t T, ok bool, form string, args ...any) {
	if !ok {
		t.Helper()
		t.Fatal(fmt.Sprintf(form, args...))
	}
}

// Same is Is for what has no ==, with the differences by cmp.Diff as the message.
func Same(t T, have, want any, what ...any) {
	if d := cmp.Diff(want, have); d != "" {
		t.Helper()
		t.Errorf("%s(-want +have)\n%s", which(what...), d)
	}
}

// Has fails the test, which goes on, with each of the parts that text does not contain.
func Has(t T, text string, parts ...string) {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Helper()
			t.Errorf("%q is not in %s", part, shown(text))
		}
	}
}

// Lacks fails the test, which goes on, with each of the parts that text contains.
func Lacks(t T, text string, parts ...string) {
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Helper()
			t.Errorf("%q is in %s", part, shown(text))
		}
	}
}

// Refuses fails the test, which goes on, unless err is an error whose text has all parts.
func Refuses(t T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	Has(t, err.Error(), parts...)
}

// Allocates fails the test, which goes on, if a run of f takes more allocations than most
// on the average of runs, as testing.AllocsPerRun counts them. f runs once more, at first.
func Allocates(t T, most float64, runs int, f func(), what ...any) {
	t.Helper()
	if n := testing.AllocsPerRun(runs, f); n > most {
		t.Errorf("%s%v allocations, at most %v", which(what...), n, most)
	}
}

// Allocated returns the bytes that all goroutines allocate while f runs.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// which returns the beginning of a message.
func which(what ...any) string {
	if len(what) == 0 {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintln(what...), "\n") + ": "
}

// shown returns a value for a message: a text in quotes, or as it is if it has lines.
func shown(v any) string {
	switch text, ok := v.(string); {
	case !ok:
		return fmt.Sprintf("%+v", v)
	case strings.Contains(text, "\n"):
		return "\n" + text + "\n"
	default:
		return strconv.Quote(text)
	}
}
