package record_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/probe/record"
)

// steeredView is a load that was changed in place: its prompt, its model, its
// objectives, and the prompt back.
func steeredView() *loadstat.View {
	v := loadView([]slo.Objective{{Name: "ttft", Limit: 500}})
	first := loadstat.Setting{Work: v.Work, Endpoint: v.Endpoint, SLOs: v.SLOs, Drive: loadstat.Drive{Users: 8}}
	prompt := first
	prompt.Work.InputTokens, prompt.Input, prompt.SharedPrefix = 4000, metrics.Lengths{Low: 100, High: 900}, true
	model := prompt
	model.Endpoint.Model = "other"
	lax := model
	lax.SLOs = nil
	back := lax
	back.Work, back.Input, back.SharedPrefix = first.Work, first.Input, false
	v.Marks = []loadstat.Mark{
		{At: 11e9, Kind: loadstat.MarkWork, From: &first, To: &prompt},
		{At: 22e9, Kind: loadstat.MarkModel, From: &prompt, To: &model},
		{At: 33e9, Kind: loadstat.MarkObjectives, From: &model, To: &lax},
		{At: 44e9, Kind: loadstat.MarkWork, From: &lax, To: &back, Undo: true},
	}
	v.Setups = []loadstat.Setting{first}
	for _, s := range []*loadstat.Setting{&prompt, &model, &back} {
		v.Setup, v.Setups = loadstat.IndexOfWork(v.Setups, s)
	}
	return v
}

// The marks of a load come back from a session file as they were, and so do the
// works that its points belong to.
func TestMarksInASessionFile(t *testing.T) {
	f, err := record.Create(t.TempDir(), record.Options{Version: "v", Started: time.Unix(9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	v := steeredView()
	begin := *v
	begin.Marks = nil
	l := f.NewLoad()
	l.Begin(&begin)
	for i := range v.Marks {
		l.Mark(&v.Marks[i])
	}
	p := loadPoint(8, nil)
	p.Setup = 2
	l.Point(&p)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		validate(t, "session-v1", line)
	}
	rec, err := record.Read(bytes.NewReader(data))
	if err != nil || len(rec.Loads) != 1 || len(rec.Loads[0].Marks) != 4 {
		t.Fatalf("%d loads, %v", len(rec.Loads), err)
	}
	marks, setups := rec.Loads[0].Restore()
	if len(marks) != 4 || len(setups) != len(v.Setups) || len(setups) != 4 {
		t.Fatalf("%d marks, %d works of %d", len(marks), len(setups), len(v.Setups))
	}
	for i := range marks {
		have, want := &marks[i], &v.Marks[i]
		if have.At != want.At || have.Kind != want.Kind || have.Undo != want.Undo || loadstat.Difference(have.From, want.From) != "" || loadstat.Difference(have.To, want.To) != "" {
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

// A saved load has the points of its last work alone; those of the works before
// stand apart, with what they were measured with.
func TestDocumentOfASteeredLoad(t *testing.T) {
	v := steeredView()
	for setup, users := range []int{1, 2, 4, 8} {
		p := loadPoint(users, nil)
		p.Setup = setup
		v.Path = append(v.Path, p)
	}
	doc := record.LoadDocumentOf("v", time.Unix(9, 0), v, record.Sentences{Load: func(*loadstat.View) string { return "" }})
	var b bytes.Buffer
	if err := doc.Write(&b); err != nil {
		t.Fatal(err)
	}
	validate(t, "sweep-v1", b.Bytes())
	if len(doc.Points) != 1 || doc.Points[0].Users != 8 || doc.Points[0].Setup != 3 || len(doc.Marks) != 4 || !doc.Marks[3].Undo {
		t.Errorf("%d points, %d marks", len(doc.Points), len(doc.Marks))
	}
	if e := doc.Earlier; len(e) != 3 || e[1].Workload.InputTokens != 4000 || e[1].Input != "100..900" || e[2].Endpoint.Model != "other" || len(e[0].Points) != 1 || e[0].Points[0].Users != 1 {
		t.Errorf("earlier %+v", doc.Earlier)
	}
}

// The way of the slider comes back from a session file as it was: users, rate,
// Poisson, ramps, and an undo.
func TestDrivesInASessionFile(t *testing.T) {
	v := loadView(nil)
	drives := []loadstat.Drive{
		{Users: 8}, {Users: 64}, {Rate: 12, Poisson: true}, {Rate: 12.5}, {Rate: 1, To: 20, Within: 90 * time.Second},
		{Users: 10, To: 200, Within: time.Minute}, {Users: 37},
	}
	setting := func(d loadstat.Drive) *loadstat.Setting {
		return &loadstat.Setting{Work: v.Work, Endpoint: v.Endpoint, SLOs: v.SLOs, Drive: d}
	}
	f, err := record.Create(t.TempDir(), record.Options{Version: "v", Started: time.Unix(9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	l := f.NewLoad()
	l.Begin(v)
	for i := 1; i < len(drives); i++ {
		m := loadstat.Mark{At: metrics.Stamp(i) * 1e9, From: setting(drives[i-1]), To: setting(drives[i]), Undo: i == len(drives)-1}
		m.Kind = loadstat.Difference(m.From, m.To)
		l.Mark(&m)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		validate(t, "session-v1", line)
	}
	rec, err := record.Read(bytes.NewReader(data))
	if err != nil || len(rec.Loads) != 1 {
		t.Fatalf("%d loads, %v", len(rec.Loads), err)
	}
	marks, setups := rec.Loads[0].Restore()
	if len(marks) != len(drives)-1 || len(setups) != 1 {
		t.Fatalf("%d marks, %d works", len(marks), len(setups))
	}
	for i := range marks {
		if m := &marks[i]; m.From.Drive != drives[i] || m.To.Drive != drives[i+1] || m.Undo != (i == len(marks)-1) {
			t.Errorf("mark %d is from %+v to %+v, want %+v to %+v", i, m.From.Drive, m.To.Drive, drives[i], drives[i+1])
		}
	}
}
