package loadgen

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// notebook keeps the marks of a journal.
type notebook struct {
	mu    sync.Mutex
	marks []loadstat.Mark
	ended bool
}

func (n *notebook) Point(*loadstat.Point)                     {}
func (n *notebook) Objectives(metrics.Stamp, []slo.Objective) {}

func (n *notebook) Mark(m *loadstat.Mark) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.marks = append(n.marks, *m)
}

func (n *notebook) End(*loadstat.View) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
}

// has returns the kinds of the marks so far.
func (n *notebook) has() (kinds []loadstat.MarkKind) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range n.marks {
		kinds = append(kinds, n.marks[i].Kind)
	}
	return kinds
}

// The journal has each change of users, rate and ramp, in the order of the marks
// on the screen, and a drag of the slider once.
func TestJournalHasTheWayOfTheSlider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notebook{}
		s := steer(Config{Work: workNo(1, 10), Shape: Shape{Drive: loadstat.Drive{Users: 2}},
			Journal: func(*loadstat.View) Entries { return n }})
		time.Sleep(2 * time.Second)
		for users := 3; users <= 9; users++ {
			s.l.Resize(users)
			time.Sleep(100 * time.Millisecond)
		}
		if kinds := n.has(); len(kinds) != 0 {
			t.Errorf("while the slider is dragged the journal has %v", kinds)
		}
		time.Sleep(2 * time.Second)
		if kinds := n.has(); len(kinds) != 1 || n.marks[0].From.Users != 2 || n.marks[0].To.Users != 9 {
			t.Errorf("once it rests the journal has %+v", n.marks)
		}
		s.l.Resize(12)
		time.Sleep(100 * time.Millisecond)
		s.l.Resize(9) // and back: no mark
		time.Sleep(2 * time.Second)
		s.l.SetDrive(loadstat.Drive{Rate: 5, Poisson: true})
		s.l.SetSLOs([]slo.Objective{{Name: "ttft", Limit: 50}}) // ends the wait of the mark before
		time.Sleep(2 * time.Second)
		s.l.SetDrive(loadstat.Drive{Users: 1, To: 8, Within: 4 * time.Second})
		time.Sleep(2 * time.Second)
		s.l.Undo(false)
		time.Sleep(100 * time.Millisecond)
		s.l.Resize(3) // the load ends before the slider rests
		v := s.end()
		testkit.That(t, n.ended, "the journal has no end")
		sameMarks(t, n.marks, v.Marks)
		want := []loadstat.MarkKind{loadstat.MarkUsers, loadstat.MarkRate, loadstat.MarkObjectives, loadstat.MarkRate,
			loadstat.MarkRate, loadstat.MarkRate}
		for i, k := range n.has() {
			if i >= len(want) || k != want[i] {
				t.Fatalf("marks %v, want %v", n.has(), want)
			}
		}
		d := n.marks[3].To.Drive
		testkit.That(t, d.Ramps() && d.Users == 1 && d.To == 8, "the mark of the ramp has %+v", d)
	})
}

// sameMarks compares the marks of a journal with those of a view.
func sameMarks(t *testing.T, have, want []loadstat.Mark) {
	t.Helper()
	testkit.Need(t, len(have), len(want), "marks in the journal")
	for i := range have {
		a, b := &have[i], &want[i]
		if a.At != b.At || a.Kind != b.Kind || a.Undo != b.Undo || loadstat.Difference(a.From,
			b.From)+loadstat.Difference(a.To, b.To) != "" {
			t.Fatalf("mark %d of the journal is %+v, in the view %+v", i, a, b)
		}
	}
}

// Whatever a person does and how fast, the journal has the marks of the view, in
// their order, each once.
func TestJournalHasTheMarksOfTheView(t *testing.T) {
	probetest.TakesTime(t, "minutes of virtual time")
	rng := testkit.Rand(t, 3)
	marks := 0
	for range 40 {
		synctest.Test(t, func(t *testing.T) {
			n := &notebook{}
			s := steer(Config{Work: workNo(1, 10), Shape: Shape{Drive: loadstat.Drive{Users: 2}},
				Journal: func(*loadstat.View) Entries { return n }})
			for range 20 {
				time.Sleep(time.Duration(rng.IntN(1_500_000)) * time.Microsecond)
				switch rng.IntN(6) {
				case 0, 1:
					s.l.Resize(1 + rng.IntN(4))
				case 2:
					s.l.SetDrive(loadstat.Drive{Rate: float64(1 + rng.IntN(3))})
				case 3:
					s.l.SetDrive(loadstat.Drive{Users: 1 + rng.IntN(4), To: float64(5 + rng.IntN(4)), Within: 3 * time.Second})
				case 4:
					w := workNo(1+rng.IntN(3), 10)
					s.l.Steer(func(c *Config) { c.Work = w })
				case 5:
					s.l.Undo(false)
				}
			}
			v := s.end()
			sameMarks(t, n.marks, v.Marks)
			marks += len(n.marks)
		})
	}
	testkit.That(t, marks >= 300, "only %d marks were compared", marks)
}

// Of very many changes the view has the last ones, and counts those before.
func TestViewCountsTheChangesThatItNoLongerHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := steer(Config{Work: workNo(1, 10), Shape: Shape{Drive: loadstat.Drive{Users: 2}}})
		for i := range marksKept + 9 {
			s.l.SetSLOs([]slo.Objective{{Name: "ttft", Limit: float64(50 + i)}})
		}
		time.Sleep(time.Second)
		v := s.end()
		if len(v.Marks) != marksKept || v.MarksLeftOut != 9 || v.Marks[0].To.SLOs[0].Limit != 59 {
			t.Errorf("%d marks, %d left out, the first to %+v", len(v.Marks), v.MarksLeftOut, v.Marks[0].To.SLOs)
		}
	})
}
