package testkit

import (
	"testing"
	"time"
)

var sink int

// work takes a time in proportion to n.
func work(n int) func() {
	return func() {
		for i := range n * 1000 {
			sink += i ^ sink
		}
	}
}

// BenchmarkRatio: the same work has a ratio of 1, ten times as much one of 10.
func BenchmarkRatio(b *testing.B) {
	for b.Loop() {
		same, more, less := Ratio(time.Now, work(3), work(3)), Ratio(time.Now, work(30), work(3)),
			Ratio(time.Now, work(3), work(30))
		if same < 0.7 || same > 1.4 || more < 7 || more > 14 || less < 0.07 || less > 0.14 {
			b.Fatalf("the same %v, ten times %v, a tenth %v", same, more, less)
		}
	}
}

// TestRatio with a clock that the functions move: three times as long is 3, also
// when every other round is disturbed.
func TestRatio(t *testing.T) {
	clock := time.Unix(0, 0)
	calls := 0
	takes := func(d time.Duration) func() {
		return func() {
			clock = clock.Add(d)
			if calls++; calls%1000 < 300 {
				clock = clock.Add(17 * d)
			}
		}
	}
	if r := Ratio(func() time.Time { return clock }, takes(9*time.Microsecond), takes(3*time.Microsecond)); r < 2.99 ||
		r > 3.01 {
		t.Errorf("three times as long has the ratio %v", r)
	}
}

// TestRatioOfADisturbedStart: a function that was held up once, before its rounds, is
// not measured in rounds so short that they show the cost of reading the clock.
func TestRatioOfADisturbedStart(t *testing.T) {
	clock := time.Unix(0, 0)
	now := func() time.Time {
		clock = clock.Add(100 * time.Nanosecond)
		return clock
	}
	calls := 0
	f := func() {
		clock = clock.Add(10 * time.Nanosecond)
		if calls++; calls == 1 {
			clock = clock.Add(time.Millisecond)
		}
	}
	if r := Ratio(now, f, func() { clock = clock.Add(10 * time.Microsecond) }); r < 0.0009 || r > 0.0011 {
		t.Errorf("a thousandth of the time has the ratio %v", r)
	}
}
