package testkit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Line is a line of a script of testdata: At is its place as "file:7".
type Line struct{ At, Text string }

// Lines returns the lines of a script. One that begins with a tab goes on with the line
// before. " // " begins a remark, and so does "# " at the start of a line; empty lines are
// left out.
func Lines(t testing.TB, file string) (out []Line) {
	t.Helper()
	for i, text := range strings.Split(string(Must(os.ReadFile(file))(t)), "\n") {
		text, _, _ = strings.Cut(text, " // ")
		switch more, on := strings.CutPrefix(text, "\t"); {
		case on:
			out[len(out)-1].Text += " " + more
		case text != "" && !strings.HasPrefix(text, "# "):
			out = append(out, Line{fmt.Sprintf("%s:%d", file, i+1), text})
		}
	}
	return out
}
