//go:build !windows

package journey

import (
	"bufio"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// BenchmarkTour plays the whole tour on the running engine, as lines: how long
// it takes, and whether every lesson comes to its verdict and holds. The tests
// of probe/explain/lessons do the same in virtual time.
func BenchmarkTour(b *testing.B) {
	heading := regexp.MustCompile(`^lesson (\d+) of (\d+): `)
	for b.Loop() {
		cmd := exec.Command(built(b), "tour", "--plain", "--record=false")
		cmd.Env = environment(b.TempDir())
		out, err := cmd.StdoutPipe()
		must(b, err)
		must(b, cmd.Start())
		began, slowest := time.Now(), time.Duration(0)
		lesson, lessons, held := "", "", 0
		at := began
		for rows := bufio.NewScanner(out); rows.Scan(); {
			if m := heading.FindStringSubmatch(rows.Text()); m != nil {
				lesson, lessons, at = m[1], m[2], time.Now()
			}
			if text, ok := strings.CutPrefix(rows.Text(), "verdict: "); ok {
				slowest = max(slowest, time.Since(at))
				if !strings.HasPrefix(text, "it holds") {
					b.Errorf("lesson %s: %s", lesson, text)
				}
				held++
			}
		}
		if err := cmd.Wait(); err != nil || lesson != lessons || held == 0 {
			b.Fatalf("the tour ended at lesson %s of %s with %d verdicts: %v", lesson, lessons, held, err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "tour_s")
		b.ReportMetric(slowest.Seconds(), "slowest_lesson_s")
		b.ReportMetric(float64(held), "verdicts")
	}
	b.ReportMetric(0, "ns/op")
}
