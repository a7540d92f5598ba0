package request

import (
	"cmp"
	"slices"

	"tokscope/metrics"
)

// Bounds of a Log.
const (
	// Figures is the number of requests whose rows are kept: the last ones. With
	// 410 bytes each they take 4 MB.
	Figures = 10_000
	// Slowest and Last are the numbers of requests whose streams are kept.
	Slowest, Last = 64, 256
	// MaxBytes bounds the memory of rows and streams together.
	MaxBytes = 64 << 20
)

// entry is a request whose stream is kept.
type entry struct {
	index  int // in the order of ending, from 0
	row    Row
	packed *Packed
	last   bool // one of the last
	slow   bool // one of the slowest
	placed bool // scratch of slowest
}

// keeper keeps the streams of the slowest and of the last requests.
//
// The slowest are found by rank. Let a request be the i-th by its TTFT and the
// k-th by its longest gap, the longest first, ties to the earlier request. All
// requests are put in the order of
//
//	min(2·i, 2·k + 1)
//
// and the first Slowest of them are kept: by turns the one with the longest TTFT
// and the one with the longest gap that are not kept yet. A canceled request has
// no rank, and an unknown figure gives none.
//
// A request that is not kept can never belong to them later. A new request
// moves those behind it back, in the same turns. So nothing but the kept ones is
// needed.
//
// Over the bound of memory the oldest of the last that is not slow goes first,
// then the least slow.
type keeper struct {
	entries []*entry // by index
	bytes   int      // of their streams
	room    int      // most bytes of streams

	byTTFT, byGap []*entry // scratch
}

// add takes the stream of the request that ended as number index.
func (k *keeper) add(index int, row *Row, p *Packed) {
	k.entries = append(k.entries, &entry{index: index, row: *row, packed: p, last: true, slow: true})
	k.bytes += p.bytes
	last := len(k.entries) - 1
	for i, e := range k.entries {
		e.last = index-e.index < Last && (e.last || i == last)
	}
	if order := k.slowest(); len(order) > Slowest {
		for _, e := range order[Slowest:] {
			e.slow = false
		}
	}
	k.drop(func(e *entry) bool { return !e.last && !e.slow })
	for k.bytes > k.room && len(k.entries) > 0 {
		k.shrink()
	}
}

// slowest returns the slow entries in the order of slowness, and makes those
// without a rank not slow.
func (k *keeper) slowest() []*entry {
	k.byTTFT, k.byGap = k.byTTFT[:0], k.byGap[:0]
	for _, e := range k.entries {
		if !e.slow {
			continue
		}
		e.placed = false
		e.slow = e.row.State != metrics.Cancelled && (e.row.TTFT.OK || e.row.Longest.OK)
		if !e.slow {
			continue
		}
		if e.row.TTFT.OK {
			k.byTTFT = append(k.byTTFT, e)
		}
		if e.row.Longest.OK {
			k.byGap = append(k.byGap, e)
		}
	}
	slices.SortFunc(k.byTTFT,
		func(a, b *entry) int { return cmp.Or(cmp.Compare(b.row.TTFT.V, a.row.TTFT.V), a.index-b.index) })
	slices.SortFunc(k.byGap,
		func(a, b *entry) int { return cmp.Or(cmp.Compare(b.row.Longest.V, a.row.Longest.V), a.index-b.index) })
	out := make([]*entry, 0, Slowest+1)
	add := func(list []*entry, i int) {
		if i < len(list) && !list[i].placed {
			list[i].placed = true
			out = append(out, list[i])
		}
	}
	for i := range max(len(k.byTTFT), len(k.byGap)) {
		add(k.byTTFT, i)
		add(k.byGap, i)
	}
	return out
}

// drop removes the entries that which names.
func (k *keeper) drop(which func(*entry) bool) {
	k.entries = slices.DeleteFunc(k.entries, func(e *entry) bool {
		is := which(e)
		if is {
			k.bytes -= e.packed.bytes
		}
		return is
	})
}

// shrink removes one entry.
func (k *keeper) shrink() {
	i := slices.IndexFunc(k.entries, func(e *entry) bool { return !e.slow })
	if i < 0 {
		order := k.slowest()
		i = slices.Index(k.entries, order[len(order)-1])
	}
	one := k.entries[i]
	k.drop(func(e *entry) bool { return e == one })
}
