package request

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// chunks draws the chunks of a stream and its text.
func chunks(t *rapid.T) ([]metrics.Chunk, []byte) {
	var out []metrics.Chunk
	var text []byte
	at := metrics.Stamp(rapid.Int64().Draw(t, "at"))
	for range rapid.IntRange(0, 40).Draw(t, "chunks") {
		c := metrics.Chunk{
			At: at, User: metrics.Stamp(rapid.Int64().Draw(t, "user")), Read: rapid.Int32().Draw(t, "read"),
			Event: rapid.Int32().Draw(t, "event"),
			Bytes: rapid.Int32().Draw(t, "bytes"), TextEnd: int32(len(text)), Tokens: rapid.Int16().Draw(t, "tokens"),
			Choice: rapid.Uint8().Draw(t, "choice"),
			Kind:   metrics.Kind(rapid.Uint8().Draw(t, "kind")), Kernel: rapid.Bool().Draw(t, "kernel"),
			Held: rapid.Bool().Draw(t, "held"), Name: rapid.Uint16().Draw(t, "name"),
		}
		if rapid.Bool().Draw(t, "usual") {
			c.User, c.Tokens, c.Name = c.At+1e4, 1, 0
			if n := len(out); n > 0 {
				c.Read, c.Event, c.Kind, c.Choice = out[n-1].Read+1, out[n-1].Event+1, out[n-1].Kind, out[n-1].Choice
			}
		}
		out = append(out, c)
		text = append(text, "word "...)
		at += metrics.Stamp(rapid.Int64().Draw(t, "gap"))
	}
	return out, text
}

// TestPack holds that a packed stream unpacks as it was.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := metrics.Stream{ID: 7, State: metrics.Done, Model: "m", Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
		s.Chunks, s.Text = chunks(t)
		got := Pack(&s).Stream()
		testkit.Given(t, reflect.DeepEqual(got, s), "unpacked %+v, want %+v", got, s)
	})
}

// answer is an ended stream of n chunks, as a server sends it.
func answer(rng *rand.Rand, id, n int) metrics.Stream {
	s := metrics.Stream{ID: id, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), Model: "m"}
	s.Marks.Start = metrics.Stamp(id) * 1e6
	s.Marks.Sent = s.Marks.Start + 1e5
	at := s.Marks.Sent + metrics.Stamp(2e8*rng.ExpFloat64())
	s.Chunks, s.Text = make([]metrics.Chunk, 0, n), make([]byte, 0, 6*n)
	for i := range n {
		s.Text = append(s.Text, "token "...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at + metrics.Stamp(rng.Int64N(5e6)), Read: int32(i),
			Event: int32(i + 1), Bytes: int32(190 + rng.IntN(9)), TextEnd: int32(len(s.Text)), Tokens: 1, Kernel: true})
		at += metrics.Stamp(7e6 + 1e6*rng.NormFloat64())
	}
	return s
}

// TestPackedSize holds that a usual answer takes under half of its memory, and
// that what it takes is counted.
func TestPackedSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := answer(rng, 1, 2000)
	p := Pack(&s)
	whole := len(s.Chunks)*int(unsafe.Sizeof(s.Chunks[0])) + len(s.Text)
	testkit.That(t, p.bytes*2 <= whole, "2,000 chunks take %d bytes packed, %d as they are", p.bytes, whole)
	held := p.chunks.Bytes() + cap(p.text) + int(unsafe.Sizeof(*p))
	testkit.That(t, p.bytes >= held, "counts %d bytes, holds %d", p.bytes, held)
}

// rowsOf draws the figures of some requests. Few different values make ties.
func rowsOf(t *rapid.T, most int) []Row {
	figure := func(name string) metrics.Value {
		v := rapid.IntRange(-1, 60).Draw(t, name)
		return metrics.Value{V: float64(v), OK: v >= 0}
	}
	states := rapid.SampledFrom([]metrics.State{metrics.Done, metrics.Done, metrics.Done, metrics.Failed,
		metrics.Truncated, metrics.Cancelled})
	rows := make([]Row, rapid.IntRange(1, most).Draw(t, "requests"))
	for i := range rows {
		rows[i] = Row{ID: i + 1, N: i + 1, State: states.Draw(t, "state"), TTFT: figure("ttft"), Longest: figure("gap")}
	}
	return rows
}

// slowestOf are the IDs of the slowest of all rows, by the rule of keeper written
// out.
func slowestOf(rows []Row) []int {
	rank := func(of func(*Row) metrics.Value) map[int]int {
		var list []int
		for i := range rows {
			if rows[i].State != metrics.Cancelled && of(&rows[i]).OK {
				list = append(list, i)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int {
			return int(of(&rows[b]).V - of(&rows[a]).V)
		})
		ranks := map[int]int{}
		for at, i := range list {
			ranks[i] = at + 1
		}
		return ranks
	}
	byTTFT := rank(func(r *Row) metrics.Value { return r.TTFT })
	byGap := rank(func(r *Row) metrics.Value { return r.Longest })
	type slow struct{ order, id int }
	var all []slow
	for i := range rows {
		order := math.MaxInt
		if at, ok := byTTFT[i]; ok {
			order = 2 * at
		}
		if at, ok := byGap[i]; ok {
			order = min(order, 2*at+1)
		}
		if order < math.MaxInt {
			all = append(all, slow{order, rows[i].ID})
		}
	}
	slices.SortFunc(all, func(a, b slow) int { return a.order - b.order })
	var ids []int
	for _, s := range all[:min(len(all), Slowest)] {
		ids = append(ids, s.id)
	}
	return ids
}

// TestKeepsTheSlowestAndTheLast holds the rule of keeper: what is kept one by one
// is what the rule keeps of all.
func TestKeepsTheSlowestAndTheLast(t *testing.T) {
	packed := Pack(&metrics.Stream{})
	rapid.Check(t, func(t *rapid.T) {
		rows := rowsOf(t, 700)
		l := NewLog(0)
		for i := range rows {
			l.Add(rows[i], packed)
		}
		var want []int
		for i := max(len(rows)-Last, 0); i < len(rows); i++ {
			want = append(want, rows[i].ID)
		}
		want = append(want, slowestOf(rows)...)
		slices.Sort(want)
		want = slices.Compact(want)
		v := l.View()
		testkit.Given(t, slices.Equal(v.kept, want), "of %d requests it keeps %v, want %v", len(rows), v.kept, want)
		if figures, events := v.LeftOut(); figures != 0 || events != len(rows)-len(want) {
			t.Fatalf("left out %d figures and %d events of %d", figures, events, len(rows))
		}
	})
}

// TestLogBounds holds the bounds of rows: the last 10,000 and those of the kept
// streams, and views that never change.
func TestLogBounds(t *testing.T) {
	packed := Pack(&metrics.Stream{})
	l := NewLog(0)
	var early View
	const n = Figures + 3*pageRows + 17
	for i := range n {
		r := Row{ID: i + 1, N: i + 1, State: metrics.Done, TTFT: metrics.Known(float64(n-i), 1)}
		l.Add(r, packed)
		if i == 99 {
			early = l.View()
		}
		if v := l.View(); i%97 == 0 && (v.Len() < min(i+1, Figures) || v.Len() > Figures+Slowest ||
			v.Row(v.Len()-1).N != i+1) {
			t.Fatalf("after %d requests: %d rows, the last is %d", i+1, v.Len(), v.Row(v.Len()-1).N)
		}
	}
	v := l.View()
	// The 64 first ones have the longest TTFT.
	if v.Len() != Figures+Slowest || v.Row(0).N != 1 || v.Row(Slowest-1).N != Slowest || v.Row(Slowest).N != n-Figures+1 {
		t.Errorf("%d rows: %d … %d, %d …", v.Len(), v.Row(0).N, v.Row(Slowest-1).N, v.Row(Slowest).N)
	}
	if figures, events := v.LeftOut(); figures != n-Figures-Slowest || events != n-Last-Slowest {
		t.Errorf("left out %d figures and %d events", figures, events)
	}
	if !v.Kept(1) || v.Kept(Slowest+1) || !v.Kept(n) || v.Streams() != Slowest+Last {
		t.Errorf("keeps %d streams", v.Streams())
	}
	testkit.That(t, early.Len() == 100 && early.Row(99).N == 100 && early.Ended == 100,
		"an earlier view has changed: %d rows", early.Len())
}

// bytesOf is the memory of the rows and streams of a log.
func bytesOf(l *Log) int { return l.keep.bytes + len(l.pages)*pageRows*int(unsafe.Sizeof(Row{})) }

// TestMemoryBound holds the bound of memory with answers of 40,000 chunks, by
// what the heap really holds.
func TestMemoryBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	long := answer(rng, 1, 40_000)
	packed := Pack(&long)
	long = metrics.Stream{}
	one := packed.bytes
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	l := NewLog(0)
	most := 0
	for i := range 2*MaxBytes/one + 8 {
		p := *packed
		p.chunks.data, p.text = bytes.Clone(packed.chunks.data), bytes.Clone(packed.text)
		p.chunks.full = slices.Clone(packed.chunks.full)
		for k := range p.chunks.full {
			p.chunks.full[k] = bytes.Clone(p.chunks.full[k])
		}
		l.Add(Row{ID: i + 1, N: i + 1, State: metrics.Done, TTFT: metrics.Known(float64(i%50), 1)}, &p)
		most = max(most, bytesOf(l))
	}
	if most > MaxBytes || most < MaxBytes*9/10 {
		t.Errorf("counts up to %d bytes, the bound is %d", most, MaxBytes)
	}
	if held := heap() - before; held > MaxBytes+1<<20 || held < MaxBytes*8/10 {
		t.Errorf("holds %d bytes, the bound is %d", held, MaxBytes)
	}
	v := l.View()
	if v.Streams() < 50 || v.Len() != v.Ended {
		t.Errorf("%d streams and %d rows of %d are left", v.Streams(), v.Len(), v.Ended)
	}
	runtime.KeepAlive(l)
}

// TestOneTooLarge holds that an answer beyond the bound leaves its figures.
func TestOneTooLarge(t *testing.T) {
	l := NewLog(0)
	l.Add(Row{ID: 1, N: 1, TTFT: metrics.Known(1, 1)}, &Packed{bytes: MaxBytes + 1})
	l.Add(Row{ID: 2, N: 2}, &Packed{bytes: MaxBytes + 1})
	if v := l.View(); v.Streams() != 0 || v.Len() != 2 || bytesOf(l) > MaxBytes {
		t.Errorf("%d streams, %d rows, %d bytes", v.Streams(), v.Len(), bytesOf(l))
	}
}

// TestStream holds that a stream is found by its number.
func TestStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	l := NewLog(0)
	s := answer(rng, 9, 20)
	f := metrics.Measure(&s, metrics.Options{})
	l.Add(RowOf(1, 4, &s, &f), Pack(&s))
	p := l.Packed(9)
	testkit.That(t, p != nil && reflect.DeepEqual(p.Stream(), s), "stream 9 is %+v", p)
	testkit.Is(t, l.Packed(8), nil, "stream 8 is there")
	v := l.View()
	if r := v.Row(0); r.User != 4 || r.TTFT != f.TTFT || r.Longest != f.Longest ||
		r.Sent != s.Marks.Sent {
		t.Errorf("row %+v of %+v", r, f)
	}
}
