package report

import (
	"testing"

	"tokscope/metrics"
)

func TestBars(t *testing.T) {
	for _, x := range []struct {
		v     metrics.Value
		ascii bool
		want  string
	}{
		{metrics.Known(100, 1), false, "██████"},
		{metrics.Known(50, 1), false, "███"},
		{metrics.Known(1, 1), false, "▏"},
		{metrics.Known(0.001, 1), false, "▏"},
		{metrics.Known(0, 1), false, ""},
		{metrics.Unknown(metrics.WhyNoCount), false, ""},
		{metrics.Known(200, 1), false, "██████"},
		{metrics.Known(50, 1), true, "###"},
		{metrics.Known(1, 1), true, "#"},
	} {
		if have := bar(known(x.v), 100, barCells, x.ascii); have != x.want {
			t.Errorf("bar of %+v: %q, want %q", x.v, have, x.want)
		}
	}
}
