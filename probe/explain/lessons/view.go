package lessons

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// View returns the current view of the tour. It is immutable, and rebuilt
// only after a change.
func (t *Tour) View() serving.TourView {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.view == nil {
		v := t.draw()
		t.view = &v
	}
	return *t.view
}

// draw builds the view: t.mu is held.
func (t *Tour) draw() serving.TourView {
	v := serving.TourView{On: t.on, Lessons: len(lessons), Stage: t.stage, Seen: append([]bool(nil), t.seen...)}
	s := t.show
	if s == nil {
		return v
	}
	v.Ready, v.Lesson, v.Progress = s.predicted != nil, s.shown, s.progress
	for i := range s.rows {
		v.Rows = append(v.Rows, s.row(i))
	}
	for _, o := range s.got[:t.stage] {
		if o == nil {
			v.Missed++
		}
	}
	if v.Ready {
		v.Verdict, v.Holds = s.judge(s.got)
		if v.Verdict != "" && s.late() {
			v.Verdict += " (this machine could not keep up)"
		}
	}
	for _, p := range s.curve {
		for _, o := range s.got {
			if o != nil && o.Config.Knobs.Users == p.Users {
				p = point(o, true)
			}
		}
		v.Curve = append(v.Curve, p)
	}
	return v
}

// Below a share lateBelow of the time in the engine, this machine delays the
// users. With fewer than lateUsers users the share is too inaccurate.
const (
	lateBelow = 0.75
	lateUsers = 8
)

// late reports whether the users of a stage lost time outside of the engine.
// Its figures are then those of fewer users.
func (s *show) late() bool {
	return slices.ContainsFunc(s.got, func(o *explain.Outcome) bool {
		return o != nil && o.Config.Knobs.Users >= lateUsers && o.Measured.Present.OK && o.Measured.Present.V < lateBelow
	})
}

func (s *show) row(i int) serving.LessonRow {
	r := &s.rows[i]
	out := serving.LessonRow{Label: r.label, Unit: r.unit}
	for j := range s.stages {
		p, m := metrics.Unknown(metrics.WhyComputing), metrics.Unknown(metrics.WhyStageNotRun)
		if s.predicted != nil {
			p = r.of(s.predicted[j])
		}
		if o := s.live[j]; o != nil {
			m = r.of(o)
		}
		out.Predicted, out.Measured = append(out.Predicted, p), append(out.Measured, m)
	}
	return out
}

// begin returns the lesson to show before its figures are computed.
func (s *show) begin(number int) {
	s.shown = serving.Lesson{Number: number, Title: s.title, Focus: s.focus, Knobs: s.knobs}
	for i := range s.stages {
		s.shown.Stages = append(s.shown.Stages, serving.LessonStage{Knobs: s.stageKnobs(i)})
	}
}

// write fills the texts with the computed figures, in a new value because
// views share the old one.
func (s *show) write(number int) {
	s.begin(number)
	l := &s.shown
	fill := func(template string, stage int) string {
		text, _ := s.fill(template, stage, s.predicted)
		return text
	}
	l.Claim, l.Try = fill(s.claim, 0), fill(s.try, 0)
	for _, line := range s.text {
		l.Text = append(l.Text, fill(line, 0))
	}
	for i := range s.stages {
		l.Stages[i].Label = fill(s.stages[i].label, i)
		if i > 0 {
			l.Stages[i].Turn = fill(s.stages[i].turn, i)
		}
	}
}
