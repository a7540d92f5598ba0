//go:build !windows

package journey

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"
)

// versionTook is how long the program takes to print its version, the quickest
// of n: what the budgets of time are held against, on any machine. It is some
// 7 ms where the budgets were set.
func versionTook(b *testing.B, n int) time.Duration {
	b.Helper()
	best := time.Hour
	for range n {
		began := time.Now()
		must(b, exec.Command(built(b), "--version").Run())
		best = min(best, time.Since(began))
	}
	return best
}

// BenchmarkKey is how long a key takes to change the screen while a stream
// runs, on an idle machine and with a busy process for every core. The budget is
// 50 ms, which is 7 times as long as the version takes.
func BenchmarkKey(b *testing.B) {
	const most = 7.0
	version := versionTook(b, 5)
	for _, hogs := range []int{0, runtime.NumCPU()} {
		b.Run(fmt.Sprintf("hogs=%d", hogs), func(b *testing.B) {
			for range hogs {
				c := exec.Command("sh", "-c", "while :; do :; done")
				must(b, c.Start())
				defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
			}
			x := startB(b, 120, 40, "--max-tokens", "100000", "--workload", "long answer", "--record=false")
			must(b, x.Until(patience, "decoding"))
			var elapsed []time.Duration
			round := func() {
				for _, k := range []struct{ key, shows string }{{"?", "send the request"}, {"\x1b", "stream 1"}} {
					began := time.Now()
					must(b, x.Type(k.key))
					must(b, x.Until(patience, k.shows))
					if k.key == "?" {
						elapsed = append(elapsed, time.Since(began))
					}
					time.Sleep(100 * time.Millisecond)
				}
			}
			for b.Loop() {
				for range 7 {
					round()
				}
			}
			slices.Sort(elapsed)
			b.ReportMetric(elapsed[len(elapsed)/2].Seconds()*1e3, "key_p50_ms")
			b.ReportMetric(elapsed[len(elapsed)-1].Seconds()*1e3, "key_max_ms")
			b.ReportMetric(0, "ns/op")
			if r := elapsed[len(elapsed)/2].Seconds() / version.Seconds(); r > most {
				b.Fatalf("a key takes %.2f of the time of --version, more than %v: %v", r, most, elapsed)
			}
		})
	}
}

// BenchmarkFirstPaint is how long the program takes from its start to a whole
// frame on the terminal. The budget is 100 ms, 14 times as long as the version
// takes; the quickest of seven starts keeps it, or of 25 on a machine that is
// busy otherwise.
func BenchmarkFirstPaint(b *testing.B) {
	const most = 14.0
	var paint []time.Duration
	version := time.Hour
	kept := func() bool { return slices.Min(paint).Seconds() <= most*version.Seconds() }
	for b.Loop() {
		for i := 0; i < 7 || i < 25 && !kept(); i++ {
			began := time.Now()
			x := startB(b, 120, 40, "--record=false")
			must(b, x.Until(patience, "TTFT", "quit"))
			paint = append(paint, time.Since(began))
			x.Close()
			version = min(version, versionTook(b, 1))
		}
	}
	slices.Sort(paint)
	b.ReportMetric(paint[len(paint)/2].Seconds()*1e3, "paint_p50_ms")
	b.ReportMetric(paint[len(paint)-1].Seconds()*1e3, "paint_max_ms")
	b.ReportMetric(version.Seconds()*1e3, "version_min_ms")
	b.ReportMetric(0, "ns/op")
	if !kept() {
		b.Fatalf("the first frame takes more than %v times as long as --version (%v): %v", most, version, paint)
	}
}
