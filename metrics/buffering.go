package metrics

import (
	"math"
	"slices"
	"tokscope/metrics/stats"
)

// BufferKind says when something on the way passes on what it has collected:
// one of the constants below. The words are part of the JSON output.
type BufferKind string

const (
	BufferUndecided BufferKind = ""      // too few bursts, or the evidence does not decide
	BufferSize      BufferKind = "size"  // when it holds Buffering.Bytes
	BufferTimer     BufferKind = "timer" // after Buffering.Ms
	BufferCount     BufferKind = "count" // the same number of chunks each time: a server can send them so
)

// Buffering describes a stream that comes in bursts with silences between
// them. The zero value says nothing.
type Buffering struct {
	Kind   BufferKind `json:"kind"`   // what is constant; "" where nothing decides
	Bursts int        `json:"bursts"` // complete ones: without the first and the last
	// Bytes of a burst: the fitted size of the buffer for BufferSize, else the
	// median. BytesLow and BytesHigh are the extremes.
	Bytes     float64 `json:"bytes" form:"null=zero"`
	BytesLow  float64 `json:"bytes_min" form:"null=zero"`
	BytesHigh float64 `json:"bytes_max" form:"null=zero"`
	// Ms from burst to burst: median and extremes.
	Ms     float64 `json:"ms" form:"null=zero"`
	MsLow  float64 `json:"ms_min" form:"null=zero"`
	MsHigh float64 `json:"ms_max" form:"null=zero"`
}

// flush is one burst: chunks with at most flushWithin between them.
type flush struct {
	at     Stamp
	bytes  int32 // of all events that it completed
	first  int32 // of its first event, part of which may have come before
	chunks int32
	span   float64 // from its first to its last chunk, ms
}

// flushFold holds the bursts of a stream, over all choices.
type flushFold struct {
	all     []flush // the first maxFlushes
	n       int     // also those that are not kept
	chunks  int
	last    Stamp // of the last chunk
	event   int32 // of the last chunk: an event counts once
	largest int32 // event, bytes
}

func (l flushFold) empty() flushFold { return flushFold{all: l.all[:0], last: NoStamp, event: -1} }

// add counts a chunk.
func (l *flushFold) add(c *Chunk) {
	l.chunks++
	ms, ok := stampMs(c.At, l.last)
	if l.n == 0 || ok && ms > flushWithin {
		l.n++
		if len(l.all) < maxFlushes {
			l.all = append(l.all, flush{at: c.At, first: c.Bytes})
		}
	}
	if c.At.Known() {
		l.last = c.At
	}
	fresh := c.Event != l.event
	l.event = c.Event
	if l.n > len(l.all) {
		return
	}
	f := &l.all[len(l.all)-1]
	f.chunks++
	if fresh {
		f.bytes += c.Bytes
		l.largest = max(l.largest, c.Bytes)
	}
	if ms, ok := stampMs(c.At, f.at); ok {
		f.span = max(f.span, ms)
	}
}

// collected returns the chunks a burst and the median time from burst to
// burst in ms. ok says that a step of an engine does not explain them, that
// there are minFlushes or more, and that the silences between them are longer
// than they are.
func (l *flushFold) collected() (each, between float64, ok bool) {
	if l.n < minFlushes {
		return 0, 0, false
	}
	each = float64(l.chunks) / float64(l.n)
	if each < bufferedChunks {
		return 0, 0, false
	}
	spans, apart := 0.0, make([]float64, 0, len(l.all)-1)
	for i := range l.all[1:] {
		ms, known := stampMs(l.all[i+1].at, l.all[i].at)
		if !known {
			return 0, 0, false
		}
		apart = append(apart, ms)
		spans += l.all[i].span
	}
	total := 0.0
	for _, ms := range apart {
		total += ms
	}
	slices.Sort(apart)
	between = stats.Quantile(apart, 0.5)
	long := each >= bufferedChunks && between >= bufferedWait || each >= bufferedMany && between >= bufferedSoon
	return each, between, long && spans <= flushShare*total
}

// judge says what is constant from burst to burst. It needs what collected
// needs.
//
// A buffer of a size cuts the stream wherever it is full, also inside an
// event, so the bytes at the ends of bursts lie on a line: see lattice. A
// timer cuts it at equal times, whatever the bytes. Where both hold, as in a
// stream without jitter, the times decide: those of a full buffer are whole
// multiples of the gap between chunks and differ by one of them.
func (l *flushFold) judge() Buffering {
	if len(l.all) < 3 {
		return Buffering{}
	}
	whole := l.all[1 : len(l.all)-1]
	if l.n > len(l.all) {
		whole = l.all[1:]
	}
	apart, bytes := make([]float64, len(whole)), make([]float64, len(whole))
	chunks, other := 0, 0
	usual := usualChunks(whole)
	for i := range whole {
		apart[i], _ = stampMs(whole[i].at, l.all[i].at)
		bytes[i] = float64(whole[i].bytes)
		chunks += int(whole[i].chunks)
		if whole[i].chunks != usual {
			other++
		}
	}
	slices.Sort(apart)
	slices.Sort(bytes)
	n := len(whole)
	b := Buffering{
		Bursts: n, Ms: stats.Quantile(apart, 0.5), MsLow: apart[0], MsHigh: apart[n-1],
		Bytes: stats.Quantile(bytes, 0.5), BytesLow: bytes[0], BytesHigh: bytes[n-1],
	}
	if n < minWhole {
		return b
	}
	gap := b.Ms * float64(n) / float64(chunks) // between chunks, ms
	spread := stats.Quantile(apart, 0.9) - stats.Quantile(apart, 0.1)
	constant := spread <= max(timerSpread*b.Ms, gap)
	event := float64(l.largest)
	longer, unsure := l.longer(n)
	longer, unsure = longer/gap, unsure/gap
	size, fits := l.lattice(n)
	cork := b.MsLow >= corkLow && b.MsHigh <= corkHigh
	switch {
	case other == 0:
		b.Kind = BufferCount
		if exact := l.onLine(n); exact > 0 && !usualBatch(usual) && !cork {
			b.Kind, b.Bytes = BufferSize, float64(exact)
		}
	case b.MsHigh-b.MsLow < clockShare*gap && longer < longerBy:
		if n >= minTimes && other >= max(2, n/8) {
			b.Kind = BufferTimer
		}
	case fits:
		usual, full := usualSize(size) > 0, longer >= 1-longerBy/2
		switch {
		case usual && (!constant || full), n >= minLattice && !cork && (!constant || full && longer > slopeErrors*unsure):
			b.Kind, b.Bytes = BufferSize, size
		case !usual && n >= minTimes && cork && longer < longerBy:
			b.Kind = BufferTimer // the bytes are on a line by chance
		}
	case b.BytesHigh-b.BytesLow <= event:
		// Whole events until a limit: times that differ more than their rounding
		// leave only the bytes constant.
		if b.MsHigh-b.MsLow > max(unevenGaps*gap, unevenShare*b.Ms) && n >= minLattice {
			b.Kind = BufferSize
		}
	case n >= minTimes && constant && longer < longerBy:
		b.Kind = BufferTimer
	}
	return b
}

// usualChunks returns the most frequent number of chunks.
func usualChunks(bursts []flush) int32 {
	count := map[int32]int{}
	best := int32(0)
	for i := range bursts {
		n := bursts[i].chunks
		if count[n]++; count[n] > count[best] || count[n] == count[best] && n < best {
			best = n
		}
	}
	return best
}

// longer returns by how much longer a burst of the first n+1, without the first,
// was waited for with each chunk that it has more: the slope of time over
// chunks by least squares, ms, and its standard error. With a timer it is 0,
// with a full buffer the gap between chunks.
func (l *flushFold) longer(n int) (slope, unsure float64) {
	chunks, ms := 0.0, 0.0
	for k := 1; k <= n; k++ {
		d, _ := stampMs(l.all[k].at, l.all[k-1].at)
		chunks, ms = chunks+float64(l.all[k].chunks)/float64(n), ms+d/float64(n)
	}
	both, square, times := 0.0, 0.0, 0.0
	for k := 1; k <= n; k++ {
		d, _ := stampMs(l.all[k].at, l.all[k-1].at)
		c := float64(l.all[k].chunks) - chunks
		both, square, times = both+c*(d-ms), square+c*c, times+(d-ms)*(d-ms)
	}
	if square == 0 || n < 3 {
		return 0, math.Inf(1)
	}
	slope = both / square
	return slope, math.Sqrt(max(0, times-slope*both) / float64(n-2) / square)
}

// usualBatch reports whether a server may well send n chunks at a time.
func usualBatch(n int32) bool { return n&(n-1) == 0 || n%5 == 0 || n%12 == 0 }

// onLine returns the power of two for which the bytes at the ends of the first
// n+1 bursts lie on a line, see lattice; 0 for none.
func (l *flushFold) onLine(n int) int {
	bounds := l.bounds(n)
	for usual := 1 << 10; usual <= 1<<20; usual *= 2 {
		if misses(bounds, float64(usual)) <= 0 {
			return usual
		}
	}
	return 0
}

// lattice fits equal steps to the bytes at the ends of the first n+1 bursts.
// A buffer of B bytes ends burst k at o + k·B, inside the event that the next
// burst completes. With S_k the bytes of complete events until then, and L_k
// the bytes of that event,
//
//	S_k ≤ o + k·B ≤ S_k + L_k  for all k.
//
// The smallest distance by which these fail is convex in B. fits reports that
// it is at most latticeSlack of the largest event.
func (l *flushFold) lattice(n int) (size float64, fits bool) {
	bounds := l.bounds(n)
	a, b := 0.0, bounds[len(bounds)-1][0]
	for range 80 {
		if third := (b - a) / 3; misses(bounds, a+third) < misses(bounds, b-third) {
			b -= third
		} else {
			a += third
		}
	}
	size = (a + b) / 2
	return size, misses(bounds, size) <= latticeSlack*float64(l.largest)
}

// bounds returns the bytes between which each of the first n+1 bursts ended: S_k
// and S_k + L_k of lattice.
func (l *flushFold) bounds(n int) [][2]float64 {
	out := make([][2]float64, 0, n+1)
	sum := 0.0
	for k := 0; k <= n && k < len(l.all); k++ {
		sum += float64(l.all[k].bytes)
		next := 0.0
		if k+1 < len(l.all) {
			next = float64(l.all[k+1].first)
		}
		out = append(out, [2]float64{sum, sum + next})
	}
	return out
}

// misses returns by how many bytes a line with these steps misses bounds; 0 or
// less where it passes all of them.
func misses(bounds [][2]float64, step float64) float64 {
	low, high := bounds[0][0], bounds[0][1]
	for k := range bounds {
		at := float64(k) * step
		low, high = max(low, bounds[k][0]-at), min(high, bounds[k][1]-at)
	}
	return low - high
}

// Corked reports whether the time between bursts of BufferTimer is the one for
// which Linux holds the small writes of a program that announces more
// (MSG_MORE, TCP_CORK): 200 ms from the first of them, by a timer that ticks
// every 4 or 10 ms. Source: tcp(7); measured with HAProxy 2.6: 208 to 216 ms.
func (b *Buffering) Corked() bool {
	return b.Kind == BufferTimer && b.Ms >= corkLow && b.Ms <= corkHigh
}

// Usual returns the size of a buffer of BufferSize in bytes where it is one
// that buffers usually have: a power of two from 1 KiB to 1 MiB, within
// usualSlack. It returns 0 for any other.
func (b *Buffering) Usual() int {
	if b.Kind != BufferSize {
		return 0
	}
	return usualSize(b.Bytes)
}

func usualSize(bytes float64) int {
	for usual := 1 << 10; usual <= 1<<20; usual *= 2 {
		if u := float64(usual); bytes >= u*(1-usualSlack) && bytes <= u*(1+usualSlack) {
			return usual
		}
	}
	return 0
}
