package runner

import (
	"testing"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/explain"
)

// TestAComparisonFromTheStart: before any change of a knob the prediction
// stands beside that of one user, or of eight instead of one. From the first
// change on it stands beside the knobs before it.
func TestAComparisonFromTheStart(t *testing.T) {
	for users, other := range map[int]int{8: 1, 1: 8, 64: 1} {
		w := newWhatif(nil, func() {})
		k := explain.Default()
		k.Users, k.Prompt, k.Output = users, 32, 8
		w.want(k, serving.Knobs{}) // the first knobs replace none
		w.wg.Wait()
		p, q, unchanged, busy := w.look()
		testkit.That(t, !busy && unchanged && p.Knobs == k && q.Knobs.Users == other && q.TPOT.OK,
			"%d users: compared with %d, unchanged %v, busy %v, TPOT %+v", users, q.Knobs.Users, unchanged, busy, q.TPOT)
		to := k
		to.Precision = "q4"
		w.want(to, k)
		w.wg.Wait()
		if p, q, unchanged, _ = w.look(); unchanged || p.Knobs != to || q.Knobs != k {
			t.Errorf("%d users, after a change: compared with %+v, unchanged %v", users, q.Knobs, unchanged)
		}
		w.stop()
	}
}

// TestALessonComparesWithItself: on the tour the prediction stands beside that of the
// setting with which the lesson begins, whatever was shown before.
func TestALessonComparesWithItself(t *testing.T) {
	b := New(Options{})
	defer b.Wait()
	before := b.ExplainView().Knobs
	before.Model, before.Users = "llama-3.3-70b", 2
	testkit.OK(t, b.ExplainTurn(before))
	b.TourGo(9)
	own, _ := b.tour.Setting()
	for stage := range 3 {
		b.TourStage(stage)
		b.whatif.wg.Wait()
		v := b.ExplainView()
		if v.Present.Knobs != v.Knobs || v.Previous.Knobs.Model != own.Model || !v.Previous.TPOT.OK ||
			v.Unchanged != (timeless(v.Knobs) == timeless(own)) || !v.Unchanged && timeless(v.Previous.Knobs) != timeless(own) {
			t.Errorf("stage %d of\n%+v is compared with\n%+v, unchanged %v", stage, v.Knobs, v.Previous.Knobs, v.Unchanged)
		}
	}
}
