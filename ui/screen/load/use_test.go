package load

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// TestUseOfTheMachine holds what the line of the lag says of tokscope's cores
// and descriptors.
func TestUseOfTheMachine(t *testing.T) {
	for _, c := range []struct {
		use  metrics.Use
		w    int
		want string
	}{
		{metrics.Use{CPU: 0.31, Seconds: 5, Cores: 2}, 120, "· 0.310 of 2 cores"},
		{metrics.Use{CPU: 0.31, Seconds: 5, Cores: 2, Descriptors: 118, DescriptorLimit: 1024}, 200, "· 0.310 of 2 cores · 118 of 1,024 descriptors"},
		{metrics.Use{Descriptors: 118, DescriptorLimit: 1024}, 120, "· 118 of 1,024 descriptors"},
	} {
		v := scene(8)
		v.Load.Observer.Use = c.use
		if have := plain(v, c.w, 40); !strings.Contains(have, c.want) {
			t.Errorf("%+v: no %q in\n%s", c.use, c.want, have)
		}
	}
}

// TestUseBesideLateness holds that a client-bound load still says it.
func TestUseBesideLateness(t *testing.T) {
	v := scene(8)
	v.Load.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 7.42}
	v.Load.Observer.Use = metrics.Use{CPU: 1.9, Seconds: 5, Cores: 2}
	if have := plain(v, 120, 40); !strings.Contains(have, "requests leave 7.42 ms late · CPU 95 %") {
		t.Error(have)
	}
}

// TestGoodputPanelInFull holds the rows of the panel that only a tall one has.
func TestGoodputPanelInFull(t *testing.T) {
	v := scene(8)
	v.Max = GoodputPanel
	have := plain(v, 120, 40)
	for _, want := range []string{"meet all, 1,020 tok/s", "fastest second 1,170 tok/s aggregate", "95 % per user 129–134 tok/s", "95 % aggregate – (the parts of the window are correlated: it varies slowly)"} {
		if !strings.Contains(have, want) {
			t.Errorf("no %q in\n%s", want, have)
		}
	}
}
