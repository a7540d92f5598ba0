package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// stageWithin limits how long a stage may take until it is measured. It is several
// times the duration of the slowest one on a busy machine.
const stageWithin = 90 * time.Second

// ErrNotMeasured reports that a stage of the tour was not measured in time.
var ErrNotMeasured = errors.New("a stage was not measured in time: end other programs, and start the tour again")

// toldMost limits a line of a lesson, in columns.
const toldMost = 400

// Tour runs the tour on b's engine and writes the lesson of that number, 0 for all in
// order, as lines. A lesson has its claim, the prediction and the measurement of each stage, and the
// verdict of the figures. Timeline and knobs do not fit into lines; Tour says
// that it omits them. It returns ctx's error when ctx ends, and ErrNotMeasured
// when a stage was not measured in time.
func Tour(ctx context.Context, b TourBackend, w io.Writer, lesson int) error {
	if err := b.ExplainOpen(); err != nil {
		return fmt.Errorf("the engine cannot be shown: %w", err)
	}
	defer b.ExplainClose()
	t := &guide{printer: printer{w: w}, back: b}
	t.printf("The tour as lines: each claim with its figures, predicted in virtual time and measured " +
		"on the running engine.\nThe timeline of its steps and the knobs need a screen: tokscope tour\n")
	first, last := 1, len(b.TourLessons())
	if lesson > 0 {
		first, last = lesson, lesson
	}
	failed := false
	for n := first; n <= last; n++ {
		if err := t.lesson(ctx, n); errors.Is(err, ErrNotMeasured) {
			failed = true
		} else if err != nil {
			return err
		}
	}
	return format.Either(failed, ErrNotMeasured, t.err)
}

// TourBackend is the measuring side as Tour and the Explain screen use it.
// All methods may be called at any time and return at once.
type TourBackend interface {
	// ExplainOpen streams the knobs' users through the embedded endpoint's
	// engine. ExplainClose ends their requests.
	ExplainOpen() error
	ExplainClose()
	// ExplainView is the engine now.
	ExplainView() serving.View
	// TourLessons are the titles, in order.
	TourLessons() []string
	// TourGo begins lesson n (from 1) with its first stage. TourStage shows
	// stage i of it.
	TourGo(n int)
	TourStage(i int)
}

// guide writes the tour.
type guide struct {
	printer
	back TourBackend
}

// lesson writes lesson n with all its stages.
func (t *guide) lesson(ctx context.Context, n int) error {
	t.back.TourGo(n)
	v, err := t.until(ctx, func(v *serving.TourView) bool { return v.On && v.Ready && v.Lesson.Number == n })
	if err != nil {
		return err
	}
	l := v.Lesson
	t.printf("\nlesson %d of %d: %s\nclaim: %s\n", n, v.Lessons,
		sanitize.Line(l.Title, toldMost), sanitize.Line(say.Lesson(l.Claim), toldMost))
	for _, s := range l.Text {
		t.printf("  %s\n", sanitize.Line(say.Lesson(s), toldMost))
	}
	for i := range l.Stages {
		if i > 0 {
			t.back.TourStage(i)
		}
		t.printf("stage %d of %d: %s\n", i+1, len(l.Stages), sanitize.Line(say.Lesson(l.Stages[i].Label), toldMost))
		if v, err = t.until(ctx, func(v *serving.TourView) bool { return v.Stage == i && v.Progress >= 1 }); err != nil {
			return err
		}
		t.figures(&v, i)
	}
	if v.Verdict == "" {
		if v, err = t.until(ctx, func(v *serving.TourView) bool { return v.Verdict != "" }); err != nil {
			return err
		}
	}
	holds := format.Either(v.Holds, "it holds", "the claim does not hold here")
	t.printf("verdict: %s: %s\n", holds, sanitize.Line(say.Lesson(v.Verdict), toldMost))
	return t.err
}

// figures writes the figures of stage i.
func (t *guide) figures(v *serving.TourView, i int) {
	for _, r := range v.Rows {
		t.printf("  %s: predicted %s, measured %s\n", sanitize.Line(r.Label, toldMost),
			figure(r.Predicted, i, r.Unit), figure(r.Measured, i, r.Unit))
	}
}

// figure writes value i with its unit, or the reason why it is unknown.
func figure(values []metrics.Value, i int, unit string) string {
	if i >= len(values) {
		return format.Unknown
	}
	return format.KnownOr(values[i], func(v float64) string {
		return format.Either(unit == "ms", format.Ms(v), strings.TrimSpace(format.Number(v)+" "+unit))
	})
}

// until waits until ok reports true for the tour.
func (t *guide) until(ctx context.Context, ok func(*serving.TourView) bool) (serving.TourView, error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	late := time.NewTimer(stageWithin)
	defer late.Stop()
	for {
		v := t.back.ExplainView()
		if why := say.Ending(v.Broken); why != "" {
			return v.Tour, fmt.Errorf("the engine does not run: %s", sanitize.Line(why, toldMost))
		}
		if ok(&v.Tour) {
			return v.Tour, t.err
		}
		select {
		case <-ctx.Done():
			return v.Tour, ctx.Err()
		case <-late.C:
			t.printf("  not measured within %v\n", stageWithin)
			return v.Tour, errors.Join(ErrNotMeasured, t.err)
		case <-tick.C:
		}
	}
}
