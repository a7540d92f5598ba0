package ui

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

func TestRaceFlows(t *testing.T) {
	flows(t, `
== A race is run by keys; at its end the terminal is notified, and the summary has the verdicts.
on race
3 > at:race | is:contestants 2 | Proposed: demo against demo+cold
space > is:race running | is:races 1 of 40 tokens
space > is:race held | paused
space 1 > is:race running | at:live
wait:1s > race, 0 pairs
3 set:race-at-bound drain > effect:Raw | ended: the bound of 30 pairs is reached | summary:No pair was finished.
space x drain > is:race stopped | !effect:Raw

== A race is proposed with its reason and space starts it; a short pair is shown again, slowed; v has the statistics.
on race
set:race-proposal 3 > Proposed: here against there (measured last before it) | It ends when decided, after 11 pairs or more; at most 30 pairs
space > is:race running | is:contestants 2
set:raced set:race-heat wait:2s > replay of pair 1, slowed 12x; 39 pairs measured | words of lane one | A's time is 1
v v v v > statistics | neighbors | !A's time is 1
v > A's time is 1

== Other contestants are proposed, and raced by space alone; the present ones change nothing; one alone races A.
on race
3 space e enter > is:race running
e "one two" enter > one against two
e "here" enter > is:race none | is:contestants 2 | one against here | space race
space > is:race running

== The chosen lane opens on Live, N goes to the other, esc back to the race.
on race
3 space enter > lane A has sent no request
set:raced wait:1s down enter > lane B of the race | ╭ lane B ─ | words of lane two | back to the race
N wait:1s > lane A of the race | hostone | words of lane one
esc > at:race | ▸A  | is:race running

== Pairs are paged; what is looked at stays when a pair ends.
on race
3 space set:raced wait:1s left > 10–24 of 39
set:raced-on wait:1s > 10–24 of 40
home > dropped
end > 26–40 of 40

== A request beside a race holds it, since it would slow the lanes. Nothing asks.
on race
3 space 1 space > is:dialog false | is:race held | the race is on hold; on Race space goes on | requests:1
3 space > is:race held | the request on Live was stopped; the race goes on in a moment
wait:1010ms > is:race running | is:dialog false

== Auto beside a race holds it too.
on race
3 space 1 a > is:dialog false | is:race held | requests:1

== A race stops a run of auto, which may take minutes, and holds auto between two runs.
on race
a sent chunk:"one " wait:100ms 3 space > is:dialog false | is:race none | auto on Live was stopped; the race begins in a moment
wait:1010ms > is:race running
x 1 a sent chunk:"one " finish drain 3 space wait:300ms > is:race running | auto is on hold; on Live space goes on | head:auto on hold

== A request waits for the lane that is under way; another screen ends the wait.
on race
3 space set:racing 1 space > is:race held | the request is sent in a moment | requests:0
wait:3s > requests:0
set:raced wait:1s > requests:1
x 3 space set:racing 1 space 2 wait:3s > requests:1

== A load beside a race holds it, and begins when the lane has ended.
on race
3 space set:racing 2 space > is:dialog false | is:race held | the race is on hold; on Race space goes on | is:load false
set:raced wait:1s > is:load true | is:race held

== A race holds a load, and begins when its requests have ended. A key never asks.
on race
2 space 3 space > is:dialog false | is:race none | is:held true
	| the load is on hold; on Load space goes on; the race begins in a moment
wait:2s > is:race none
set:no-requests wait:1s > is:race running | is:load true | is:held true
2 space > the race is on hold; on Race space goes on | is:held false | is:race held
`)
}

// TestRaceBeginsAtOnce checks that the program that was started to race does so.
func TestRaceBeginsAtOnce(t *testing.T) {
	plan := racestat.Plan{
		Work:   metrics.Workload{Name: "mine", Prompt: "x", MaxTokens: 9},
		Bounds: racestat.Bounds{Pairs: 4},
	}
	o := Options{Start: true, First: screen.Race, Screens: screen.Options{Race: plan}}
	play(t, "race", 80, 24, o, func(r *harness) {
		r.do("> at:race | is:races 1 of 9 tokens")
		if got := last(r.b.RacePlans()); got.Bounds.Pairs != 4 {
			t.Errorf("the plan is %+v", got)
		}
	})
}

// TestRaceNoticeIsHarmless checks that a label cannot end the notification and
// begin a sequence of its own.
func TestRaceNoticeIsHarmless(t *testing.T) {
	v := racestat.View{Lanes: []racestat.Lane{{Label: "a\x1b\\\x1b]52;c;x\a"}, {Label: "b"}}, Ended: racestat.EndLane}
	text := sanitize.Notice(say.RaceSentence(&v))
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "\x1b]9;tokscope: "), "\x1b\\\a")
	if len(inner) > len(text)-10 || strings.ContainsAny(inner, "\x1b\a") || !strings.Contains(inner, "failed in every round") {
		t.Errorf("%q", text)
	}
}

// raced makes the race one of 39 pairs, and sets the streams of its lanes.
func raced(r *harness) {
	v, board := r.b.RaceView(), racestat.NewBoard(2, racestat.Level, racestat.Band, 0)
	for n := range 40 {
		round := racestat.Round{N: n + 1, Dropped: n == 0, Order: []int{0, 1}, Results: make([]racestat.Result, 2)}
		for lane := range round.Results {
			for f := range round.Results[lane].Values {
				round.Results[lane].Values[f] = metrics.Known(100, 1)
			}
		}
		board.Add(&round)
		v.Rounds = append(v.Rounds, round)
	}
	v.Verdicts = board.Verdicts()
	stream := func(id int, lane string) metrics.Stream {
		text := "words of lane " + lane
		s := metrics.Stream{ID: id, Endpoint: metrics.Endpoint{Name: "host" + lane}, State: metrics.Done,
			Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), Text: []byte(text)}
		s.Marks.Start, s.Marks.Sent, s.Marks.End = 0, 0, 2e8
		s.Chunks = []metrics.Chunk{{At: 1e8, TextEnd: int32(len(text)), Tokens: 1}}
		return s
	}
	r.b.SetRace(v, map[int]metrics.Stream{0: stream(81, "one"), 1: stream(82, "two")})
}

// racing lets the first lane stream.
func racing(r *harness) {
	r.b.SetRace(r.b.RaceView(), map[int]metrics.Stream{0: {State: metrics.Decoding}})
}

// raceHeat makes the streams of the lanes a whole round.
func raceHeat(r *harness) {
	one, _ := r.b.RaceStream(0)
	two, _ := r.b.RaceStream(1)
	r.b.SetHeat(one, two)
}

// racedOn adds a pair to the race.
func racedOn(r *harness) {
	v := r.b.RaceView()
	v.Rounds = append(v.Rounds, v.Rounds[39])
	v.Rounds[40].N = 41
	r.b.SetRace(v, nil)
}

// raceAtBound ends the race at its bound.
func raceAtBound(r *harness) {
	v := r.b.RaceView()
	v.Running, v.Ended = false, racestat.EndPairs
	r.b.SetRace(v, nil)
}
