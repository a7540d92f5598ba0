package ui

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/ui/screen"
	"tokscope/ui/screen/race"
)

// TestRaceByKeys races by keys: 3 shows the screen with contestants of the embedded
// endpoint, space begins, pauses and goes on, x stops. At the end the terminal is
// notified, and the summary has the verdicts.
func TestRaceByKeys(t *testing.T) {
	play(t, "race", 120, 40, Options{}, func(r *harness) {
		r.press("3")
		if r.shown() != screen.Race || len(r.b.RaceNames()) != 2 || !strings.Contains(r.screen(), "Press space to race") {
			t.Fatalf("screen %s, contestants %v\n%s", r.shown(), r.b.RaceNames(), r.screen())
		}
		r.press("space")
		if plans := r.b.RacePlans(); len(plans) != 1 || plans[0].Work.MaxTokens != 40 || plans[0].Bounds != racestat.DefaultBounds {
			t.Fatalf("plans %+v", plans)
		}
		r.press("space")
		if !r.b.RaceView().Holding || !strings.Contains(r.screen(), "paused") {
			t.Error("space does not pause")
		}
		r.press("space", "1")
		if r.b.RaceView().Holding || r.shown() != screen.Live {
			t.Error("space does not go on, or 1 does not show Live")
		}
		r.do("wait:1s > race, 0 pairs")
		r.press("3")
		v := r.b.RaceView()
		v.Running, v.Ended = false, racestat.EndPairs
		r.b.SetRace(v, nil)
		r.drain()
		if !slices.Contains(r.effects, "tea.RawMsg") || !strings.Contains(r.screen(), "ended: the bound of 30 pairs is reached") {
			t.Errorf("no notice of the end: %v\n%s", r.effects, r.screen())
		}
		if s := r.m.Summary(); !strings.Contains(s, "failures") && !strings.Contains(s, "No pair was finished.") || !strings.HasSuffix(s, "\n") || strings.Count(s, "\n") < 3 {
			t.Errorf("summary:\n%s", s)
		}
		before := len(r.effects)
		r.do("space x drain")
		if r.b.RaceView().Ended != racestat.EndStopped || slices.Contains(r.effects[before:], "tea.RawMsg") {
			t.Error("x does not stop, or a stop notifies the terminal")
		}
	})
}

// TestRaceBeginsAtOnce checks that the program that was started to race does so.
func TestRaceBeginsAtOnce(t *testing.T) {
	plan := racestat.Plan{Work: metrics.Workload{Name: "mine", Prompt: "x", MaxTokens: 9}, Bounds: racestat.Bounds{Pairs: 4}}
	o := Options{Start: true, First: screen.Race, Screens: screen.Options{Race: plan}}
	play(t, "race", 80, 24, o, func(r *harness) {
		if plans := r.b.RacePlans(); len(plans) != 1 || plans[0].Bounds.Pairs != 4 || r.shown() != screen.Race {
			t.Errorf("plans %+v on %s", plans, r.shown())
		}
		r.b.RaceStop()
		r.drain()
	})
}

// TestRaceNoticeIsHarmless checks that a label cannot end the notification and
// begin a sequence of its own.
func TestRaceNoticeIsHarmless(t *testing.T) {
	v := racestat.View{Lanes: []racestat.Lane{{Label: "a\x1b\\\x1b]52;c;x\a"}, {Label: "b"}}, Ended: racestat.EndLane}
	text := race.Notice(&v)
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "\x1b]9;tokscope: "), "\x1b\\\a")
	if len(inner) > len(text)-10 || strings.ContainsAny(inner, "\x1b\a") || !strings.Contains(inner, "failed in every round") {
		t.Errorf("%q", text)
	}
}

// raceOf makes the race one of 39 pairs, and sets the streams of its lanes.
func raceOf(r *harness) {
	v, board := r.b.RaceView(), racestat.NewBoard(2, racestat.Level, racestat.Band, 0)
	for n := range 40 {
		r := racestat.Round{N: n + 1, Dropped: n == 0, Order: []int{0, 1}, Results: make([]racestat.Result, 2)}
		for lane := range r.Results {
			for f := range r.Results[lane].Values {
				r.Results[lane].Values[f] = metrics.Known(100, 1)
			}
		}
		board.Add(&r)
		v.Rounds = append(v.Rounds, r)
	}
	v.Verdicts = board.Verdicts()
	stream := func(id int, text string) metrics.Stream {
		s := metrics.Stream{ID: id, Endpoint: metrics.Endpoint{Name: "host" + text[len(text)-3:]}, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), Text: []byte(text)}
		s.Marks.Start, s.Marks.Sent, s.Marks.End = 0, 0, 2e8
		s.Chunks = []metrics.Chunk{{At: 1e8, TextEnd: int32(len(text)), Tokens: 1}}
		return s
	}
	r.b.SetRace(v, map[int]metrics.Stream{0: stream(81, "words of lane one"), 1: stream(82, "words of lane two")})
}

// TestRaceOpensALane opens the chosen lane on Live, walks to the other and comes
// back to the race.
func TestRaceOpensALane(t *testing.T) {
	play(t, "race", 120, 40, Options{}, func(r *harness) {
		r.do("3 space enter > lane A has sent no request")
		raceOf(r)
		r.do("wait:1s down enter")
		if s := r.screen(); !strings.Contains(s, "lane B of the race") || !strings.Contains(s, "╭ lane B ─") || !strings.Contains(s, "words of lane two") || !strings.Contains(s, "back to the race") {
			t.Fatalf("lane B is not shown:\n%s", s)
		}
		r.do("N wait:1s")
		if s := r.screen(); !strings.Contains(s, "lane A of the race") || !strings.Contains(s, "hostone") || !strings.Contains(s, "words of lane one") {
			t.Errorf("lane A is not shown:\n%s", s)
		}
		r.press("esc")
		if r.shown() != screen.Race || !strings.Contains(r.screen(), "\u25b8A ") || !r.b.RaceView().Running {
			t.Errorf("esc shows %s:\n%s", r.shown(), r.screen())
		}
		r.b.RaceStop()
		r.drain()
	})
}

// TestRacePagesPairs pages through the pairs; what is looked at stays when a pair
// ends.
func TestRacePagesPairs(t *testing.T) {
	play(t, "race", 120, 40, Options{}, func(r *harness) {
		r.press("3", "space")
		raceOf(r)
		r.do("wait:1s left > 18–28 of 39")
		v := r.b.RaceView()
		v.Rounds = append(v.Rounds, v.Rounds[39])
		v.Rounds[40].N = 41
		r.b.SetRace(v, nil)
		r.do("wait:1s > 18–28 of 40")
		r.do("home > dropped")
		r.do("end > 30–40 of 40")
		r.b.RaceStop()
		r.drain()
	})
}

// TestARequestBesideARaceAsks: a request or auto on Live, and a load, would slow the
// lanes. They ask before they stop the race, and no leaves it alone.
func TestARequestBesideARaceAsks(t *testing.T) {
	for _, keys := range [][]string{{"1", "space"}, {"1", "a"}, {"2", "space"}} {
		play(t, "race", 120, 40, Options{}, func(r *harness) {
			r.press("3", "space")
			r.press(keys...)
			r.do("> would slow the lanes of the race")
			r.press("esc")
			if !r.b.RaceView().Running || len(r.b.Begun()) > 0 {
				t.Errorf("%v: no stops the race, or sends %d requests", keys, len(r.b.Begun()))
			}
			r.press(keys[1], "enter")
			r.drain()
			if r.b.RaceView().Running {
				t.Errorf("%v: yes does not stop the race", keys)
			}
		})
	}
}

// TestARaceAsksBeforeItStopsALoad: a load is lost when it stops.
func TestARaceAsksBeforeItStopsALoad(t *testing.T) {
	play(t, "race", 120, 40, Options{}, func(r *harness) {
		r.press("2", "space", "3", "space")
		if !strings.Contains(r.screen(), "A race stops the load") || r.b.RaceView().Running {
			t.Fatalf("no question:\n%s", r.screen())
		}
		r.do("enter drain")
		if !r.b.RaceView().Running {
			t.Errorf("yes does not begin:\n%s", r.screen())
		}
		r.b.RaceStop()
		r.drain()
	})
}
