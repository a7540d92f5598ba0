package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/ui/screen"
	"tokscope/ui/screen/race"
	"tokscope/ui/uitest"
)

// playRace is play with a backend that can race.
func playRace(t *testing.T, w, h int, o Options, f func(*harness, *uitest.RaceBackend)) {
	t.Helper()
	playOn(t, w, h, o, func() (*uitest.RaceBackend, *uitest.Backend) { b := uitest.NewRace(); return b, b.Backend }, f)
}

// TestRaceByKeys races by keys: 3 shows the screen with contestants of the embedded
// endpoint, space begins, pauses and goes on, x stops. At the end the terminal is
// notified, and the summary has the verdicts.
func TestRaceByKeys(t *testing.T) {
	playRace(t, 120, 40, Options{}, func(r *harness, b *uitest.RaceBackend) {
		r.press("3")
		if r.shown() != screen.Race || len(b.RaceNames()) != 2 || !strings.Contains(r.screen(), "Press space to race") {
			t.Fatalf("screen %s, contestants %v\n%s", r.shown(), b.RaceNames(), r.screen())
		}
		r.press("space")
		if plans := b.RacePlans(); len(plans) != 1 || plans[0].Work.MaxTokens != 40 || plans[0].Bounds != racestat.DefaultBounds {
			t.Fatalf("plans %+v", plans)
		}
		r.press("space")
		if !b.RaceView().Holding || !strings.Contains(r.screen(), "paused") {
			t.Error("space does not pause")
		}
		r.press("space", "1")
		if b.RaceView().Holding || r.shown() != screen.Live {
			t.Error("space does not go on, or 1 does not show Live")
		}
		r.wait(time.Second)
		if !strings.Contains(r.screen(), "race, 0 pairs") {
			t.Errorf("the header of Live does not name the race:\n%s", r.screen())
		}
		r.press("3")
		v := b.RaceView()
		v.Running, v.Ended = false, racestat.EndPairs
		b.SetRace(v, nil)
		r.drain()
		if !slices.Contains(r.effects, "tea.RawMsg") || !strings.Contains(r.screen(), "the race has ended") {
			t.Errorf("no notice of the end: %v\n%s", r.effects, r.screen())
		}
		if s := r.m.Summary(); !strings.Contains(s, "failures") && !strings.Contains(s, "No pair was finished.") {
			t.Errorf("summary:\n%s", s)
		}
		before := len(r.effects)
		r.press("space", "x")
		r.drain()
		if b.RaceView().Ended != racestat.EndStopped || slices.Contains(r.effects[before:], "tea.RawMsg") {
			t.Error("x does not stop, or a stop notifies the terminal")
		}
	})
}

// TestRaceBeginsAtOnce checks that the program that was started to race does so.
func TestRaceBeginsAtOnce(t *testing.T) {
	plan := racestat.Plan{Work: metrics.Workload{Name: "mine", Prompt: "x", MaxTokens: 9}, Bounds: racestat.Bounds{Pairs: 4}}
	o := Options{Start: true, First: screen.Race, Screens: screen.Options{Race: plan}}
	playOn(t, 80, 24, o, func() (*uitest.RaceBackend, *uitest.Backend) {
		b := uitest.NewRace()
		_ = b.RaceSet([]string{"a", "b"})
		return b, b.Backend
	}, func(r *harness, b *uitest.RaceBackend) {
		if plans := b.RacePlans(); len(plans) != 1 || plans[0].Bounds.Pairs != 4 || r.shown() != screen.Race {
			t.Errorf("plans %+v on %s", plans, r.shown())
		}
		b.RaceStop()
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
