package cli

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestModelsFlags(t *testing.T) {
	var got *Models
	actions := Actions{
		Models: func(_ context.Context, o *Models) error { got = o; return nil },
		Named:  func(func(string) string) ([]string, []string) { return []string{"h100"}, []string{"r1"} },
		Targets: func(typed string, _ func(string) string) []string {
			if strings.Contains(typed, "@") {
				return []string{"r1@h100"}
			}
			return []string{"groq", "r1@"}
		},
	}
	run := func(args ...string) error { return execute(t, actions, args...) }
	if err := run("models"); err != nil || got.Prompt != 1000 || got.Output != 200 || got.Speed != 20 ||
		len(got.Names) != 0 {
		t.Errorf("%v %+v", err, got)
	}
	if err := run("models", "r1", "h100", "--json", "--precision", "q4", "--input-tokens", "8000"); err != nil ||
		!slices.Equal(got.Names, []string{"r1", "h100"}) || !got.JSON || got.Precision != "q4" || got.Prompt != 8000 {
		t.Errorf("%v %+v", err, got)
	}
	complete := func(args ...string) string {
		var b strings.Builder
		root := New(actions, "v")
		root.SetOut(&b)
		root.SetArgs(append([]string{"__complete"}, args...))
		_ = root.Execute()
		return b.String()
	}
	// The number after the colon is cobra's directive: 4 no files, 2 no space.
	for _, c := range []struct{ line, want string }{{"models ", "h100\nr1\n:4\n"}, {"serve --hardware ", "h100\n:4\n"},
		{"serve --model ", "r1\n:4\n"}, {"g", "groq\n"}, {"r", "r1@\n:6\n"}, {"r1@", "r1@h100\n:4\n"}} {
		if got := complete(strings.Split(c.line, " ")...); !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
}
