package transport_test

import (
	"runtime"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		name, answer         string
		reads, shared, lines int
	}{
		{"an event a read", "prefill 1ms; 10 tokens @ 1ms", 12, 0, 12},
		{"four events a write", "group 4; prefill 1ms; 8 tokens @ 1ms; stall 1ms; finish; stall 1ms; done; end", 4, 8, 10},
		{"a burst", "prefill 1ms; burst 5; stall 1ms; done; end", 2, 5, 6},
		{"an event in two writes", "headers; halves 1ms; prefill 5ms; 3 tokens @ 5ms; end", 6, 0, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				got := r.ask(tt.answer)
				n := got.capture.Counts()
				testkit.That(t, n.Reads == tt.reads && n.Shared == tt.shared && n.User == tt.lines && n.Kernel == 0 && n.Late == 0,
					"%+v", n)
				total := int64(0)
				for _, e := range got.events {
					total += int64(e.Bytes)
				}
				testkit.Is(t, n.Body, total, "bytes in the body")
				testkit.Is(t, got.capture.Stamps(), metrics.SourceUser, "stamps")
			})
		})
	}
}

func TestReadNumbersTellBursts(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		var reads []int32
		for _, e := range r.ask("headers; prefill 1ms; burst 3; stall 1ms; 2 tokens @ 1ms; end").events {
			reads = append(reads, e.Read)
		}
		if len(reads) != 5 || reads[0] != reads[2] || reads[2] == reads[3] || reads[3] == reads[4] || reads[0] != 1 {
			t.Errorf("read numbers %v", reads)
		}
	})
}

// TestStampsInUse checks the kernel's stamps where they exist, and user
// stamps by choice.
func TestStampsInUse(t *testing.T) {
	kernel := runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64")
	for _, user := range []bool{false, true} {
		for _, secure := range []bool{false, true} {
			o := defaults()
			o.UserStamps = user
			overTCP(t, o, probetest.Options{TLS: secure}, func(r *harness) {
				r.ask("3 tokens @ 1ms") // the kernel starts to stamp some time after the request
				got := r.ask("prefill 5ms; 20 tokens @ 1ms")
				counts := got.capture.Counts()
				k, u := counts.Kernel, counts.User
				want := kernel && !user
				testkit.That(t, want == (k > 0) && k+u == 22, "user stamps %v: %d kernel stamps, %d of our own", user, k, u)
				p50, p99, most, n := got.capture.LagQuantiles()
				testkit.That(t, n == k && p50 <= p99 && p99 <= most && (k > 0) == (p99 > 0),
					"lag p50 %v, p99 %v, worst %v of %d", p50, p99, most, n)
				for i, e := range got.data() {
					testkit.That(t, e.At <= e.User && (i <= 0 || e.At >= got.data()[i-1].At),
						"event %d: at %d, seen at %d", i, e.At, e.User)
				}
			})
		}
	}
}
