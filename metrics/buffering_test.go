package metrics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// An origin draws the events of a server: when each is sent, and its bytes.
type origin struct {
	*rand.Rand
	gap    float64 // between events, ms
	jitter float64 // coefficient of variation
	bytes  int     // of an event
	vary   int     // by as many bytes
	n      int
}

func (o *origin) events() (at []float64, bytes []int) {
	t := 200.0
	for range o.n {
		at, bytes = append(at, t), append(bytes, o.bytes+o.IntN(o.vary+1))
		t += o.gap * max(0.05, 1+o.jitter*o.NormFloat64())
	}
	return at, bytes
}

// likely draws a server of 8 to 120 tok/s.
func likely(r *rand.Rand) *origin {
	return &origin{Rand: r, gap: 8 + 110*r.Float64()*r.Float64(), jitter: 0.4 * r.Float64() * r.Float64(),
		bytes: 150 + r.IntN(200), vary: 4 + r.IntN(40), n: 200 + r.IntN(600)}
}

// arrivals are the events of a stream in the order of arrival.
type arrivals struct {
	at    []float64
	bytes []int
}

// sizeBuffer passes on what it has whenever it holds size bytes. overhead
// bytes of framing are in the buffer with each event.
func sizeBuffer(o *origin, size, overhead int) arrivals {
	at, bytes := o.events()
	out := arrivals{bytes: bytes}
	held, sent := 0, 0
	until := make([]int, len(at)) // of each event in the stream
	for i := range at {
		held += bytes[i] + overhead
		until[i] = held
		out.at = append(out.at, -1)
		if full := held / size * size; full > sent {
			sent = full
			for j := i; j >= 0 && out.at[j] < 0; j-- {
				if until[j] <= sent {
					out.at[j] = at[i]
				}
			}
		}
	}
	return out.closed(at)
}

// closed lets the rest go with the last event.
func (a arrivals) closed(at []float64) arrivals {
	for i := range a.at {
		if a.at[i] < 0 {
			a.at[i] = at[len(at)-1] + 1
		}
	}
	return a
}

// wholeBuffer passes on whole events as soon as they have size bytes or more.
func wholeBuffer(o *origin, size int) arrivals {
	at, bytes := o.events()
	out := arrivals{at: slices.Repeat([]float64{-1}, len(at)), bytes: bytes}
	held, from := 0, 0
	for i := range at {
		if held += bytes[i]; held >= size {
			for ; from <= i; from++ {
				out.at[from] = at[i]
			}
			held = 0
		}
	}
	return out.closed(at)
}

// ticker passes on what it has every period ms.
func ticker(o *origin, period float64) arrivals {
	at, bytes := o.events()
	phase := period * o.Float64()
	out := arrivals{bytes: bytes}
	for _, t := range at {
		k := float64(int((t-phase)/period) + 1)
		out.at = append(out.at, phase+k*period+0.3*o.Float64())
	}
	slices.Sort(out.at)
	for i := 1; i < len(out.at); i++ { // one flush is one moment
		if out.at[i]-out.at[i-1] < 1 {
			out.at[i] = out.at[i-1]
		}
	}
	return out
}

// holder passes on what it has a time after the first byte that it holds, as
// the kernel does with corked segments. Its timer has a resolution of 4 ms.
func holder(o *origin, hold float64) arrivals {
	at, bytes := o.events()
	out := arrivals{bytes: bytes}
	due := -1.0
	for _, t := range at {
		if t > due {
			due = 4*float64(int((t+hold)/4)+1) + 0.1*o.Float64()
		}
		out.at = append(out.at, due)
	}
	return out
}

// spread lets the events of a burst come in several reads, over ms.
func (a arrivals) spread(r *rand.Rand, ms float64) arrivals {
	for i := 1; i < len(a.at); i++ {
		if a.at[i] <= a.at[i-1] && r.IntN(6) == 0 {
			a.at[i] = a.at[i-1] + ms*r.Float64()
		} else {
			a.at[i] = max(a.at[i], a.at[i-1])
		}
	}
	return a
}

func (a arrivals) stream() *Stream {
	s := &Stream{State: Done, Marks: NewMarks(), Usage: NoUsage(), LiveTokens: -1}
	s.Marks.Start, s.Marks.GotConn, s.Marks.Sent = 0, 0, 0
	s.Usage.Completion, s.TokensFrom = len(a.at), TokensUsage
	read := int32(0)
	for i, ms := range a.at {
		if i > 0 && ms > a.at[i-1] {
			read++
		}
		s.Text = append(s.Text, "word "...)
		at := Stamp(ms * float64(time.Millisecond))
		s.Chunks = append(s.Chunks, Chunk{At: at, User: at, Read: read, Event: int32(i + 1), Bytes: int32(a.bytes[i]),
			TextEnd: int32(len(s.Text)), Tokens: -1, Kernel: true})
	}
	s.Marks.End = Stamp((a.at[len(a.at)-1] + 1) * float64(time.Millisecond))
	s.Now = s.Marks.End
	return s
}

// bufferWord is what a measurement says: "" for no doubt about buffering.
func bufferWord(s *Stream) (string, *Suspicion) {
	f := Measure(s, Options{})
	for i := range f.Suspect {
		if d := &f.Suspect[i]; d.Code == SuspectBuffered {
			if d.Buffering.Kind == BufferUndecided {
				return "undecided", d
			}
			return string(d.Buffering.Kind), d
		}
	}
	return "", nil
}

// TestBufferKinds counts what is said of generated streams: through buffers of
// each kind, and through none. Run with -v for the table.
func TestBufferKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: 200 streams of each kind")
	}
	const each = 200
	sizes := []int{4096, 8192, 16384}
	periods := []float64{100, 200, 250, 500}
	one := func(r *rand.Rand, of []int) int { return of[r.IntN(len(of))] }
	scenarios := []struct {
		name  string
		make  func(r *rand.Rand) arrivals
		never []string // what it must not be called
		want  string   // what it is called in at least least of each
		least int
	}{
		{"a buffer of 4, 8 or 16 KiB", func(r *rand.Rand) arrivals { return sizeBuffer(likely(r), one(r, sizes), 0) },
			[]string{"timer"}, "size", 140},
		{"the same, in several reads",
			func(r *rand.Rand) arrivals { return sizeBuffer(likely(r), one(r, sizes), 0).spread(r, 2) }, []string{"timer"},
			"size", 140},
		{"the same, with the framing of chunks inside",
			func(r *rand.Rand) arrivals { return sizeBuffer(likely(r), one(r, sizes), 7) }, []string{"timer"}, "size", 95},
		{"a full buffer of 26 chunks each time", func(r *rand.Rand) arrivals {
			o := likely(r) // as nginx with 8 KiB before events of 315 bytes
			o.bytes, o.vary, o.n = 315, 0, 400
			return sizeBuffer(o, 8192, 0)
		}, []string{"timer"}, "size", 190},
		{"whole events from a size on", func(r *rand.Rand) arrivals { return wholeBuffer(likely(r), one(r, sizes)) },
			[]string{"timer"}, "", 0},
		{"a timer of 100 to 500 ms", func(r *rand.Rand) arrivals { return ticker(likely(r), periods[r.IntN(4)]) },
			[]string{"size"}, "timer", 90},
		{"200 ms after the first byte", func(r *rand.Rand) arrivals { return holder(likely(r), 200) }, []string{"size"},
			"timer", 90},
		{"clean, with jitter", func(r *rand.Rand) arrivals { return wholeBuffer(likely(r), 1) },
			[]string{"size", "timer", "count", "undecided"}, "", each},
		{"clean and fast", func(r *rand.Rand) arrivals {
			o := likely(r)
			o.gap, o.jitter = 0.4+4*r.Float64(), r.Float64()
			return wholeBuffer(o, 1)
		}, []string{"size", "timer", "count", "undecided"}, "", each},
		{"clean, with stalls", func(r *rand.Rand) arrivals {
			a := wholeBuffer(likely(r), 1)
			late := 0.0
			for i := range a.at {
				if r.IntN(40) == 0 {
					late += 100 + 900*r.Float64()
				}
				a.at[i] += late
			}
			return a
		}, []string{"size", "timer", "count", "undecided"}, "", each},
		{"lost packets: what waits comes at once", func(r *rand.Rand) arrivals {
			a := wholeBuffer(likely(r), 1)
			rtt := 20 + 180*r.Float64()
			for i := 0; i < len(a.at); i++ {
				if r.IntN(30) == 0 {
					for until, j := a.at[i]+rtt, i; j < len(a.at) && a.at[j] < until; j++ {
						a.at[j] = until
					}
				}
			}
			return a
		}, []string{"size", "timer", "count", "undecided"}, "", each},
		{"the server joins tokens to a chunk", func(r *rand.Rand) arrivals {
			o := likely(r)
			o.gap, o.bytes, o.jitter = o.gap*8, o.bytes+40, 0.05
			return wholeBuffer(o, 1)
		}, []string{"size", "timer", "count", "undecided"}, "", each},
		{"speculation: 1 to 6 chunks a step", func(r *rand.Rand) arrivals {
			o := likely(r)
			o.gap = 10 + 40*r.Float64()
			at, bytes := o.events()
			out := arrivals{bytes: bytes}
			for _, t := range at {
				for range 1 + r.IntN(6) {
					out.at = append(out.at, t)
				}
			}
			out.at = out.at[:len(bytes)]
			return out
		}, []string{"size", "timer", "count", "undecided"}, "", each},
		{"the server sends 8 or 16 chunks at a time", func(r *rand.Rand) arrivals {
			o, batch := likely(r), 8<<r.IntN(2)
			at, bytes := o.events()
			out := arrivals{bytes: bytes}
			for i := range at {
				out.at = append(out.at, at[min(i/batch*batch+batch, len(at))-1])
			}
			return out
		}, []string{"size", "timer"}, "count", 180},
	}
	const seed = 13
	t.Logf("seed %d", seed)
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-46s %6s %6s %6s %10s %6s\n", "", "size", "timer", "count", "undecided", "none")
	for at, c := range scenarios {
		r := rand.New(rand.NewPCG(seed, uint64(at)))
		count := map[string]int{}
		for i := range each {
			s := c.make(r).stream()
			said, d := bufferWord(s)
			count[said]++
			testkit.That(t, !slices.Contains(c.never, said), "%s, stream %d: called %q, %+v", c.name, i, said, d)
		}
		fmt.Fprintf(&table, "%-46s %6d %6d %6d %10d %6d\n", c.name, count["size"], count["timer"], count["count"],
			count["undecided"], count[""])
		testkit.That(t, count[c.want] >= c.least,
			"%s: called %q in %d of %d, want %d", c.name, c.want, count[c.want], each, c.least)
	}
	t.Log(table.String())
}
