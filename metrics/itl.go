package metrics

import "slices"

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
	sorted, fresh []weighted
	values        []float64  // scratch of merge
	at            int        // of the provisional value, -1 without one
	shared        []sharedMs // of reads with several chunks
	edges         edges      // of the first edged of them, sorted
	edged         int
	unknown       int // gaps in those
}

// sharedMs is a time that n chunks or tokens share in an unknown way, as one
// entry of an itlList: w times v.
type sharedMs struct {
	ms   float64
	n    int
	v, w float64
}

func (l *itlList) empty() itlList {
	return itlList{sorted: l.sorted[:0], fresh: l.fresh[:0],
		values: l.values, at: -1, shared: l.shared[:0], edges: l.edges.empty()}
}

// add takes an entry of a read; several chunks share ms.
func (l *itlList) add(ms float64, e weighted, several bool) {
	l.fresh = append(l.fresh, e)
	if several {
		l.shared = append(l.shared, sharedMs{ms, int(e.w), e.v, e.w})
	}
}

func (l *itlList) merge() {
	sortWeighted(l.fresh, &l.values)
	l.sorted = mergeSorted(l.sorted, l.fresh, lessWeighted)
	l.fresh = l.fresh[:0]
}

func (l *itlList) lend(e weighted) { l.sorted, l.at = insertWeighted(l.sorted, e) }

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

func (f *itlFold) chunkEntry() weighted {
	return weighted{f.gap / float64(f.chunks), float64(f.chunks)}
}

func (f *itlFold) tokenEntry() weighted { return weighted{(f.gap + f.carry) / f.tokens, f.tokens} }

// withdraw removes the unfinished read from the lists.
func (f *itlFold) withdraw() {
	f.perChunk.takeBack()
	f.perToken.takeBack()
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
func (f *itlFold) sample(perChunk Value) (x []weighted, scale float64, from ITLSource) {
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
	return weightedDist(x, scale, len(x), WhyNoGap), from
}

// shared adds to e what reads of several chunks hide in the sample from that
// source, and returns the number of tokens (of chunks) whose gap is not known
// by itself.
func (f *itlFold) shared(e *edges, from ITLSource) (unknown int) {
	list, open := &f.perChunk, sharedMs{}
	if from == ITLCounted {
		list = &f.perToken
	}
	for ; list.edged < len(list.shared); list.edged++ {
		list.unknown += list.edges.shared(&list.shared[list.edged])
	}
	list.edges.sort()
	e.join(&list.edges)
	unknown = list.unknown
	if f.known && f.chunks > 1 {
		switch x := f.chunkEntry(); {
		case from != ITLCounted:
			open = sharedMs{f.gap, f.chunks, x.v, x.w}
		case f.allCounted && f.tokens > 0:
			x = f.tokenEntry()
			open = sharedMs{f.gap + f.carry, int(x.w), x.v, x.w}
		}
		unknown += e.shared(&open)
	}
	return unknown
}
