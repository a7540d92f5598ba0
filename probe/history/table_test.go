package history

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// A row keeps each of its values, known alone or unknown alone, however many
// figures there are.
func TestRowKeepsEachValue(t *testing.T) {
	const n = history.NumFigures + 2
	values := func(e *history.Entry) (list [n]*metrics.Value) {
		for i := range e.Figures {
			list[i] = &e.Figures[i]
		}
		list[n-2], list[n-1] = &e.Prompt, &e.Output
		return list
	}
	for one := range n {
		for _, known := range []bool{true, false} {
			var tab table
			tab.reset()
			e := history.Entry{ID: strings.Repeat("0a", 16), N: 3}
			for i, v := range values(&e) {
				*v = metrics.Unknown(metrics.WhyNoUse)
				if (history.Figure(i) == one) == known {
					*v = metrics.Known(float64(i+1), e.N)
				}
			}
			tab.add(&e)
			var got history.Entry
			tab.entry(0, &got)
			want := values(&e)
			for i, v := range values(&got) {
				testkit.That(t, *v == *want[i], "value %d alone known = %v: value %d is %+v, want %+v", one, known, i, *v, *want[i])
			}
		}
	}
}
