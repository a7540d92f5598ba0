package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/ui"
	"tokscope/ui/sanitize"
)

// TourOptions chooses the lessons.
type TourOptions struct {
	// Lesson is the number of the only lesson to write; 0 writes all in order.
	Lesson int
	// Every is the polling interval of the engine; 0 is 100 ms.
	Every time.Duration
	// Within limits how long a stage may take until it is measured; 0 is 90 s.
	Within time.Duration
}

// stageWithin is several times the duration of the slowest stage on a busy
// machine.
const stageWithin = 90 * time.Second

// toldMost limits a line of a lesson, in columns.
const toldMost = 400

// Tour runs the tour on b's engine and writes each lesson as lines: the claim,
// for every stage of the knobs what the model predicts and what was measured,
// and what the figures show. What cannot be told in lines, the timeline and the
// knobs, is left out and said so. It returns ctx's error when that ends, and
// ErrFailed when a stage was not measured in time.
func Tour(ctx context.Context, b ui.ExplainBackend, w io.Writer, o TourOptions) error {
	if o.Every <= 0 {
		o.Every = lookEvery
	}
	if o.Within <= 0 {
		o.Within = stageWithin
	}
	if err := b.ExplainOpen(); err != nil {
		return fmt.Errorf("the engine cannot be laid open: %w", err)
	}
	defer b.ExplainClose()
	t := &guide{printer: printer{w: w}, back: b, o: o}
	t.printf("The tour as lines: each claim with its figures, predicted in virtual time and measured on the running engine.\nThe timeline of its steps and the knobs need a screen: tokscope tour\n")
	first, last := 1, len(b.TourLessons())
	if o.Lesson > 0 {
		first, last = o.Lesson, o.Lesson
	}
	failed := false
	for n := first; n <= last; n++ {
		if err := t.lesson(ctx, n); errors.Is(err, ErrFailed) {
			failed = true
		} else if err != nil {
			return err
		}
	}
	if failed {
		return ErrFailed
	}
	return t.err
}

// guide tells the tour.
type guide struct {
	printer
	back ui.ExplainBackend
	o    TourOptions
}

// lesson tells lesson n through all its stages.
func (t *guide) lesson(ctx context.Context, n int) error {
	t.back.TourGo(n)
	v, err := t.until(ctx, func(v *metrics.TourView) bool { return v.On && v.Ready && v.Lesson.Number == n })
	if err != nil {
		return err
	}
	l := v.Lesson
	t.printf("\nlesson %d of %d: %s\nclaim: %s\n", n, v.Lessons, sanitize.Line(l.Title, toldMost), sanitize.Line(l.Claim, toldMost))
	for _, s := range l.Text {
		t.printf("  %s\n", sanitize.Line(s, toldMost))
	}
	for i := range l.Stages {
		if i > 0 {
			t.back.TourStage(i)
		}
		t.printf("stage %d of %d: %s\n", i+1, len(l.Stages), sanitize.Line(l.Stages[i].Label, toldMost))
		if v, err = t.until(ctx, func(v *metrics.TourView) bool { return v.Stage == i && v.Progress >= 1 }); err != nil {
			return err
		}
		t.figures(&v, i)
	}
	if v.Verdict == "" {
		if v, err = t.until(ctx, func(v *metrics.TourView) bool { return v.Verdict != "" }); err != nil {
			return err
		}
	}
	holds := "it does not hold here"
	if v.Holds {
		holds = "it holds"
	}
	t.printf("verdict: %s: %s\n", holds, sanitize.Line(v.Verdict, toldMost))
	return t.err
}

// figures writes those of stage i.
func (t *guide) figures(v *metrics.TourView, i int) {
	for _, r := range v.Rows {
		t.printf("  %s: predicted %s, measured %s\n", sanitize.Line(r.Label, toldMost), figure(r.Predicted, i, r.Unit), figure(r.Measured, i, r.Unit))
	}
}

// figure writes value i with its unit, or that it is unknown and why.
func figure(values []metrics.Value, i int, unit string) string {
	if i >= len(values) {
		return "–"
	}
	v := values[i]
	if !v.OK {
		return strings.TrimSpace("– " + bracketed(sanitize.Line(v.Why, toldMost)))
	}
	digits := 0
	if v.V < 9.95 {
		digits = 2
	} else if v.V < 99.5 {
		digits = 1
	}
	return strings.TrimSpace(strconv.FormatFloat(v.V, 'f', digits, 64) + " " + unit)
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// until waits for the tour to be as ok says.
func (t *guide) until(ctx context.Context, ok func(*metrics.TourView) bool) (metrics.TourView, error) {
	tick := time.NewTicker(t.o.Every)
	defer tick.Stop()
	late := time.NewTimer(t.o.Within)
	defer late.Stop()
	for {
		v := t.back.ExplainView()
		if v.Broken != "" {
			return v.Tour, fmt.Errorf("the engine does not run: %s", sanitize.Line(v.Broken, toldMost))
		}
		if ok(&v.Tour) {
			return v.Tour, t.err
		}
		select {
		case <-ctx.Done():
			return v.Tour, ctx.Err()
		case <-late.C:
			t.printf("  not measured within %v\n", t.o.Within)
			return v.Tour, errors.Join(ErrFailed, t.err)
		case <-tick.C:
		}
	}
}
