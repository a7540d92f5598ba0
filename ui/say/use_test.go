package say

import (
	"testing"

	"tokscope/metrics"
)

func TestUse(t *testing.T) {
	for _, c := range []struct {
		u    metrics.Use
		want string
		busy bool
	}{
		{metrics.Use{}, "", false},
		{metrics.Use{Cores: 2}, "", false},
		{metrics.Use{CPU: 0.31, Seconds: 5, Cores: 2}, "; used 0.310 of 2 cores", false},
		{metrics.Use{CPU: 1.6, Seconds: 1, Cores: 2}, "; used 1.60 of 2 cores", true},
		{metrics.Use{Descriptors: 118, DescriptorLimit: 1024}, "; used 118 of 1,024 descriptors", false},
		{metrics.Use{CPU: 0.9, Seconds: 1, Cores: 1, Descriptors: 900, DescriptorLimit: 1024}, "; used 0.900 of 1 core, 900 of 1,024 descriptors", true},
		{metrics.Use{Descriptors: 118}, "", false},
	} {
		if got := Use(&c.u); got != c.want || c.u.Busy() != c.busy {
			t.Errorf("%+v: %q, busy %v", c.u, got, c.u.Busy())
		}
	}
}
