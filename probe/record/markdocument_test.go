package record_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/loadstat"
	"tokscope/probe/record"
)

// drivenView is a load whose users, rate, ramp and model were changed in place.
func drivenView() *loadstat.View {
	v := loadView(nil)
	v.Path = []loadstat.Point{loadPoint(8, nil)}
	now := loadstat.Setting{Work: v.Work, Endpoint: v.Endpoint, Drive: loadstat.Drive{Users: 8}}
	v.Setups = []loadstat.Setting{now}
	change := func(after time.Duration, f func(s *loadstat.Setting)) {
		from, to := now, now
		f(&to)
		v.Marks = append(v.Marks, loadstat.Mark{At: v.Began + metrics.Stamp(after), Kind: loadstat.Difference(&from, &to), From: &from, To: &to})
		now = to
	}
	change(11*time.Second, func(s *loadstat.Setting) { s.Drive = loadstat.Drive{Users: 64} })
	change(22*time.Second, func(s *loadstat.Setting) { s.Drive = loadstat.Drive{Rate: 12.5, Poisson: true} })
	change(33*time.Second, func(s *loadstat.Setting) { s.Endpoint.Model = "other" })
	change(44*time.Second, func(s *loadstat.Setting) { s.Drive = loadstat.Drive{Rate: 1, To: 20, Within: time.Minute} })
	v.Drive, v.Endpoint = now.Drive, now.Endpoint
	v.Setup, v.Setups = loadstat.IndexOfWork(v.Setups, &now)
	v.Path[0].Setup, v.MarksLeftOut = v.Setup, 3
	return v
}

// A saved load has each change with its time, of users and of the rate too, and a
// reader gets them back as they were.
func TestDrivesInASavedLoad(t *testing.T) {
	v := drivenView()
	doc := record.LoadDocumentOf("v", time.Unix(9, 0), v, record.Sentences{Load: func(*loadstat.View) string { return "" }})
	var b bytes.Buffer
	if err := doc.Write(&b); err != nil {
		t.Fatal(err)
	}
	validate(t, "sweep-v1", b.Bytes())
	s, err := record.ReadSample(bytes.NewReader(b.Bytes()), "saved.load.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Changes) != len(v.Marks) || len(doc.Marks) != len(v.Marks) || s.ChangesLeftOut != 3 {
		t.Fatalf("%d of %d marks in the document, %d read, %d left out", len(doc.Marks), len(v.Marks), len(s.Changes), s.ChangesLeftOut)
	}
	for i := range v.Marks {
		have, want := &s.Changes[i], &v.Marks[i]
		if have.Kind != want.Kind || have.At != want.At-v.Began || !loadstat.SameDrive(have.From, want.From) && want.Kind != loadstat.MarkModel ||
			have.To.Endpoint.Model != want.To.Endpoint.Model && want.Kind == loadstat.MarkModel || have.To.Drive != want.To.Drive && want.Kind != loadstat.MarkModel {
			t.Errorf("mark %d: %s at %v from %+v to %+v, was %s at %v from %+v to %+v", i, have.Kind, have.At, have.From.Drive, have.To.Drive, want.Kind, want.At-v.Began, want.From.Drive, want.To.Drive)
		}
	}

	b.Reset()
	if err := (record.Sentences{Compare: func(*comparison.Comparison) string { return "" }}).WriteComparison(&b, comparison.Compare(s, s, nil), "v"); err != nil {
		t.Fatal(err)
	}
	validate(t, "compare-v1", b.Bytes())
	var compared record.Comparison
	if err := json.Unmarshal(b.Bytes(), &compared); err != nil {
		t.Fatal(err)
	}
	if m := compared.A.Marks; len(m) != 4 || m[1].What != "rate" || *m[1].After != 22 || *m[1].To.Drive.Rate != 12.5 || compared.B.MarksLeftOut != 3 {
		t.Errorf("a comparison has the marks %+v", m)
	}
}

// Documents of earlier versions are read: those without the time since the begin,
// and without the marks of users and rate.
func TestSavedLoadOfAnEarlierVersion(t *testing.T) {
	doc := record.LoadDocumentOf("v", time.Unix(9, 0), drivenView(), record.Sentences{Load: func(*loadstat.View) string { return "" }})
	doc.MarksLeftOut = 0
	doc.Marks = slices.DeleteFunc(doc.Marks, func(c record.SweepChange) bool { return c.What != "model" })
	doc.Marks[0].After = nil
	for _, marks := range [][]record.SweepChange{doc.Marks, nil} {
		doc.Marks = marks
		var b bytes.Buffer
		if err := doc.Write(&b); err != nil {
			t.Fatal(err)
		}
		validate(t, "sweep-v1", b.Bytes())
		s, err := record.ReadSample(bytes.NewReader(b.Bytes()), "earlier")
		if err != nil || len(s.Groups) != 1 || len(s.Changes) != len(marks) {
			t.Fatalf("%d groups, %d changes: %v", len(s.Groups), len(s.Changes), err)
		}
		if len(marks) > 0 && (s.Changes[0].Kind != loadstat.MarkModel || s.Changes[0].At.Known()) {
			t.Errorf("the change is %+v", s.Changes[0])
		}
	}
}
