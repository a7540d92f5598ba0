package session_test

import (
	"bytes"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// steeredView is a load that was changed in place: its prompt, its model, its
// objectives, its users and rate, and the prompt back.
func steeredView() *loadstat.View {
	v := loadView([]slo.Objective{{Name: "ttft", Limit: 500}})
	now := loadstat.Setting{Work: v.Work, Endpoint: v.Endpoint, SLOs: v.SLOs, Drive: loadstat.Drive{Users: 8}}
	first := now
	v.Setups = []loadstat.Setting{now}
	change := func(undo bool, f func(s *loadstat.Setting)) {
		from, to := now, now
		f(&to)
		at := metrics.Stamp(len(v.Marks)+1) * 11e9
		v.Marks = append(v.Marks, loadstat.Mark{At: at, Kind: loadstat.Difference(&from, &to), From: &from, To: &to,
			Undo: undo})
		v.Setup, v.Setups = loadstat.IndexOfWork(v.Setups, &to)
		now = to
	}
	change(false, func(s *loadstat.Setting) {
		s.Work.InputTokens, s.Input, s.SharedPrefix = 4000, metrics.Lengths{Low: 100, High: 900}, true
	})
	change(false, func(s *loadstat.Setting) { s.Endpoint.Model = "other" })
	change(false, func(s *loadstat.Setting) { s.SLOs = nil })
	for _, d := range []loadstat.Drive{
		{Users: 64}, {Rate: 12, Poisson: true}, {Rate: 12.5}, {Rate: 1, To: 20, Within: 90 * time.Second},
		{Users: 10, To: 200, Within: time.Minute}, {Users: 37},
	} {
		change(false, func(s *loadstat.Setting) { s.Drive = d })
	}
	change(true, func(s *loadstat.Setting) { s.Work, s.Input, s.SharedPrefix = first.Work, first.Input, false })
	v.Drive, v.Endpoint = now.Drive, now.Endpoint
	return v
}

// The marks of a load come back from a session file as they were, and so do the
// works that its points belong to.
func TestMarksInASessionFile(t *testing.T) {
	f := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "v", Started: time.Unix(9, 0)}))(t)
	v := steeredView()
	begin := loadView(v.Setups[0].SLOs)
	l := f.NewLoad()
	l.Begin(begin)
	for i := range v.Marks {
		l.Mark(&v.Marks[i])
	}
	l.Point(&loadstat.Point{Setup: 2})
	testkit.OK(t, f.Close())
	data := read(t, f.Path())
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		validate(t, "session-v1", line)
	}
	rec, err := session.Read(bytes.NewReader(data))
	testkit.Given(t, err == nil && len(rec.Loads) == 1, "%d loads, %v", len(rec.Loads), err)
	have := rec.Loads[0].View()
	marks, setups := have.Marks, have.Setups
	testkit.Given(t, len(marks) == len(v.Marks) && len(setups) == len(v.Setups),
		"%d marks of %d, %d works of %d", len(marks), len(v.Marks), len(setups), len(v.Setups))
	for i := range marks {
		have, want := &marks[i], &v.Marks[i]
		if have.At != want.At || have.Kind != want.Kind || have.Undo != want.Undo || have.From.Drive != want.From.Drive ||
			have.To.Drive != want.To.Drive || loadstat.Difference(have.From, want.From) != "" || loadstat.Difference(have.To,
			want.To) != "" {
			t.Errorf("mark %d is %+v, was %+v", i, have, want)
		}
	}
	for i := range setups {
		if !loadstat.SameWork(&setups[i], &v.Setups[i]) {
			t.Errorf("work %d is %+v", i, setups[i])
		}
	}
	if have, err := rec.Loads[0].Points[0].Measured(); err != nil || have.Setup != 2 {
		t.Errorf("the point is of work %d, %v", have.Setup, err)
	}
}

// savedSample is the sample of a saved load, whose document fits its schema.
func savedSample(t *testing.T, doc *result.Sweep) *comparison.Sample {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, result.Sentences(nil).WriteDocument(&b, doc))
	validate(t, "sweep-v1", b.Bytes())
	s := testkit.Must(session.ReadSample(bytes.NewReader(b.Bytes()), "saved.load.json"))(t)
	return s
}

// A saved load has the points of its last work alone; those of the works before
// stand apart, with what they were measured with. Its changes have their times, and
// a reader gets them back.
func TestDocumentOfASteeredLoad(t *testing.T) {
	v := steeredView()
	v.MarksLeftOut = 3
	for setup := range v.Setups {
		v.Path = append(v.Path, loadstat.Point{Setup: setup, Users: setup + 1, Requests: 1})
	}
	doc := result.LoadDocumentOf("v", time.Unix(9, 0), v, nil)
	s := savedSample(t, &doc)
	last := len(v.Setups) - 1
	if len(doc.Points) != 1 || doc.Points[0].Users != last+1 || doc.Points[0].Setup != last ||
		!doc.Marks[len(doc.Marks)-1].Undo {
		t.Errorf("%d points, %d marks", len(doc.Points), len(doc.Marks))
	}
	if e := doc.Earlier; len(e) != last || e[1].Workload.InputTokens != 4000 || e[1].Input != "100..900" ||
		e[2].Endpoint.Model != "other" || len(e[0].Points) != 1 || e[0].Points[0].Users != 1 {
		t.Errorf("earlier %+v", doc.Earlier)
	}
	testkit.Given(t, len(s.Changes) == len(v.Marks) && s.ChangesLeftOut == 3,
		"of %d marks %d read, %d left out", len(v.Marks), len(s.Changes), s.ChangesLeftOut)
	for i := range v.Marks {
		have, want := &s.Changes[i], &v.Marks[i]
		if have.Kind != want.Kind || have.At != want.At-v.Began || have.To.Endpoint.Model != want.To.Endpoint.Model &&
			want.Kind == loadstat.MarkModel ||
			have.To.Drive != want.To.Drive && !loadstat.SameDrive(want.From, want.To) {
			t.Errorf("mark %d: %s at %v to %+v, was %s at %v to %+v", i, have.Kind, have.At, have.To, want.Kind,
				want.At-v.Began, want.To)
		}
	}
	c := result.ComparisonOf(comparison.Compare(s, s, nil), "v", nil)
	if m := c.A.Marks; len(m) != len(v.Marks) || m[4].What != "rate" || *m[4].After != 54 || m[4].To.Drive.Rate != 12 ||
		c.B.ChangesLeftOut != 3 {
		t.Errorf("a comparison has the marks %+v", m)
	}
}
