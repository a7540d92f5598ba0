//go:build linux && (amd64 || arm64)

package stamp

import (
	"bytes"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// Whatever the order of arrivals and reads, an inbox gives every byte back
// once, under its own stamp, and its memory stays near what it holds.
func TestInboxGivesBackWhatItGot(t *testing.T) {
	rnd := testkit.Rand(t, 1)
	var b inbox
	var in, out bytes.Buffer
	stampOf := map[int]metrics.Stamp{} // by the offset of a byte
	pending := 0
	for range 50_000 {
		if b.empty() || rnd.IntN(2) == 0 && pending < 100_000 {
			data := make([]byte, 1+rnd.IntN(500))
			for i := range data {
				data[i] = byte(rnd.Uint32())
				stampOf[in.Len()+i] = metrics.Stamp(in.Len())
			}
			b.add(Stamps{At: metrics.Stamp(in.Len())}, false, data)
			in.Write(data)
			pending += len(data)
			continue
		}
		s, more, data := b.oldest()
		if want := stampOf[out.Len()]; s.At != want || more != (metrics.Stamp(out.Len()) != want) {
			t.Fatalf("byte %d has stamp %d, more %v; want stamp %d", out.Len(), s.At, more, want)
		}
		n := 1 + rnd.IntN(len(data))
		out.Write(data[:n])
		b.remove(n)
		pending -= n
		if most := max(4*pending, 4*inboxKept); cap(b.data) > most && len(b.data) > most {
			t.Fatalf("%d bytes of memory for %d bytes", len(b.data), pending)
		}
	}
	testkit.Is(t, out.String(), string(in.Bytes()[:out.Len()]), "the bytes differ")
}

func TestInboxAllocatesNothingAgain(t *testing.T) {
	var b inbox
	data := make([]byte, 300)
	testkit.Allocates(t, 0, 1000, func() {
		for range 5 {
			b.add(Stamps{}, false, data)
		}
		for !b.empty() {
			b.remove(len(data))
		}
	})
}
