package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/testkit"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
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

func TestExplainFlows(t *testing.T) {
	flows(t, `
== The screens follow each other, and no user streams behind another one.
on explain
> 1 Live | 2 Load | 4 Explain
tab > at:load | 4 Explain | tab explain | esc live
tab > at:explain | 1 Live | 2 Load | 4 Explain | hint:esc load
tab > at:live
4 > at:explain | hint:esc live
2 > at:load | hint:esc explain
4 1 > at:live
4 esc > at:live | last:explain open, explain close, explain open, explain close, explain open, explain close,
	explain open, explain close

== Without an engine there is no screen.
on load
> !Explain | !explain
4 > at:live
tab tab > at:live

== An engine that does not open says why.
on explain
set:no-engine
4 > the engine cannot be shown: no port is free | at:live

== The header says whose engine it is, also when Live measures another endpoint.
on explain
4 > head:embedded engine
1 select:groq 4 > head:simulated engine, not your endpoint

== A request on Live goes on beside Explain; the header says so, with the key that stops it.
on explain start
sent chunk:"still writing " wait:300ms 4 > at:explain | is:dialog false | !calls:stop | head:run 1 streams, x stops
	| foot:x stop the request on Live
x > calls:stop | the request on Live was stopped
wait:300ms > !head:streams | !foot:x stop

== A load is on hold while Explain has the machine, and goes on by a key. Nothing asks.
on explain
2 space wait:300ms > is:load true
4 > at:explain | is:dialog false | is:load true | is:held true | the load is on hold; on Load space goes on
wait:300ms > head:on hold, x stops
esc > at:load | hint:space go on
space > is:held false | is:load true

== Auto is on hold too, and a run that streams is the last until then.
on explain
a sent chunk:"one " wait:100ms 4 > auto is on hold; on Live space goes on | requests:1
esc finish drain wait:5s > requests:1 | auto is on hold: space goes on | hint:space go on
space > requests:2

== What runs is stopped from any screen, as its badge says; what the screen itself runs first.
on explain
2 space wait:300ms 1 wait:300ms > head:1 user at load, x stops | hint:x stop the load
space sent wait:300ms > hint:x stop | !foot:stop the load
x wait:300ms > hint:x stop the load | is:load true
x > the load was stopped | is:load false
x wait:300ms > !hint:x stop the load

== Time pauses, steps, and is slowed. A paused engine costs nothing.
on explain
4 wait:1s > is:moving true
space > last:explain pause true | space go on
wait:1s idle:10s
set:steps . . > last:explain step, explain step | is:new-steps 2
space > last:explain pause false
- > last:explain turn bf16 users 8 time 0.5
+ + > time: no further value | last:explain turn bf16 users 8 time 1

== A step that ends a moment after the key is drawn, although time is stopped.
on explain
4 wait:1s space wait:1s set:steps set:slow-steps . > is:new-steps 0
wait:200ms > is:new-steps 1

== While the model is computed the clock ticks: nobody else would fetch the result.
on explain
set:busy 4 space wait:1s > is:moving true

== The cursor scrubs, and does not move with the time.
on explain
4 left > is:behind 0
wait:1s space left left > is:behind 2 | esc newest // the clock is stopped, so that numbers can be compared
right right > is:behind 0
shift+left > is:behind-more true
end wheel:up > is:behind 3
esc > is:behind 0 | at:explain
left left space wait:1s > is:behind-more true

== Knobs turn; what does not fit is skipped, with the reason.
on explain
4 enter "a6000" enter ] > is:machine m1max | Apple M1: 15 GiB of weights leave no room
enter "M1" enter > is:dialog true | 15 GiB of weights // the list of the machines; not chosen
ctrl+u "h200" enter > is:machine h200 | is:dialog false
down down > is:knob quantization
] > last:explain turn fp8 users 8 time 1
u "16" enter > last:explain turn fp8 users 16 time 1 | is:knob users
set:no-room u 3 2 enter > no room for this

== Knobs go round: above the first one is the last of the options.
on explain
4 up > ▸async off
down > is:knob hardware

== Leaving a list does not copy the prompt of the load to Live.
on explain
tab tab enter esc 1 space > requests:1 | is:sent chat 0 200 | sent:`+prompts.Default().Prompt+`

== Another user is watched, if there is one.
on explain
4 wait:200ms n N N > last:explain watch 2, explain watch 1, explain watch 8
u 1 enter > !n watch

== Tiny terminals are survived, and every other says what is shown and how to go on.
on explain first=explain
wait:800ms size:0x0 size:0x4 size:4x0 size:1x1 size:1x3 size:2x2 size:3x1 size:3x4 size:4x4 size:40x12 > A request has two phases | enter a short prompt
size:80x24 > Two phases | enter a short prompt
size:200x50 > Two phases | enter a short prompt
size:300x80 > Two phases | enter a short prompt
`)
}

func TestTourFlows(t *testing.T) {
	flows(t, `
== The tour is taken by the keys that the footer names.
on explain
4 > T tour
T > last:explain open, tour go 1 | foot:enter a short prompt | foot:n next lesson | foot:esc leave the tour
n n > foot:enter quantize to fp8 | foot:n next lesson | foot:N back | is:knob quantization
wait:2s left > foot:esc newest
enter > last:tour go 3, tour stage 1 | foot:enter quantize to Q4_K_M // at the newest step
enter N n > last:tour stage 2, tour go 2, tour go 3
enter enter > last:tour stage 1, tour stage 2 | foot:enter next lesson
: "lesson 11" enter enter enter > last:tour go 11, tour stage 1, tour stage 2 | !foot:next lesson // there is none after the last
T > the tour | Two phases | you are here
home enter > last:tour go 1
1 4 > is:tour true // a look at Live does not end it
esc > last:tour go 0 | foot:T tour | foot:esc live

== While a lesson is computed, the footer shows the action of enter.
on explain first=explain lesson=2
set:computing wait:500ms > foot:enter next stage
space > is:moving true // something looks whether the lesson is there
enter > last:tour stage 1

== The verdicts of the lessons stay in the scrollback.
on explain first=explain
> is:summary 
wait:2s enter wait:2s n esc esc > is:summary tour, predicted by the model and measured on the embedded engine/1  Two
	phases: holds. prefill used 63 % of the arithmetic and 16 % of the bandwidth, decode <1 % and 67 %: opposite/   limits/

== tokscope tour goes on with the last lesson.
on explain 80x24 first=explain
> last:explain open, tour go 1 | requests:0

== tokscope tour opens the lesson that is asked for.
on explain 80x24 first=explain lesson=2
> last:explain open, tour go 2 | requests:0

== In a narrow terminal the next action comes first, and the key to leave is there from 80 columns on.
on explain 40x12 first=explain lesson=3
> foot:enter quantize to fp8 | foot:n next
size:80x24 > foot:esc leave the tour

== Leaving the stages of a lesson too early shows a notice.
on explain first=explain
enter enter > lesson 1 ended without a verdict

== A lesson whose stages were measured is left without one.
on explain first=explain
wait:2s enter wait:2s enter > last:tour go 2 | !without a verdict
`)
}

// The users of the knobs end with the program, in every way it can end.
func TestExplainIsClosedAtTheEnd(t *testing.T) {
	b := newBackend()
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
		if first == 0 {
			t.Fatal("a click on a step does not look at it")
		}
		for x := 140; x > 100; x-- {
			r.send(tea.MouseMotionMsg{X: x, Y: y + 2, Button: tea.MouseLeft})
		}
		r.wait(100 * time.Millisecond)
		dragged := r.stepsBehind()
		if dragged <= first {
			t.Errorf("dragged to the left the cursor went from %d steps back to %d", first, dragged)
		}
		r.send(tea.MouseReleaseMsg{X: 100, Y: y + 2})
		r.send(tea.MouseMotionMsg{X: 150, Y: y + 2})
		r.wait(100 * time.Millisecond)
		if r.stepsBehind() != dragged {
			t.Error("released, the cursor still follows")
		}
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
			if len(row) > 40 {
				t.Errorf("%q is wider than the terminal", row)
			}
		}
	})
}

func TestExplainFooterIsTheKeyTable(t *testing.T) {
	play(t, "explain", 300, 40, Options{}, func(r *harness) {
		r.press("4")
		for range 2 {
			for i, h := range keys.Hints(nil, r.m.keys(), false) {
				not := format.Either(i > mostHints, "!", "") // beside the exit
				r.do("> " + not + "foot: " + h.Key + " " + h.Word + " ")
			}
			r.worksAll()
			r.press("T", "n")
		}
	})
}

// Random keys on the Explain screen, its dialogs and the other screens never
// cause a panic. The engine is open exactly while it is shown.
func TestAnyKeyOnExplain(t *testing.T) {
	pool := strings.Fields("left right up down pgup pgdown end enter enter esc tab space . - + [ ] u U w v V " +
		"T T n N b l c z Z t k ? 1 2 4 4 4 ctrl+u backspace")
	play(t, "explain", 100, 30, Options{Mouse: true}, func(r *harness) {
		r.press("4")
		r.anyKeys(testkit.Rand(t, 5), pool, 300*time.Millisecond, func() {
			if open := r.b.ExplainView().Running; open != (r.shown() == screen.Explain) {
				r.Fatalf("the engine runs: %v, the screen is %s", open, r.shown())
			}
		})
	})
}
