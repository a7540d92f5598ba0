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

// BenchmarkKey is how long a key takes to change the screen while a stream
// runs (budget: 50 ms), on an idle machine and with a busy process for every
// core.
func BenchmarkKey(b *testing.B) {
	for _, hogs := range []int{0, runtime.NumCPU()} {
		b.Run(fmt.Sprintf("hogs=%d", hogs), func(b *testing.B) {
			for range hogs {
				c := exec.Command("sh", "-c", "while :; do :; done")
				if err := c.Start(); err != nil {
					b.Fatal(err)
				}
				defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
			}
			x := startB(b, 120, 40, "--max-tokens", "100000", "--workload", "long answer", "--record=false")
			if err := x.Until(patience, "decoding"); err != nil {
				b.Fatal(err)
			}
			var took []time.Duration
			for b.Loop() {
				for _, k := range []struct{ key, shows string }{{"?", "send the request"}, {"\x1b", "stream 1"}} {
					began := time.Now()
					if err := x.Type(k.key); err != nil {
						b.Fatal(err)
					}
					if err := x.Until(patience, k.shows); err != nil {
						b.Fatal(err)
					}
					if k.key == "?" {
						took = append(took, time.Since(began))
					}
					time.Sleep(100 * time.Millisecond)
				}
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2].Seconds()*1e3, "key_p50_ms")
			b.ReportMetric(took[len(took)-1].Seconds()*1e3, "key_max_ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkFirstPaint is how long the program takes from its start to a whole
// frame on the terminal (budget: 100 ms), beside the start of a program that
// only prints its version.
func BenchmarkFirstPaint(b *testing.B) {
	var paint, version []time.Duration
	for b.Loop() {
		began := time.Now()
		x := startB(b, 120, 40, "--record=false")
		if err := x.Until(patience, "TTFT", "quit"); err != nil {
			b.Fatal(err)
		}
		paint = append(paint, time.Since(began))
		x.Close()
		began = time.Now()
		if err := exec.Command(program, "--version").Run(); err != nil {
			b.Fatal(err)
		}
		version = append(version, time.Since(began))
	}
	slices.Sort(paint)
	slices.Sort(version)
	b.ReportMetric(paint[len(paint)/2].Seconds()*1e3, "paint_p50_ms")
	b.ReportMetric(paint[len(paint)-1].Seconds()*1e3, "paint_max_ms")
	b.ReportMetric(version[len(version)/2].Seconds()*1e3, "version_p50_ms")
	b.ReportMetric(0, "ns/op")
}
