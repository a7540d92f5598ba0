package dialect

import (
	"testing"

	"tokscope/metrics"
)

func TestSameTime(t *testing.T) {
	of := func(name, from string) metrics.ServerTime { return metrics.ServerTime{Name: name, From: from} }
	for _, x := range []struct {
		a, b metrics.ServerTime
		want bool
	}{
		{of("queue", "usage.queue_time"), of("queue", "x_groq.usage.queue_time"), true},
		{of("queue", "x_groq.usage.queue_time"), of("queue", "usage.queue_time"), true},
		{of("queue", "usage.queue_time"), of("queue", "usage.queue_time"), true},
		{of("queue", "usage.queue_time"), of("queue", "time_info.queue_time"), false},
		{of("queue", "usage.queue_time"), of("total", "usage.queue_time"), false},
	} {
		if got := SameTime(x.a, x.b); got != x.want {
			t.Errorf("%v and %v: %v", x.a, x.b, got)
		}
	}
}
