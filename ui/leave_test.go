package ui

import (
	"image/color"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/testkit"
	"tokscope/ui/screen"
)

// In the first moments an answer of the terminal may be pending. The program
// must receive it, not the shell after it. Later no answer is pending.
func TestQuitWaitsForWhatWasAsked(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // from the start to the q
		do    func(*harness)
		quits bool
	}{
		{"both answers are awaited", 0, func(*harness) {}, false},
		{"one is not enough", 0, func(r *harness) { r.send(tea.BackgroundColorMsg{Color: color.Black}) }, false},
		{"both are", 0, func(r *harness) {
			r.send(tea.BackgroundColorMsg{Color: color.Black})
			r.send(tea.KeyboardEnhancementsMsg{})
			r.wait(answersSettle + time.Millisecond)
		}, true},
		{"silence is not awaited for ever", 0, func(r *harness) { r.wait(answersWithin + time.Millisecond) }, true},
		{"who says it twice cannot wait", 0, func(r *harness) { r.press("q") }, true},
		{"a person is not kept waiting", answersWithin, func(*harness) {}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			playMute(t, func(r *harness) {
				r.wait(c.after)
				r.press("q")
				c.do(r)
				testkit.That(t, r.quit == c.quits, "ended: %v", r.quit)
			})
		})
	}
}

// After a pause in the background the terminal is asked again.
func TestQuitWaitsAfterResuming(t *testing.T) {
	playMute(t, func(r *harness) {
		r.do("wait:1s ctrl+z")
		r.send(tea.ResumeMsg{})
		r.send(screen.Reply(r.m.quit))
		testkit.That(t, !r.quit, "ended with two questions open")
		r.wait(answersWithin + time.Millisecond)
		testkit.That(t, r.quit, "waits for answers that never come")
	})
}

// playMute is play in a terminal that answers nothing.
func playMute(t *testing.T, f func(*harness)) {
	t.Helper()
	play(t, "live", 80, 24, colours, func(r *harness) {
		r.mute = true
		r.m.askTerminal() // again, and this time without an answer
		f(r)
	})
}
