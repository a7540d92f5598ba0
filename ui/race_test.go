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
		if got := last(r.b.plans); got.Bounds.Pairs != 4 {
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
	if len(inner) > len(text)-10 || strings.ContainsAny(inner, "\x1b\a") ||
		!strings.Contains(inner, "failed in every round") {
		t.Errorf("%q", text)
	}
}
