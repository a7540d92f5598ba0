package ui

import "testing"

func TestHistoryFlows(t *testing.T) {
	flows(t, `
# 5 shows the screen, v goes to the next figure, a filter is typed and removed, a baseline is set.
== The History screen is driven by keys; enter opens a run's recording in Live.
on all
set:week 5 > at:history | runs since | TTFT is 1.9 | what it was before | all of it prefill
	| phases before and after
v > TPOT ─ groq
/ "lab" > lab as usual | TPOT   lab
enter > !together | lab as usual | / lab | 504 of 2,016
esc > 2,016 runs | together
v = enter > baseline groq usual | its baseline since
n > phases before and after
down up enter > is:opened 1

== enter shows the chosen run's recording, and not what Live itself measures.
on all
set:some-history 5 enter > at:a replay on Live
5 > at:history

== esc leaves a replay for the screen that it was opened on.
on all
set:some-history 5 down enter > at:a replay on Live
esc > at:history

# It asks nothing when it is not shown.
== Runs of another process appear within seconds, and the screen recovers from an error.
on all
5 > Nothing has been measured on this machine yet. | Every run of Live
set:6-runs wait:5s > 6 runs since
set:7-runs-unread wait:5s > input/output error
set:readable wait:5s > !input/output error | 7 runs since
1 > at:live
set:asked wait:20s > is:asked 0

== tab goes through all tabs in their order, and back to the first.
on all
tab > at:load
tab > at:race
tab > at:explain
tab > at:history
tab > at:live

== shift+tab goes the other way.
on all
shift+tab > at:history
shift+tab > at:explain
shift+tab > at:race
shift+tab > at:load
shift+tab > at:live

== No screen asks before it is shown, and none stops what runs.
on all
2 space > is:load true
tab tab > at:explain | is:dialog false | is:held true
tab > at:history | is:dialog false | is:load true | is:held true
`)
}

// playEvery is play with every screen and some hours of history.
func playEvery(t *testing.T, f func(*harness)) {
	t.Helper()
	play(t, "all", 120, 40, Options{}, func(r *harness) {
		r.do("set:some-history")
		f(r)
	})
}
