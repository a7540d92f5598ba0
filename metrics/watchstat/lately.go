package watchstat

import (
	"slices"
	"time"

	"tokscope/metrics/history"
)

// LatelyMost is how many of the newest entries of a series say how it is now.
const LatelyMost = 320

// Lately judges the newest entries of a series, ascending in time, as a watch does that
// has learned what is usual from the first of them. The state is Learning where there are
// too few, and before that where no Newest have followed.
func Lately(entries []history.Entry) View {
	n := good(entries)
	w := New(Plan{Every: DefaultEvery, Learn: min(max(n/3, DefaultLearn), latelyLearn), Targets: 1})
	for i := range entries {
		e := entries[i]
		figures, ok := e.Measured()
		if !ok && e.Failed == 0 && !e.Suspect {
			continue // stopped, without a token
		}
		e.Figures = figures
		w.Add(e)
	}
	v := w.View()
	if v.Rows[TTFT].Now.N < Newest && v.State == Usual {
		v.State = Learning
	}
	return v
}

// WithChange returns changes with that of v, where the last of them is not it: a change
// point of the store needs more time.
func (v *View) WithChange(changes []history.Change) []history.Change {
	if v.State != Changed || !v.Charted() {
		return changes
	}
	c, f := v.Change, v.Change.Head.ID()
	for i := range changes {
		if o := &changes[i]; o.Figure == f && !o.At.Before(c.Since.Add(-sameChange)) {
			return changes
		}
	}
	changes = append(slices.Clip(changes), c.Of(c.Head))
	slices.SortStableFunc(changes, func(a, b history.Change) int { return a.At.Compare(b.At) })
	return changes
}

// Of is what c says of one figure, as a change point.
func (c *Change) Of(f Figure) history.Change {
	r := &c.Rows[f]
	return history.Change{Figure: f.ID(), At: c.Since, Before: r.Base.V, After: r.Now.V,
		Ratio: r.Ratio, Low: r.Low, High: r.High, NBefore: r.Base.N, NAfter: r.Now.N}
}

// Charted reports whether the change of v is one of a figure that has change points.
func (v *View) Charted() bool { return v.Change.Head != Failures && v.Change.Head != Connect }

// sameChange is the time within which changes of a figure are one.
const sameChange = 30 * time.Minute

// latelyLearn bounds the baseline of Lately.
const latelyLearn = 100
