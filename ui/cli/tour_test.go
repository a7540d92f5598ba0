package cli

import (
	"bytes"
	"context"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
)

var lessons = []serving.LessonHeading{{Key: "two-phases", Title: "Two phases", Claim: "It is read, then written."},
	{Key: "seesaw", Title: "The seesaw", Claim: "More aggregate, less for \x1b[2Jeach."}}

func TestLessonNumber(t *testing.T) {
	for _, c := range []struct {
		flag string
		want int
		code int
	}{
		{"", 0, ExitOK}, {"1", 1, ExitOK}, {"2", 2, ExitOK}, {"seesaw", 2, ExitOK}, {"Two-Phases", 1, ExitOK},
		{"0", 0, ExitUsage}, {"3", 0, ExitUsage}, {"-1", 0, ExitUsage}, {"see", 0, ExitUsage}, {"1.5", 0, ExitUsage},
	} {
		got, err := LessonNumber(c.flag, lessons)
		testkit.That(t, got == c.want && CodeOf(err) == c.code,
			"--lesson %q: %d with code %d (%v), want %d with %d", c.flag, got, CodeOf(err), err, c.want, c.code)
	}
}

func TestPrintLessons(t *testing.T) {
	var b bytes.Buffer
	testkit.OK(t, PrintLessons(&b, lessons))
	want := " 1  two-phases  Two phases: It is read, then written.\n 2  seesaw      The seesaw: More aggregate, less " +
		"for ␛[2Jeach.\n"
	testkit.Is(t, b.String(), want, "printed")
}

// The tour is that of the embedded engine, whatever endpoint is set up.
func TestTourCommand(t *testing.T) {
	var got *Live
	a := Actions{Lessons: lessons, Live: func(_ context.Context, o *Live) error { got = o; return nil }}
	testkit.OK(t, execute(t, a, "tour", "--lesson", "seesaw", "--theme", "paper", "--plain"))
	testkit.That(t, got.Tour && got.Lesson == 2 && got.Target == "demo", "got %+v", got)
	set := got.Changed()
	testkit.That(t, set["theme"] == "paper" && set["plain"] == "true", "the screen's flags are %v", set)
	for _, args := range [][]string{{"tour", "groq"}, {"tour", "--model", "x"}, {"tour", "--lesson", "12"}} {
		err := execute(t, a, args...)
		testkit.That(t, err != nil, "%q was taken", args)
	}
}
