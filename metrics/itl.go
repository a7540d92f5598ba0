package metrics

import "slices"

// itlFold gathers the gaps per token (ITL).
//
// The convention: a gap is divided evenly over all the tokens that came at its
// end, in one chunk or in several chunks of one read:
//
//	gap / m, counted m times      m = tokens of the read that ended the gap
//
// So the sum over all tokens is last − first chunk, a chunk of several tokens
// does not look like a stall, and a burst brings no zeros. (Other tools count
// one gap a chunk, or one gap and m − 1 zeros; both are medians of something
// else.) Tokens before the first gap have none. A read that stands for no token
// at all, such as half of a character, leaves its gap to the next one.
//
// m comes from the chunks where each of them tells its tokens. Else every chunk
// stands for the same number, the tokens of the response over its chunks.
type itlFold struct {
	perChunk, perToken itlList
	allCounted         bool // every chunk so far told its tokens

	// The read that is not over yet.
	known  bool // its gap is
	gap    float64
	chunks int
	tokens float64
	carry  float64 // gap left by reads that stand for no token

}

// itlList is a sorted sample with its fresh values and the place of the one
// that is in it only for now.
type itlList struct {
	sorted, fresh []weighted
	at            int // of the provisional one, -1 when there is none
}

func (l *itlList) empty() itlList { return itlList{l.sorted[:0], l.fresh[:0], -1} }

func (l *itlList) merge() {
	slices.SortFunc(l.fresh, compareWeighted)
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

// begin takes the first chunk: it has no gap.
func (f *itlFold) begin(tokens int16) {
	f.allCounted = tokens >= 0
	f.known, f.chunks, f.tokens = false, 1, float64(max(tokens, 0))
}

// take takes a chunk that came ms after the one before (if ok); together says
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
	f.perChunk.fresh = append(f.perChunk.fresh, f.chunkEntry())
	if !f.allCounted {
		return
	}
	if f.tokens == 0 {
		f.carry += f.gap
		return
	}
	f.perToken.fresh = append(f.perToken.fresh, f.tokenEntry())
	f.carry = 0
}

func (f *itlFold) chunkEntry() weighted {
	return weighted{f.gap / float64(f.chunks), float64(f.chunks)}
}

func (f *itlFold) tokenEntry() weighted { return weighted{(f.gap + f.carry) / f.tokens, f.tokens} }

// withdraw takes the unfinished read out of the lists again.
func (f *itlFold) withdraw() {
	f.perChunk.takeBack()
	f.perToken.takeBack()
}

// settle sorts in what is new, and the read that may still grow with what it
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

// What Figures.ITLFrom says.
const (
	itlFromChunks = "tokens of each chunk, as told by the server"
	itlFromMean   = "mean tokens per chunk"
)

// sample returns the sorted sample, the factor that turns its values into ms per
// token (and divides its weights), and how the tokens of a chunk were known.
// perChunk is the mean number of tokens a chunk stands for.
func (f *itlFold) sample(perChunk Value) (x []weighted, scale float64, from string) {
	switch {
	case f.allCounted && len(f.perToken.sorted) > 0:
		return f.perToken.sorted, 1, itlFromChunks
	case len(f.perChunk.sorted) == 0 || !perChunk.OK || perChunk.V <= 0:
		return nil, 1, ""
	}
	return f.perChunk.sorted, 1 / perChunk.V, itlFromMean
}

func (f *itlFold) dist(perChunk Value) (d Dist, from string) {
	x, scale, from := f.sample(perChunk)
	if len(x) == 0 && len(f.perChunk.sorted) > 0 {
		return emptyDist("tokens unknown"), ""
	}
	return weightedDist(x, scale, len(x), "no known gap"), from
}
