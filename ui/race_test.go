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
