package history

import (
	"testing"
	"time"

	"tokscope/metrics"
)

// TestFailureIsOfTheSeriesThatMissesIt: a request that failed before its model was found
// is one of the series that the endpoint has, whether this process or another measured it.
func TestFailureIsOfTheSeriesThatMissesIt(t *testing.T) {
	good := sample(0, t0, "groq", 250)
	failed := sample(1, t0.Add(time.Minute), "groq", 0)
	failed.State, failed.Failed, failed.Fault = metrics.Failed, 1, metrics.FaultHTTP
	failed.Series.Model, failed.Series.Proto = "", ""
	for name, before := range map[string]func(w *Writer){
		"this process": func(w *Writer) { e := good; w.complete(&e) },
		"another":      func(w *Writer) { add(t, w.store, good) },
	} {
		w := NewWriter(opened(t, t0), Source{})
		before(w)
		e := failed
		if w.complete(&e); e.Series != good.Series {
			t.Errorf("%s: a failure is of %+v", name, e.Series)
		}
		other := failed
		other.Series.Workload = "1k in"
		if w.complete(&other); other.Series.Model != "" {
			t.Errorf("%s: another workload is of %+v", name, other.Series)
		}
	}
}
