package loadgen

import (
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
)

// A load that is told to end says so, and keeps the figures it had: those of
// fewer and fewer users are not those of all.
func TestEndingKeepsTheFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 100*time.Millisecond)
		l := closed(f, Shape{Users: 8, Join: 8 * time.Second}, 100) // a request takes 10 s
		time.Sleep(15 * time.Second)
		before := l.View()
		if before.Live.Steady || !before.Live.Total.OK {
			t.Fatalf("before: %+v", before.Live)
		}
		l.Drain()
		time.Sleep(7 * time.Second)
		v := l.View()
		if !v.Running || v.Target != 0 || v.Users != 8 || v.InFlight >= 8 {
			t.Errorf("ending: running %v, target %d, %d users, %d in flight", v.Running, v.Target, v.Users, v.InFlight)
		}
		l.Wait()
		after := l.View()
		for _, p := range []float64{v.Live.Total.V, after.Live.Total.V, after.Path[len(after.Path)-1].Total.V} {
			if d := p/before.Live.Total.V - 1; d > 0.05 || d < -0.05 {
				t.Errorf("%.1f tok/s in all, before it ended %.1f", p, before.Live.Total.V)
			}
		}
	})
}

// What happens while a load ends makes no point steady that was not.
func TestEndingIsNotSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 100*time.Millisecond)
		l := closed(f, Shape{Users: 8, Join: 800 * time.Millisecond}, 100) // a request takes 10 s
		time.Sleep(15 * time.Second)
		at := l.world.now()
		l.Drain()
		l.Wait()
		v := l.View()
		for _, p := range []metrics.Point{v.Live, v.Path[len(v.Path)-1]} {
			if p.Steady || p.To > at {
				t.Errorf("steady %v, up to %v after the end began at %v", p.Steady, p.To, at)
			}
		}
	})
}

// A hold, and a falling number of users, give no points of the path. A load
// that ends on hold shows its earlier point.
func TestHoldAndLeavingAreNoPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 50*time.Millisecond)
		l := closed(f, Shape{Users: 8}, 200) // a request takes 10 s
		time.Sleep(15 * time.Second)
		l.Resize(2)
		time.Sleep(3 * time.Second) // six still leave
		l.Resize(8)
		time.Sleep(15 * time.Second)
		l.Hold(true)
		time.Sleep(20 * time.Second)
		l.Drain()
		l.Wait()
		v := l.View()
		if len(v.Path) != 2 || v.Path[0].Users != 8 || v.Path[1].Users != 8 {
			for _, p := range v.Path {
				t.Logf("%d users, %v tok/s", p.Users, p.Total)
			}
			t.Errorf("%d points", len(v.Path))
		}
		if v.Live.Users != 8 || v.Live.Total.V < 100 {
			t.Errorf("at the end: %d users, %v tok/s", v.Live.Users, v.Live.Total)
		}
	})
}
