package metrics

import (
	"slices"
	"tokscope/metrics/stats"
)

// itlFold gathers the gaps per token (ITL).
//
// The convention: a gap is divided evenly over all tokens that arrived at its
// end, in one chunk or in several chunks of one read:
//
//	gap / m, counted m times      m = tokens of the read that ended the gap
//
// So the sum over all tokens is last − first chunk. A chunk of several tokens
// does not look like a stall, and a burst adds no zeros. (Other tools count
// one gap per chunk, or one gap and m − 1 zeros; both give different
// medians.) Tokens before the first gap have no ITL. A read without a
// complete token, such as half of a character, passes its gap on to the next
// read.
//
// m is the sum of the chunks' token counts where every chunk carries one.
// Otherwise m is chunks · (tokens of the response / its chunks).
type itlFold struct {
	perChunk, perToken itlList
	allCounted         bool // every chunk so far carried its count of tokens

	// The read that is still open.
	known  bool // its gap is
	gap    float64
	chunks int
	tokens float64
	carry  float64 // gap of previous reads without a token

}

// itlList is a sorted sample with its fresh values and the index of its
// provisional one.
type itlList struct {
	sorted, fresh []stats.Weighted
	values        []float64  // scratch of merge
	at            int        // of the provisional value, -1 without one
	shared        []sharedMs // of reads with several chunks
}

// sharedMs is a time that n chunks or tokens share in an unknown way, as one
// entry of an itlList.
type sharedMs struct {
	ms float64
	n  int
	as stats.Weighted
}

func (l *itlList) empty() itlList {
	return itlList{sorted: l.sorted[:0], fresh: l.fresh[:0],
		values: l.values, at: -1, shared: l.shared[:0]}
}

// add takes an entry of a read; several chunks share ms.
func (l *itlList) add(ms float64, e stats.Weighted, several bool) {
	l.fresh = append(l.fresh, e)
	if several {
		l.shared = append(l.shared, sharedMs{ms, int(e.W), e})
	}
}

func (l *itlList) merge() {
	stats.SortWeighted(l.fresh, &l.values)
	l.sorted = mergeSorted(l.sorted, l.fresh, func(a, b stats.Weighted) bool { return a.Compare(b) < 0 })
	l.fresh = l.fresh[:0]
}

func (l *itlList) lend(e stats.Weighted) {
	l.at, _ = slices.BinarySearchFunc(l.sorted, e, stats.Weighted.Compare)
	l.sorted = slices.Insert(l.sorted, l.at, e)
}

func (l *itlList) takeBack() {
	if l.at >= 0 {
		l.sorted = slices.Delete(l.sorted, l.at, l.at+1)
		l.at = -1
	}
}

func (f *itlFold) empty() itlFold {
	return itlFold{perChunk: f.perChunk.empty(), perToken: f.perToken.empty(), allCounted: true}
}

// begin adds the first chunk, which has no gap.
func (f *itlFold) begin(tokens int16) {
	f.allCounted = tokens >= 0
	f.known, f.chunks, f.tokens = false, 1, float64(max(tokens, 0))
}

// add takes a chunk that came ms after the one before (if ok); together says
// that it came at the same moment as far as anybody can tell.
func (f *itlFold) add(ms float64, ok, together bool, tokens int16) {
	f.allCounted = f.allCounted && tokens >= 0
	if !together {
		f.finish()
		f.known, f.gap, f.chunks, f.tokens = ok, ms, 0, 0
	}
	f.chunks++
	f.tokens += float64(max(tokens, 0))
}

// finish closes the current read.
func (f *itlFold) finish() {
	if !f.known {
		f.carry = 0
		return
	}
	f.perChunk.add(f.gap, f.chunkEntry(), f.chunks > 1)
	if !f.allCounted {
		return
	}
	if f.tokens == 0 {
		f.carry += f.gap
		return
	}
	f.perToken.add(f.gap+f.carry, f.tokenEntry(), f.chunks > 1)
	f.carry = 0
}

func (f *itlFold) chunkEntry() stats.Weighted {
	return stats.Weighted{V: f.gap / float64(f.chunks), W: float64(f.chunks)}
}

func (f *itlFold) tokenEntry() stats.Weighted {
	return stats.Weighted{V: (f.gap + f.carry) / f.tokens, W: f.tokens}
}

// mergeNew sorts in what is new, and the read that may still grow with what it
// has by now.
func (f *itlFold) mergeNew() {
	f.perChunk.merge()
	f.perToken.merge()
	if !f.known {
		return
	}
	f.perChunk.lend(f.chunkEntry())
	if f.allCounted && f.tokens > 0 {
		f.perToken.lend(f.tokenEntry())
	}
}

// ITLSource says which token count divided a gap.
type ITLSource uint8

const (
	ITLUnknown ITLSource = iota
	ITLCounted           // that of each chunk, as the server reports it
	ITLMean              // the mean of the response
)

// String returns the word used on screen and in JSON, "" for ITLUnknown.
func (s ITLSource) String() string { return [...]string{"", "counted", "mean"}[s%3] }

// sample returns the sorted sample, its scale, and how the tokens of a chunk
// were known. scale turns values into ms per token and divides the weights.
// perChunk is the mean number of tokens per chunk.
func (f *itlFold) sample(perChunk Value) (x []stats.Weighted, scale float64, from ITLSource) {
	switch {
	case f.allCounted && len(f.perToken.sorted) > 0:
		return f.perToken.sorted, 1, ITLCounted
	case len(f.perChunk.sorted) == 0 || !perChunk.OK || perChunk.V <= 0:
		return nil, 1, ITLUnknown
	}
	return f.perChunk.sorted, 1 / perChunk.V, ITLMean
}

func (f *itlFold) dist(perChunk Value) (d Dist, from ITLSource) {
	x, scale, from := f.sample(perChunk)
	if len(x) == 0 && len(f.perChunk.sorted) > 0 {
		return emptyDist(WhyNoTokens), ITLUnknown
	}
	return weightedDist(x, scale, WhyNoGap), from
}

// addTo adds the sample from that source to s, and what reads of several chunks
// hide, with times scale and weights divided by it.
func (f *itlFold) addTo(s *Sketch, x []stats.Weighted, scale float64, from ITLSource) {
	s.of.AddSorted(x, scale)
	list := &f.perChunk
	switch from {
	case ITLUnknown:
		return
	case ITLCounted:
		list = &f.perToken
	}
	for i := range list.shared {
		s.share(&list.shared[i], scale)
	}
	if !f.known || f.chunks < 2 {
		return
	}
	switch e := f.chunkEntry(); {
	case from != ITLCounted:
		s.share(&sharedMs{f.gap, f.chunks, e}, scale)
	case f.allCounted && f.tokens > 0:
		e = f.tokenEntry()
		s.share(&sharedMs{f.gap + f.carry, int(e.W), e}, scale)
	}
}

// share counts what x hides, with times scale and weights divided by it.
func (s *Sketch) share(x *sharedMs, scale float64) {
	if x.n < 2 {
		return
	}
	s.unknown += x.n - 1
	s.of.Leave(x.as.V*scale, x.as.W/scale)
	s.of.Hide(stats.Part{Sum: x.ms * scale, N: x.n}, stats.Part{}, 1/scale)
}

// mergeSorted merges the ascending fresh into the ascending into, in place
// from the back: O(len(into) + len(fresh)), without sorting the sorted part.
func mergeSorted[T any](into, fresh []T, less func(a, b T) bool) []T {
	n, m := len(into), len(fresh)
	into = append(into, fresh...)
	i, j := n-1, m-1
	for k := n + m - 1; j >= 0; k-- {
		if i >= 0 && less(fresh[j], into[i]) {
			into[k] = into[i]
			i--
		} else {
			into[k] = fresh[j]
			j--
		}
	}
	return into
}
