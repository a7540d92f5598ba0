package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// record returns a run of a fake backend: a first token after 262 ms, then chunks
// 7 ms apart, with a stall of 310 ms before chunk 40.
func recordedRun(id int, gap time.Duration) metrics.Run {
	b := uitest.New().Backend
	b.Advance(5 * time.Second)
	b.Begin(metrics.Workload{Name: "chat", Prompt: "How does a model answer?", MaxTokens: 400})
	b.Advance(14 * time.Millisecond)
	b.Sent()
	b.Advance(262 * time.Millisecond)
	words := strings.Fields("Between your question and the first word of the answer the language model reads . It takes the whole question at once , turns it into small pieces , and sends all of them through its layers together , the way you might look at a page before you speak about it . Nothing is written yet . From where you sit there is only a short silence , and most of it is this reading .")
	for i := range 80 {
		b.Chunk(words[i%len(words)] + " ")
		if b.Advance(gap); i == 38 {
			b.Advance(310*time.Millisecond - gap)
		}
	}
	b.Finish()
	run := b.Runs()[0]
	run.Stream.ID = id
	return run
}

const file = "session-20261120-140509.123-4711.ndjson"

func TestReplayFlows(t *testing.T) {
	flows(t, `
== A recording is stepped through by keys, and Live goes on with the recorded run pinned.
on replay first=a_replay_on_Live
> at:live | no recording is open
set:recording space >  replay 1x
space > replay paused 1x
- > paused 0.5x
+ > paused 1x
. > 0.26 of 1.12 s
n > 310 ms after chunk 39
n > no pause, change or failure after this moment
home > 0.00 of 1.12 s
N > no pause, change or failure before
end > done
= > unpin
down > ╭ request 12 ─
down > the last request
n > pinned #11
D > request 12 to its end as other tools define it
esc > pinned #11
end > vs #11
D > request 12 as other tools define it
D > vs #11 | summary:Run 12
esc esc > at:live | is:replay false
advance:1s space sent advance:300ms chunk:"Live " advance:1s chunk:"too." finish wait:1s > vs #11

== A replay waits when it is left, and the header of the other screens says so.
on replay
set:recording space 1 > at:live | is:replay paused
wait:1s > replay paused
: "the replay" enter > at:a replay on Live

# Nothing is sent, and time changes nothing.
== The loads of a recording are gone through by keys, to their requests and back.
on replay first=a_replay_on_Load
> at:live | no recording of a load is open
set:two-loads > load 1 of 2, 4 of 44 failed; last window, 2 users: 120 tok/s | ended after 8 s | 44 requests sent
	| the budget␛[2J is used up | ttft ≤ 500 ms | ╭ requests ─ 3 ended | 3 of 44 in the file
still:3s v > frontier
v > over prompt length
v > speed over users
left > this is the first load of the recording
right > load 2 of 2
right > this is the last load of the recording
left > load 1 of 2
enter > request 3, recorded
esc > ╭ requests ─ 3 ended
right > cut off after 8 s | – failed  no end in file
tab > at:a replay on Live
tab > load 2 of 2
esc > at:live | is:recorded false
set:one-load > load 4 | !load 4 of | is:calls 0

== The footer of a replay names the way out at any width.
on replay 40x12 60x12 80x12
set:same-loads > foot:esc live
tab home > foot:esc load

== At 80 columns nothing of a recorded load is cut.
on replay 80x12
set:same-loads > !…

== The text panel, the header and the list of runs have one name for a request: its number in the file.
on replay 200x50
set:6-and-35 down end > ╭ request 35 ─ | head:request 35 (2 of 2) | !stream 35 | !head:request 2 

== Below 200 columns the name in the header is short.
on replay 80x24 100x30 120x40
set:6-and-35 down end > 35 ─ | head:#35 | !stream 35

== Nothing in the header of a replay is cut at 80 columns.
on replay 80x24
set:recording - wait:1s > is:brand-cut false | head:paused | head:4 Expl 
end wait:1s > is:brand-cut false | head:paused | head:4 Expl 
1 wait:1s > is:brand-cut false | head:paused | head:4 Expl 
3 wait:1s > is:brand-cut false | head:paused | head:4 Expl 
`)
}

// replays opens a recording of these requests and shows it.
func replays(r *harness, requests ...metrics.Run) {
	r.b.SetReplay(file, requests...)
	r.spawn(r.m.show(r.m.screens.find(screen.Replay)))
	r.drain()
}

// TestReplayGolden holds a replay paused on a stall, and one compared with a
// pinned live run.
func TestReplayGolden(t *testing.T) {
	sheet := golden.NewSheet(t, "replay")
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		for _, ascii := range []bool{false, true} {
			if ascii && size[0] != 80 {
				continue
			}
			play(t, "replay", size[0], size[1], Options{ASCII: ascii}, func(r *harness) {
				name := fmt.Sprintf("%dx%d", size[0], size[1])
				if ascii {
					name += ", ASCII"
				}
				replays(r, recordedRun(11, 7*time.Millisecond))
				r.do("home n")
				sheet.Text("paused on a stall, "+name, r.screen())
				pinned := recordedRun(10, 9*time.Millisecond)
				r.m.look.Pinned = &pinned
				r.press("esc", "end")
				sheet.Text("against a pinned live run, "+name, r.screen())
				r.b.Lack(0, 11, false)
				r.press("home", ".")
				sheet.Text("incomplete, "+name, r.screen())
			})
		}
	}
}

// recordedLoad returns a load that failed in part, and of which the file has those
// requests.
func recordedLoad(id, sent int, requests []metrics.Run) uitest.RecordedLoad {
	point := func(users int, speed float64) loadstat.Point {
		return loadstat.Point{Users: users, Steady: true, From: 1e9, To: 6e9,
			Speed: metrics.Known(speed, 3), Total: metrics.Known(speed*float64(users), 0), Requests: 3}
	}
	v := loadstat.View{Began: 1e9, Now: 9e9, Path: []loadstat.Point{point(1, 149), point(2, 120)},
		Drive: loadstat.Drive{Users: 2}, SLOs: []slo.Objective{{Name: "ttft", Limit: 500}}, Sent: sent, Done: 40, Failed: 4}
	return uitest.RecordedLoad{ID: id, View: v, Requests: requests}
}

// openLoads opens a recording with these loads and shows the Load screen.
func openLoads(r *harness, loads ...uitest.RecordedLoad) {
	r.b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
	r.b.SetLoads(loads...)
	r.spawn(r.m.show(r.m.screens.find(screen.LoadReplay)))
	r.do("drain home")
}
