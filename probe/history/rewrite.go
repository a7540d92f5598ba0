package history

import (
	"os"
	"slices"
	"time"

	"tokscope/metrics/history"
	"tokscope/probe/files"
	"tokscope/probe/record"
)

// rewrite replaces the file by one with the lines that keep wants. Lines of a later
// version stay, damaged ones go. With pruned the head counts what was removed.
func (s *Store) rewrite(keep func(e *history.Entry) bool, pruned bool) (removed int, err error) {
	unlock, err := s.lock(lockWithin)
	if err != nil {
		return 0, err
	}
	defer unlock()
	data, err := files.Read(s.Path())
	if missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	out := make([]byte, 0, len(data))
	leftOut := 0
	lines(data, func(line []byte) {
		switch kind, e, n := parseLine(line); kind {
		case lineHead:
			leftOut = n
			return
		case lineEntry:
			if !keep(&e) {
				removed++
				return
			}
		case lineNewer:
		default:
			return
		}
		out = append(append(out, line...), '\n')
	})
	if removed == 0 {
		return 0, nil
	}
	if pruned {
		leftOut += removed
	}
	out = append(record.HistoryHeadLine(leftOut, s.o.Now(), randomName()), out...)
	if err := os.Remove(s.path(indexName)); err != nil && !missing(err) {
		return 0, err
	}
	return removed, s.replace(fileName, out, true)
}

// Remove removes all entries that match q and returns their number. Offset and
// Limit do not count. Baselines stay.
func (s *Store) Remove(q history.Query) (int, error) {
	f, _, err := parse(&q, s.o.Now())
	if err != nil {
		return 0, err
	}
	removed, err := s.rewrite(func(e *history.Entry) bool {
		return !(q.Series == nil || *q.Series == e.Series) || !f.Series(&e.Series) || !f.Entry(e) ||
			!f.From.IsZero() && e.At.Before(f.From) || !f.To.IsZero() && !e.At.Before(f.To)
	}, false)
	return removed, wrap("rewrite", err)
}

// Prune removes entries older than the age, and the oldest ones if the file is
// larger than its bound: then a quarter, so that it is not soon due again. It
// returns their number, which View reports as LeftOut.
func (s *Store) Prune() (int, error) {
	oldest := s.o.Now().Add(-s.o.MaxAge)
	if info, err := os.Lstat(s.Path()); err == nil && info.Size() > s.o.MaxBytes {
		cut, err := s.cutFor(info.Size() - s.o.MaxBytes/4*3)
		if err != nil {
			return 0, wrap("prune", err)
		}
		if cut.After(oldest) {
			oldest = cut
		}
	}
	removed, err := s.rewrite(func(e *history.Entry) bool { return !e.At.Before(oldest) }, true)
	return removed, wrap("prune", err)
}

// cutFor returns the moment before which the entries have that many bytes or more.
func (d *directory) cutFor(bytes int64) (time.Time, error) {
	type part struct {
		at   time.Time
		size int64
	}
	var parts []part
	data, err := files.Read(d.Path())
	if err != nil {
		return time.Time{}, err
	}
	lines(data, func(line []byte) {
		if kind, e, _ := parseLine(line); kind == lineEntry {
			parts = append(parts, part{e.At, int64(len(line) + 1)})
		}
	})
	slices.SortFunc(parts, func(a, b part) int { return a.at.Compare(b.at) })
	for _, p := range parts {
		if bytes -= p.size; bytes <= 0 {
			return p.at.Add(1), nil
		}
	}
	return time.Time{}, nil
}

// pruneSlack is how much older than the age an entry becomes before the file is
// rewritten for it.
const pruneSlack = 24 * time.Hour

// overdue reports whether Prune has something to do: s.mu is held.
func (s *Store) overdue() bool {
	if s.offset > s.o.MaxBytes {
		return true
	}
	return len(s.table.order) > 0 && s.o.Now().Sub(time.Unix(0, s.table.at(s.table.order[0]))) > s.o.MaxAge+pruneSlack
}
