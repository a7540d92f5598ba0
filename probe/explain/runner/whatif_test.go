package runner

import (
	"testing"

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
		w.want(k, true) // the first knobs replace none
		w.wg.Wait()
		p, q, unchanged, busy := w.look()
		if busy || !unchanged || p.Knobs != k || q.Knobs.Users != other || !q.TPOT.OK {
			t.Errorf("%d users: compared with %d, unchanged %v, busy %v, TPOT %+v", users, q.Knobs.Users, unchanged, busy, q.TPOT)
		}
		to := k
		to.Precision = "q4"
		w.want(to, true)
		w.wg.Wait()
		if p, q, unchanged, _ = w.look(); unchanged || p.Knobs != to || q.Knobs != k {
			t.Errorf("%d users, after a change: compared with %+v, unchanged %v", users, q.Knobs, unchanged)
		}
		w.stop()
	}
}
