package transport

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/transport/stamp"
)

// Keeping the reads costs the reading goroutine no allocation a read: a read
// with an event, and one that ends inside an event.
func TestKeptReadsAllocateNothing(t *testing.T) {
	event := []byte("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n")
	for _, keep := range []bool{false, true} {
		c := NewWaking(stamp.NewClock())
		c.KeepReads(keep)
		c.intake.walk = walker{state: inClose, stream: true}
		var b Batch
		number := int32(0)
		read := func() {
			for _, part := range [][]byte{event[:20], event[20:]} {
				number++
				now := c.clock.Now()
				c.intake.feed(part, stamp.Stamps{At: now, User: now, Read: number})
			}
			c.Drain(&b)
			if len(b.Reads) != 2 || len(b.Lines) != 2 || b.Reads[0].Lines != 0 || b.Reads[1].Lines != 2 {
				t.Fatalf("%d reads, %d lines", len(b.Reads), len(b.Lines))
			}
		}
		for range 100 {
			read() // blocks are made and reused from then on
		}
		testkit.Allocates(t, 0, 1000, read, "a pair of reads, bytes kept", keep)
	}
}
