package transport

import (
	"os"
	"runtime"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestUseSince(t *testing.T) {
	const second = metrics.Stamp(time.Second)
	var s uses
	if u := s.since(metrics.NoStamp); u.CPUUsed().OK || u.CPUUsed().Why != metrics.WhyNoUse || u.Descriptors != 0 {
		t.Errorf("before any measurement: %+v", u)
	}
	for i := range usesKept + 10 {
		s.add(use{at: metrics.Stamp(i) * second, cpu: time.Duration(i) * 500 * time.Millisecond, descriptors: 10 + i,
			limit: 1024})
	}
	last := metrics.Stamp(usesKept+9) * second
	for _, c := range []struct {
		mark    metrics.Stamp
		seconds int
	}{{metrics.NoStamp, usesKept - 1}, {last - 5*second, 5}, {last - 5*second + 1, 4}, {last, 0}, {last + 1, 0}} {
		u := s.since(c.mark)
		if u.Seconds != c.seconds || c.seconds > 0 && (u.CPU != 0.5 || u.Descriptors != usesKept+19 ||
			u.DescriptorLimit != 1024) {
			t.Errorf("since %v: %+v, want %d seconds of half a core", c.mark, u, c.seconds)
		}
	}
	s = uses{}
	s.add(use{at: 0, cpu: -1})
	s.add(use{at: second, cpu: time.Second})
	if u := s.since(metrics.NoStamp); u.CPUUsed().OK {
		t.Errorf("a system without CPU times: %+v", u)
	}
}

// TestMeasureUse burns CPU and opens a file, and looks for both.
func TestMeasureUse(t *testing.T) {
	before := measureUse(0)
	// Others open and close some meanwhile, so there are many.
	const many = 100
	for range many {
		f := testkit.Must(os.Open(os.DevNull))(t)
		defer f.Close()
	}
	for x := 0.0; before.cpu >= 0 && measureUse(0).cpu < before.cpu+5*time.Millisecond; x++ {
		_ = x * x
	}
	after := measureUse(1)
	testkit.That(t, before.cpu >= 0, "%s reports no CPU time", runtime.GOOS)
	if runtime.GOOS == "linux" && (after.descriptors < before.descriptors+many/2 ||
		after.descriptors > before.descriptors+2*many || after.limit < after.descriptors) {
		t.Errorf("%d descriptors of %d, before opening %d more %d", after.descriptors, after.limit, many, before.descriptors)
	}
}
