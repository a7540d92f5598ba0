package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/prompts"
	"tokscope/ui/screen"
)

func (r *harness) loadCalls() []string {
	var out []string
	for _, c := range r.b.Calls() {
		if strings.HasPrefix(c, "load") {
			out = append(out, strings.TrimPrefix(c, "load "))
		}
	}
	return out
}

func TestLoadFlows(t *testing.T) {
	flows(t, `
== The slider moves the load.
on load
tab space > told:start 1
right right right shift+right shift+right shift+left left
	> told:resize 2, resize 4, resize 8, resize 9, resize 10, resize 9, resize 8 | lanes | falling to 8 users

== s saves the load, not the requests of Live.
on load
set:path
tab space s > told:start 1, save | there/session.load.json

== The workload of a load draws the lengths beside its prompt. Live has none.
on load
tab space p > tokens of a prompt [1000  | tokens of an answer at most [200  | ctrl+t lengths
ctrl+t ctrl+u "200..4000" ctrl+t ctrl+u "50,400" ctrl+r > told:start 1, steer custom | is:work custom 0 400
	| 200..4000 in
p ctrl+t ctrl+u "x" ctrl+r > prompts: "x" is not a number // nothing: the row says why
esc > lengths unchanged
p > tokens of a prompt [200..4000  | tokens of an answer at most [50,400 
ctrl+t ctrl+u "500" ctrl+t ctrl+u "60" ctrl+r > told:steer custom | is:varies false | is:work custom 500 60
esc p > !tokens of a prompt | !ctrl+t

== space starts, holds, goes on and starts again, on the embedded endpoint as on any other; x stops and cuts.
on load 100x30
2 wait:2s > told: | hint:space start | is:load false
space > told:start 1 | hint:space hold
right right right space space > told:resize 2, resize 4, resize 8, hold true, hold false
x x > told:stop, cut | is:moving false
space > told:start 8
left x > told:resize 4, cut | is:load true // the users who leave are cut, the rest goes on

== A cut request takes a moment to end; the x after that of the cut stops the load all the same.
on load
set:late
2 space right right left > x cut
x > 2 requests of leaving users were cut | x stop
x > stopping: running requests finish; x again cuts them | x cut
x > 4 requests were cut | told:start 1, resize 2, resize 4, resize 2, cut, stop, cut

== After a stop of nothing, nothing suggests that a second x would stop anything.
on load
2 space users:8 set:no-requests x > stopped: no request was under way

== An endpoint of others waits for a key, and asks.
on load
select:work set:asks
tab > told: | space starts 1 user
right space > told:start 2 | up to 90,000 tokens
esc > told:
space enter > told:start 2, consent, start 2

== More users ask again.
on load 100x30
set:4-free
tab space users:8 > told:start 1, resize 8 | 8 users on there
n > is:dialog false | users    1 // the slider's position after a no
users:8 y > is:users 8

== An ended load leaves no rate behind the number of users that the screen shows.
on load
tab space users:12/s set:cut
wait:1s users:"1 user" > ╭ users ─ | ended
right space > is:load true | is:rate 0 | is:users 2

# A rate, a ramp and users are typed; the header says that the loop is open.
== No view changes what the arrows move.
on load
tab space v v v v v v > told:start 1 | !open loop
right > told:resize 2
users:1/s > open loop, 1 req/s
right shift+right > told:drive {Users:0 Rate:1 Poisson:false To:0 Within:0s},
	drive {Users:0 Rate:2 Poisson:false To:0 Within:0s}, drive {Users:0 Rate:2.1 Poisson:false To:0 Within:0s}
users:"5-20 in 60s poisson" users:64 > 64
u "8-100 in 30s" esc > is:rate 64
v v v v v v v v > is:rate 64
users:"4 users" > is:rate 0 | is:users 4 | !open loop
users:"4-40 in 1m" > is:drive {4 0 false 40 1m0s}
right > is:drive {8 0 false 0 0s} // any other change ends the ramp

== A lane opens in Live.
on load
tab space users:8 down down enter > the text of user 2 | user 2 of the load | ╭ user 2 ─ | at:a lane on Live | head:1k in | !head:chat
n > the text of user 3 | ╭ user 3 ─
esc > speed over users
esc > 8 users at load | at:live | told:start 1, resize 8 // opening changed nothing

== The workload and objectives are those of the load, not of Live.
on load
tab space o "ttft=1s" enter > is:slos [ttft=1s]
o "voice" enter > goodput ─ voice: ttft ≤ 260 ms and speed ≥ 4.1 tok/s and gap ≤ 1 s
	| is:slos [ttft=260ms speed>=4.1 gap=1s]
? esc p tab ctrl+r > is:work 10k in 10000 300
p tab esc > head:10k in // chosen for the next load, not sent by this one
esc space > requests:1 | sent:`+prompts.Default().Prompt+`

== Without a backend of loads there is no screen.
tab 2 > at:live | !2 Load

== A request of Live goes on beside Load, which starts nothing by itself; a load that a key starts stops it before.
on load start
sent chunk:"still writing " wait:100ms tab wait:2s > told: | !calls:stop | head:run 1 streams, x stops
space > told: | calls:stop
wait:1010ms > calls:stop, load start 1

== A request of Live that has ended delays no load, and nothing reports it as stopped.
on load start
select:work sent chunk:"still writing " wait:100ms tab finish wait:100ms space > !was stopped | told:start 1

== x keeps a load from beginning that waits for the end of a cut request.
on load start
2 space > x stop
x wait:2s > told: | is:load false

== A load that was stopped while it waited does not begin again.
on load start
2 space space x x > told:start 1, stop, cut
wait:2s > told: | is:load false

== Any number of users is typed, or taken from the list; esc takes none.
on load
tab space users:64 > told:start 1, resize 64
users:3 > told:resize 3
u "9" esc u "99999" enter esc esc > told: // no such number: the list stays
2 u down enter > told:resize 4

== A digit on Load chooses a screen, never the number of users.
on load
tab space 0 > at:load
2 > at:load
3 > at:load
5 6 7 8 9 > at:load
1 > at:live | told:start 1

== The chart over the prompt length takes the ended requests when v reaches it; frozen, it stands still.
on load
set:40-ended
tab space v v v v > ╭ over prompt length | fit – (all prompts are about as long): p changes the length
	| !waiting for the first request
f set:none-ended v v v v v > fit – (all prompts are about as long)
f > !fit – (all prompts

== Tiny terminals are survived, and the number of users is in every other.
on load
tab space users:99 size:0x0 size:0x4 size:4x0 size:1x1 size:1x3 size:2x2 size:3x1 size:3x4 size:4x4 size:40x12 > 99
size:80x24 > 99
size:200x50 > 99
size:300x80 > 99
`)
}

// A load that runs is changed in place.
func TestSteerFlows(t *testing.T) {
	flows(t, `
== Another prompt, model and objectives are taken in place; backspace takes them back, the last first.
on load
tab space > !undo
backspace p ctrl+t ctrl+u "4000" ctrl+r > told:start 1, steer custom | new requests send this | undo workload
m down enter > is:endpoint demo | is:model llama-3.1-70b | undo model
o down enter > undo objectives | is:marks 3 | is:load true | is:work custom 4000 200
right > undo users
backspace > is:users 1
backspace backspace > is:model llama-3.1-8b | model back to 
backspace > prompt back to 1k | !undo | is:load true | is:work 1k in 1000 200 | is:marks 8
p > tokens of a prompt [1000  // the editor has what is sent now

== Another endpoint asks first; anything but yes changes nothing. Undo asks as well.
on load
tab space e "work" enter enter > The load would leave demo and go on at work. | 150,000 tokens | enter yes
esc > is:endpoint demo | is:load true | is:marks 0
e "work" enter enter enter > undo endpoint | is:endpoint work | is:load true | is:marks 1
backspace > The load would leave work and go on at demo.
enter > is:endpoint demo | is:marks 2 | !undo

== Without a load, another endpoint is chosen as ever.
on load
tab space x x e "work" enter enter > is:endpoint work | !calls:load move

== f lets the picture stand still while the load goes on, and follow it again.
on load
tab space wait:3s f > frozen at 3 s | f unfreeze | lanes ─ 1
right right wait:2s > is:users 4 | lanes ─ 1 | frozen at 3 s
f > lanes ─ 4 | !frozen

== The palette says what undo takes back.
on load
tab space right : "undo last" > undo last change: users 1 → 2
enter > is:users 1

== A model that cannot be used is reported, and changes nothing.
on load
set:no-move
tab space m down enter > no key for it | is:load true | is:marks 0 | is:model llama-3.1-8b
`)
}

func TestRequestFlows(t *testing.T) {
	flows(t, `
== The requests of a load are listed, filtered, opened.
on load
tab space drain set:400-ended > / list
/ > requests   400 ended | all requests
esc > !╭ requests // as it was
/ "ttft>oops" > write milliseconds or a unit
ctrl+u "ttft>500 sort:-ttft" > 12 of 400 // tried while it is typed
enter > ╭ requests ─ / ttft>500 sort:-ttft
enter > request 52 of the load, user 4 | ╭ request 52 ─ | word-3
n > of the load, user | !request 52 of the load
esc > ╭ requests ─ / ttft>500 sort:-ttft
esc > ╭ requests ─ 400 ended
end enter > figures only; events are kept of the 64 slowest and the last 256
home enter wait:1s > request 400 of the load, user 8
esc esc > !╭ requests

== The list opens before the first request, and no letter of a filter is a key of the screen.
on load 40x12 80x24 120x40
set:no-start
tab space / > type words
"status:5xx" > status:5xx
enter > no request has ended yet
esc esc > !no request has ended yet | at:load

== The empty list says when a request is in it.
on load 80x24 120x40
set:no-start
tab space / "status:5xx" enter > a request is listed when it has ended

== The requests of a recorded load are filtered, and opened as far as the recording has them.
on replay
set:400-recorded
> ╭ requests ─ 400 ended | 400 of 700 in the f
/ "gap>200 sort:-ttft" enter > ╭ requests ─ / gap>200 sort:-ttft
enter > request 156, recorded | word-3 | ╭ session-20261120-140509.123-4711.ndjson | !lag 200 µs | !events are missing here
n > , recorded | !request 156, recorded
esc > ╭ requests ─ / gap>200 sort:-ttft
/ ctrl+u "sort:number" enter enter > figures only; its events are not in the recording
/ ctrl+u "number=399" enter set:399-incomplete enter > events are missing here: these are not the figures of the
esc set:399-without-events enter > request 399: figures only | at:a replay on Load
esc > ╭ requests ─ 400 ended // without the filter, as large as before
Z > is:recorded true

== At 80 columns the footer of a recorded load names the keys of its list, the way back and the way out.
on replay 80x24
set:60-recorded
> foot:enter open | foot:↑↓ request | foot:/ filter | foot:esc live | foot:q quit
enter >  request 52, recorded   // the last to end
`)
}

// Opening and leaving a dialog does not change the workload.
func TestLeavingADialogKeepsTheWorkload(t *testing.T) {
	hot := 0.5
	w := prompts.Load()
	w.MaxTokens, w.System, w.Temperature = 77, "Be brief.", &hot
	play(t, "load", 120, 40, Options{Screens: screen.Options{LoadWork: w}}, func(r *harness) {
		r.do("tab space t esc p esc o esc x x space")
		if have := r.b.LoadView().Work; have != w {
			r.Errorf("it was %+v, now %+v", w, have)
		}
		r.do(`p " Why?" ctrl+r`)
		want := w
		want.Name, want.Prompt = prompts.Custom, w.Prompt+" Why?"
		if have := r.b.LoadView().Work; have != want {
			r.Errorf("edited: %+v", have)
		}
	})
}

func TestTheMouseDragsTheSlider(t *testing.T) {
	play(t, "load", 120, 40, Options{Mouse: true}, func(r *harness) {
		r.do("tab space")
		x, y := r.locate("256")
		r.send(tea.MouseClickMsg{X: x + 1, Y: y, Button: tea.MouseLeft})
		r.do("> is:users 256")
		for i := range 30 {
			r.send(tea.MouseMotionMsg{X: x - i, Y: y, Button: tea.MouseLeft})
		}
		r.wait(100 * time.Millisecond)
		low := r.b.LoadView().Target
		if low >= 16 {
			r.Errorf("dragged far to the left there are still %d users", low)
		}
		r.send(tea.MouseReleaseMsg{X: 2, Y: y})
		r.send(tea.MouseMotionMsg{X: x, Y: y})
		r.wait(100 * time.Millisecond)
		if got := r.b.LoadView().Target; got != low {
			r.Errorf("released, the slider still follows: %d", got)
		}
	})
}

// TestAFrozenSliderStandsAtItsFigures checks that a change of a frozen load is named
// and does not move the slider: its state and figures belong to the frozen setting.
func TestAFrozenSliderStandsAtItsFigures(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {100, 30}, {120, 40}} {
		play(t, "load", size[0], size[1], Options{}, func(r *harness) {
			slider := func() string {
				before, _, _ := strings.Cut(r.screen(), "◆")
				return before[strings.LastIndex(before, "\n")+1:]
			}
			r.do("tab space wait:3s f > not steady")
			before := slider()
			r.do("right right wait:2s > now 4 users")
			if now := slider(); now != before {
				t.Errorf("%v: the frozen slider was %q and is %q", size, before, now)
			}
			r.do("left left > not steady | !now ")
			r.do(`u "40/s" enter > now 40 req/s`)
			r.do("f > !now 40 req/s")
		})
	}
}

// TestAnyKeyAnywhere presses random keys on the Load screen, its dialogs and
// its lanes while the window changes its size. Nothing panics, slider and
// backend agree, and quitting works in the end.
func TestAnyKeyAnywhere(t *testing.T) {
	pool := strings.Fields("left right up down pgup pgdown home end enter enter esc tab space space x c v Z l w o e m t k s ? " +
		"[ ] f d r u 0 1 2 3 7 9 y n ctrl+r backspace")
	play(t, "load", 100, 30, Options{Mouse: true}, func(r *harness) {
		r.b.Free = 100
		r.do("tab space")
		r.anyKeys(testkit.Rand(t, 4), pool, 1200*time.Millisecond, func() {
			if v := r.b.LoadView(); v.Running && v.Target > 1024 {
				r.Fatalf("the load has %d users", v.Target)
			}
		})
	})
}

// TestAsideChangesNothing checks that asking a screen for its aside changes neither
// its picture nor what the backend does: only Sample takes new figures.
func TestAsideChangesNothing(t *testing.T) {
	play(t, "load", 120, 40, Options{}, func(r *harness) {
		r.do("tab space right right wait:1s 1")
		picture := func(s screen.Screen) string {
			g := draw.New(120, 38)
			s.Draw(g, g.Bounds())
			return g.Plain()
		}
		for _, s := range r.m.screens.all {
			before := picture(s)
			r.b.LoadDrive(loadstat.Drive{Users: 64})
			r.b.Advance(time.Second)
			calls := len(r.b.Calls())
			_ = s.Aside()
			if picture(s) != before || len(r.b.Calls()) != calls {
				t.Errorf("the aside of %s changed it", s.Name())
			}
		}
		if got := r.m.screens.all[r.m.screens.find(screen.Load)].Aside(); got != "64 users at load" {
			t.Errorf("the aside of a load of 64 users is %q", got)
		}
	})
}
