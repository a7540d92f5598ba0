package history

import (
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/uitest"
)

// frameAllocations bounds the allocations of a frame at 200x50 whose answers have
// not changed.
const frameAllocations = 160

// BenchmarkFrame draws the baseline at 200x50, everything new in every frame: the
// answers, the chosen run and the figure's axis.
func BenchmarkFrame(b *testing.B) {
	d := benched(b, 2*time.Minute)
	g := draw.New(199, 48)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.view.Version++
		d.view.Linear = i%2 == 0
		d.view.Selected = i % 200
		d.pic.Draw(g, g.Bounds(), &d.view)
	}
}

// BenchmarkScroll scrolls through 100,000 runs, a page a frame, answers included.
func BenchmarkScroll(b *testing.B) {
	d := benched(b, 24*time.Second)
	if n := d.view.rows.Matching; n < 100_000 {
		b.Fatalf("%d runs", n)
	}
	g := draw.New(199, 48)
	b.ReportAllocs()
	for b.Loop() {
		d.view.Selected += d.page()
		if d.view.Selected >= d.view.rows.Matching {
			d.view.Selected = 0
		}
		d.view.scroll(d.pic.visible)
		if cmd := d.more(); cmd != nil {
			d.run(cmd)
		}
		d.pic.Draw(g, g.Bounds(), &d.view)
	}
}

// benched is a screen over a week that ends now.
func benched(b *testing.B, every time.Duration) *desk {
	b.Helper()
	w := aWeek(time.Now().UTC(), every)
	entries := w.entries()
	store := uitest.New()
	store.SetHistory(b, entries, w.found(entries))
	d := sit(store)
	d.enter()
	return d
}

// TestFrameAllocates checks the budget of a frame whose answers have not changed.
func TestFrameAllocates(t *testing.T) {
	at(t, func(t *testing.T) {
		d, g := measured(t), draw.New(199, 48)
		testkit.Allocates(t, frameAllocations, 20, func() { d.pic.Draw(g, g.Bounds(), &d.view) }, "a frame")
	})
}
