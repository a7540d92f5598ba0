package live

import (
	"slices"

	"tokscope/metrics"
)

// column is one column of the gap strip: one chunk, or several.
type column struct {
	mid, top float64 // median and longest of the known gaps, ms; -1 when none is known
	burst    bool    // a gap in it is unknown: the chunk shared its read
}

// strip holds the columns of a stream's gaps. Each column is computed once.
type strip struct {
	id    int
	group int // chunks a column
	cols  []column
	done  int // chunks in complete columns, counted from the first gap
	known []float64
}

// update computes the columns for at most room of them. A column is one chunk
// while all fit. Then columns hold 2, 4, 8 … chunks, so that the whole
// response stays visible and the picture is rarely redrawn.
func (t *strip) update(s *metrics.Stream, room int) {
	room = max(room, 1)
	gaps := max(len(s.Chunks)-1, 0)
	group := 1
	for (gaps+group-1)/group > room {
		group *= 2
	}
	if t.id != s.ID || t.group != group || t.done > gaps {
		*t = strip{id: s.ID, group: group, cols: t.cols[:0], known: t.known}
	}
	t.cols = t.cols[:t.done/group]
	for t.done < gaps {
		n := min(group, gaps-t.done)
		t.cols = append(t.cols, t.column(s, t.done+1, n))
		if n < group {
			return
		}
		t.done += n
	}
}

// column is the column of n chunks from first on.
func (t *strip) column(s *metrics.Stream, first, n int) column {
	c := column{mid: -1, top: -1}
	t.known = t.known[:0]
	for i := first; i < first+n; i++ {
		gap, burst := t.gapBefore(s, i)
		c.burst = c.burst || burst
		if gap >= 0 {
			t.known = append(t.known, gap)
		}
	}
	if k := len(t.known); k > 0 {
		slices.Sort(t.known)
		c.mid, c.top = t.known[(k-1)/2], t.known[k-1]
		if k%2 == 0 {
			c.mid = (t.known[k/2-1] + t.known[k/2]) / 2
		}
	}
	return c
}

// gapBefore is the time in ms between chunk i and the one before, -1 when
// unknown. burst reports that both came in one read.
func (t *strip) gapBefore(s *metrics.Stream, i int) (ms float64, burst bool) {
	if ms, ok := s.Gap(i); ok {
		return ms, false
	}
	if i < 1 || s.Chunks[i].Choice != s.Chunks[i-1].Choice {
		return -1, false
	}
	return -1, s.Chunks[i].Read == s.Chunks[i-1].Read
}
