package ui

import (
	"testing"

	"tokscope/ui/screen"
)

func TestHistoryFlows(t *testing.T) {
	flows(t, `
# 5 shows the screen, v goes to the next figure, a filter is typed and removed, a baseline is set.
== The History screen is driven by keys; enter opens a run's recording in Live.
on history
set:week
5 > at:history | runs since | TTFT is 1.9 | what it was before | all of it prefill | phases before and after
v > TPOT ─ groq
/ "lab" > lab as usual | TPOT ─ lab
enter > !together | lab as usual | / lab | 504 of 2,016
esc > 2,016 runs | together
v = enter > baseline groq usual | its baseline since
n > phases before and after
down up enter > is:opened 1

== enter shows the chosen run's recording, and not what Live itself measures.
on all
set:some-history
5 enter > at:a replay on Live
5 > at:history

# It asks nothing when it is not shown.
== Runs of another process appear within seconds, and the screen recovers from an error.
on history
5 > Nothing has been measured on this machine yet. | Every run of Live
set:6-runs wait:5s > 6 runs since
set:7-runs-unread wait:5s > input/output error
set:readable wait:5s > !input/output error | 7 runs since
1 > at:live
set:asked wait:20s > is:asked 0
`)
}

// playEvery is play with every screen and some hours of history.
func playEvery(t *testing.T, f func(*harness)) {
	t.Helper()
	play(t, "all", 120, 40, Options{}, func(r *harness) {
		settings()["some-history"](r)
		f(r)
	})
}

// TestTabVisitsEveryScreen checks that tab goes through the tabs in their order and
// back to the first, past the question of Explain, and shift+tab the other way.
func TestTabVisitsEveryScreen(t *testing.T) {
	for key, order := range map[string][]screen.Name{
		"tab":       {screen.Load, screen.Race, screen.Explain, screen.History, screen.Live},
		"shift+tab": {screen.History, screen.Explain, screen.Race, screen.Load, screen.Live},
	} {
		playEvery(t, func(r *harness) {
			for _, want := range order {
				if r.press(key); r.m.stack.top() != nil {
					r.press("enter")
				}
				if r.shown() != want {
					t.Fatalf("%s shows %s, want %s", key, r.shown(), want)
				}
			}
		})
		playEvery(t, func(r *harness) {
			r.press("2")
			if !r.b.LoadView().Running {
				t.Fatal("no load runs")
			}
			past := screen.History
			if r.press("5"); key == "tab" {
				r.press("3")
			} else {
				past = screen.Race
			}
			r.press(key)
			r.sees("Show it?", "tab skip")
			r.press(key)
			if r.shown() != past || !r.b.LoadView().Running {
				t.Errorf("%s past Explain shows %s, load runs: %v", key, r.shown(), r.b.LoadView().Running)
			}
		})
	}
}
