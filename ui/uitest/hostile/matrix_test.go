package hostile

import (
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tokscope/probe/probetest"
)

// leastRows is the number of rows of the table: no row may get lost.
const leastRows = 356

// again is a row in one format whose heap is to be looked at alone.
type again struct {
	row  *row
	name string
}

// TestMatrix runs every row in text, JSON and NDJSON. Rows with a bound of their
// own for the heap and those with the one proxy run one after the other, the
// others beside each other. What all allocate meanwhile is no less than what one
// does, so only a row that passes its bound then is run once more, alone. Short
// mode runs a third of the rows of each group, each in one format.
func TestMatrix(t *testing.T) {
	before := goleak.IgnoreCurrent()
	var mu sync.Mutex
	var alone []again
	t.Cleanup(func() { // when all rows have ended
		for _, a := range alone {
			for _, w := range a.row.runAlone(t, a.name, formats[a.name]) {
				t.Errorf("%s, alone: %s", a.row.name, w)
			}
		}
		if err := goleak.Find(before); err != nil {
			t.Error(err)
		}
	})
	seen := map[string]bool{}
	for _, g := range table {
		for i := range g.rows {
			r := &g.rows[i]
			title := g.name + "/" + r.name
			if seen[title] {
				t.Errorf("two rows are named %s", title)
			}
			seen[title] = true
			t.Run(title, func(t *testing.T) {
				if r.heap > 0 {
					probetest.TakesTime(t, "a server that sends without an end")
				}
				if i%3 != 0 {
					probetest.TakesTime(t, "200 rows; a third of each group runs")
				}
				together := r.heap == 0 && !r.proxied
				if together {
					t.Parallel()
				}
				names := []string{"text", "json", "ndjson"}
				if testing.Short() { // the formats take turns
					names = names[i/3%3:][:1]
				}
				for _, name := range names {
					wrong, grew := r.run(t, name, formats[name])
					if s := r.tooLarge(name, grew); s != "" && together {
						mu.Lock()
						alone = append(alone, again{r, name})
						mu.Unlock()
					} else if s != "" {
						wrong = append(wrong, s)
					}
					for _, w := range wrong {
						t.Error(w)
					}
				}
			})
		}
	}
	if len(seen) < leastRows {
		t.Errorf("the table has %d rows, less than %d", len(seen), leastRows)
	}
}
