package transport_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// body is what a consumer takes of a response whose reads are kept.
type body struct {
	lines []sse.Line       // with copies of their data
	reads []transport.Read // likewise; Lines counts from the response's begin
}

// readAll sends a request whose reads are kept and takes everything.
func (r *harness) readAll(c *transport.Capture, req *http.Request) body {
	r.t.Helper()
	if resp, err := r.tr.Do(req); err == nil {
		_ = resp.Body.Close()
	}
	var all body
	var b transport.Batch
	for more := true; more; {
		<-c.Wake()
		more = c.Drain(&b)
		before := len(all.lines)
		for _, l := range b.Lines {
			l.Data = bytes.Clone(l.Data)
			all.lines = append(all.lines, l)
		}
		for _, x := range b.Reads {
			x.Data = bytes.Clone(x.Data)
			x.Lines += before
			all.reads = append(all.reads, x)
		}
	}
	return all
}

// Every read of a body is kept with its number, stamps and bytes, also one that
// ends inside an event, and the bytes make the same events again. Each read
// stands behind the lines that it completed.
func TestReadsAreKept(t *testing.T) {
	for _, tt := range traps {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				c := newCapture(r)
				c.KeepReads(true)
				all := r.readAll(c, r.request(with(c), tt.answer))
				counts := c.Counts()
				reads, size := counts.Reads, counts.Body
				var whole []byte
				numbers := map[int32]bool{}
				line := 0
				for i, x := range all.reads {
					testkit.Given(t, int(x.Bytes) == len(x.Data) && x.Bytes != 0 && x.User.Known() && x.At <= x.User,
						"read %d: %d bytes, %d kept, at %d, seen at %d", i, x.Bytes, len(x.Data), x.At, x.User)
					for ; line < x.Lines; line++ {
						if l := all.lines[line]; l.Read != x.Number || l.At != x.At || l.User != x.User {
							t.Errorf("line %d is of read %d at %d, and stands before read %d at %d", line, l.Read, l.At, x.Number, x.At)
						}
					}
					numbers[x.Number] = true
					whole = append(whole, x.Data...)
				}
				if int64(len(whole)) != size || len(numbers) != reads || line != len(all.lines) {
					t.Errorf("%d bytes of %d, %d numbers of %d reads, %d lines of %d", len(whole), size, len(numbers), reads, line,
						len(all.lines))
				}
				var cutter sse.Cutter
				for i, rest := 0, whole; len(rest) > 0; i++ {
					data, _, after, ok := cutter.Next(rest)
					if !ok {
						break
					}
					if rest = after; i < len(all.lines) && !bytes.Equal(data, all.lines[i].Data) {
						t.Errorf("line %d again: %q, was %q", i, data, all.lines[i].Data)
					}
				}
			})
		})
	}
}

// Nobody pays for reads that nobody asked for, and bytes are kept only on demand.
func TestReadsOnDemand(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		const text = "prefill 1ms; 5 tokens @ 1ms"
		c := newCapture(r)
		if all := r.readAll(c, r.request(with(c), text)); len(all.reads) != 0 || len(all.lines) == 0 {
			t.Errorf("%d reads, %d lines", len(all.reads), len(all.lines))
		}
		c = newCapture(r)
		c.KeepReads(false)
		all := r.readAll(c, r.request(with(c), text))
		testkit.That(t, len(all.reads) != 0, "no read")
		for _, x := range all.reads {
			testkit.That(t, len(x.Data) == 0 && x.Bytes != 0, "%d bytes, %d kept", x.Bytes, len(x.Data))
		}
	})
}

// Without a tap, where the stamps are those of the body's reads, these are kept.
func TestReadsOfAnUntappedBody(t *testing.T) {
	r := answering(t, true, fiveEvents)
	defer r.close()
	c := newCapture(r)
	c.KeepReads(true)
	all := r.readAll(c, r.request(with(c), ""))
	var whole []byte
	for _, x := range all.reads {
		whole = append(whole, x.Data...)
	}
	want := "data: {\"i\":0}\n\ndata: {\"i\":1}\n\ndata: {\"i\":2}\n\ndata: {\"i\":3}\n\ndata: {\"i\":4}\n\ndata: [DONE]"
	if string(whole) != want || c.Stamps() != metrics.SourceBody {
		t.Errorf("%q, stamps of the %v", whole, c.Stamps())
	}
}

// The moment at which a request was sent is final before its answer begins, and
// is the one that stands in its marks at the end.
func TestSentIsFinalBeforeTheAnswer(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		c := newCapture(r)
		if at, ok := c.State().SentAt(r.clock.Now()); ok {
			t.Errorf("sent at %d, before it began", at)
		}
		ctx, stop := context.WithCancel(with(c))
		defer stop()
		go r.readAll(c, r.request(ctx, "prefill 1s; 5 tokens @ 1ms"))
		time.Sleep(500 * time.Millisecond)
		at, ok := c.State().SentAt(r.clock.Now())
		first := c.State().Marks.FirstByte
		testkit.Given(t, ok && !first.Known(), "%v, first byte %v", ok, first)
		time.Sleep(time.Second)
		again, ok := c.State().SentAt(r.clock.Now())
		d := cmp.Diff([]metrics.Stamp{at, at}, []metrics.Stamp{again, c.State().Marks.Sent})
		testkit.That(t, d == "" && ok, "final %v: %s", ok, d)
	})
}

// What is kept of reads counts against the bound of what was not yet taken.
func TestKeptReadsAreBounded(t *testing.T) {
	o := defaults()
	o.Bounds.PendingBytes = 4 << 10
	virtual(t, o, func(r *harness) {
		c := newCapture(r)
		c.KeepReads(true)
		if resp, err := r.tr.Do(r.request(with(c), "prefill 1ms; size 100; 300 tokens @ 1ms")); err == nil {
			_ = resp.Body.Close()
		}
		time.Sleep(5 * time.Second) // and nothing is taken
		if _, err := c.End(); err == nil {
			t.Error("more is pending than was allowed, and the stream goes on")
		}
	})
}
