package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/testkit"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
	"tokscope/ui/uitest/golden"
)

func (r *harness) explainCalls() []string {
	var out []string
	for _, c := range r.b.Calls() {
		if strings.HasPrefix(c, "explain ") || strings.HasPrefix(c, "tour ") {
			out = append(out, c)
		}
	}
	return out
}

// The users of the knobs end with the program, in every way it can end.
func TestExplainIsClosedAtTheEnd(t *testing.T) {
	b := newBackend(t)
	m := New(registry.All(), only(b, "explain"), Options{})
	tap(m, "4", "esc")
	m.screens.shown().Leave() // as Run does
	tap(m, "4")
	m.screens.shown().Leave()
	m.screens.shown().Leave() // a second Leave does nothing
	if got := b.Calls(); !slices.Equal(got, []string{"explain open", "explain close", "explain open", "explain close"}) {
		t.Errorf("the backend was told %q", got)
	}
}

func TestTheMouseOnExplain(t *testing.T) {
	play(t, "explain", 160, 40, Options{Mouse: true}, func(r *harness) {
		r.do("4 wait:1s space click:quantization > is:knob quantization | is:dialog false")
		r.do("click:quantization > is:dialog true")
		r.press("esc")
		_, y := r.locate("engine steps")
		r.send(tea.MouseClickMsg{X: 140, Y: y + 2, Button: tea.MouseLeft})
		first := r.stepsBehind()
		testkit.Given(t, first != 0, "a click on a step does not look at it")
		for x := 140; x > 100; x-- {
			r.send(tea.MouseMotionMsg{X: x, Y: y + 2, Button: tea.MouseLeft})
		}
		r.wait(100 * time.Millisecond)
		dragged := r.stepsBehind()
		testkit.That(t, dragged > first, "dragged to the left the cursor went from %d steps back to %d", first, dragged)
		r.send(tea.MouseReleaseMsg{X: 100, Y: y + 2})
		r.send(tea.MouseMotionMsg{X: 150, Y: y + 2})
		r.wait(100 * time.Millisecond)
		testkit.That(t, r.stepsBehind() == dragged, "released, the cursor still follows")
		r.do(`click:"T tour" wait:300ms enter wait:300ms`) // in the footer
		x, y := r.locate("enter next lesson")              // in the panel of the lesson
		if y > 37 {
			t.Fatalf("the lesson does not say how to go on:\n%s", r.screen())
		}
		r.send(tea.MouseClickMsg{X: x + 2, Y: y, Button: tea.MouseLeft})
		r.do("> last:tour go 1, tour stage 1, tour go 2")
		r.do(`wait:300ms click:"N back" > last:tour go 1`)
	})
}

// The summary is wrapped for the terminal.
func TestTheSummaryBreaksBetweenWords(t *testing.T) {
	o := Options{First: screen.Explain, Screens: screen.Options{Lesson: 1}}
	play(t, "explain", 40, 12, o, func(r *harness) {
		r.do("wait:2s enter wait:2s")
		for _, row := range strings.Split(r.m.Summary(), "\n")[2:] {
			testkit.That(t, len(row) <= 40, "%q is wider than the terminal", row)
		}
	})
}

// TestExplainFrames compares the root's part of the screen, in every state of Explain and at
// four sizes: the engine's owner, the tabs, and the present keys. Each state is reached once;
// then the terminal changes its size, in the end to any.
func TestExplainFrames(t *testing.T) {
	var out strings.Builder
	for _, s := range [][2]string{
		{"running", "4 wait:2s"},
		{"paused", "4 wait:2s space left left wait:300ms"},
		{"one user", "4 u 1 enter wait:2s"},
		{"broken", "4 wait:2s set:broken wait:300ms"},
		{"tour", "4 T n wait:2s"},
		{"tour, measured", "4 T n wait:2s enter wait:2s enter wait:2s wait:300ms"},
		{"tour, the end", "4 T n n n n n n n n n n enter enter wait:2s"},
		{"knob", "4 enter wait:2s"},
	} {
		play(t, "explain", 120, 40, colours, func(r *harness) {
			r.do(s[1])
			r.wait(toastFor)
			for _, size := range []string{"40x12", "80x24", "120x40", "200x50"} {
				r.do("size:" + size)
				head, foot := strings.TrimRight(r.header(), " "), strings.TrimRight(footer(r), " ")
				fmt.Fprintf(&out, "%s, %s\n%s\n%s\n\n", s[0], size, head, foot)
			}
			if !testing.Short() {
				r.survivesEverySize()
			}
		})
	}
	golden.File(t, "testdata/explain-frames.txt", out.String())
}
