package history

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"tokscope/metrics/history"
	"tokscope/probe/files"
	"tokscope/probe/result"
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
	out = append(result.HistoryHeadLine(leftOut, s.o.Now(), randomName()), out...)
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

// Prune removes entries that are older than the age, as ageCut says, and the oldest
// ones if the file is larger than its bound: then a quarter, so that it is not soon due
// again. It returns their number, which View reports as LeftOut; Notes says it once.
func (s *Store) Prune() (int, error) {
	s.mu.Lock()
	err := s.refresh()
	oldest := s.ageCut()
	s.mu.Unlock()
	if err != nil {
		return 0, wrap("prune", err)
	}
	why := fmt.Sprintf("older than %d days", s.o.MaxAge/day)
	if info, err := os.Lstat(s.Path()); err == nil && info.Size() > s.o.MaxBytes {
		cut, err := s.cutFor(info.Size() - s.o.MaxBytes/4*3)
		if err != nil {
			return 0, wrap("prune", err)
		}
		if cut.After(oldest) {
			oldest, why = cut, fmt.Sprintf("its file was larger than %d MB", s.o.MaxBytes>>20)
		}
	}
	if oldest.IsZero() {
		return 0, nil
	}
	removed, err := s.rewrite(func(e *history.Entry) bool { return !e.At.Before(oldest) }, true)
	if removed > 0 {
		before := oldest.UTC().Format("2006-01-02 15:04 UTC")
		s.mu.Lock()
		s.notes = append(s.notes, fmt.Sprintf(
			"the history removed %d of its requests, all from before %s (%s)", removed, before, why))
		s.mu.Unlock()
	}
	return removed, wrap("prune", err)
}

// Notes returns sentences on what was removed since the last call. A nil Store has none.
func (s *Store) Notes() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	notes := s.notes
	s.notes = nil
	return notes
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

// A clock may be wrong for a while. So age alone removes little at once, and only what
// many days speak for.
const (
	// pruneDays is on how many days there must be entries before anything counts as
	// old, and how many days must be too old before they are removed.
	pruneDays = 7
	// pruneShare is the divisor of the entries that age removes at once: a tenth.
	pruneShare = 10
)

// ageCut returns the moment before which entries are removed for their age, the zero
// time when none are: s.mu is held. Age counts back from the seventh newest day with
// entries, or from now if that is earlier: the entries of a clock that stood ahead
// for less than a week make no other entry old. Days of entries that a clock left
// behind do not count as old alone. Within a day of the last rewriting nothing is cut.
func (s *Store) ageCut() time.Time {
	t, now := &s.table, s.o.Now()
	n := len(t.order)
	at := func(i int) time.Time { return time.Unix(0, t.at(t.order[i])) }
	if n < pruneShare || now.Sub(at(0)) <= s.o.MaxAge || now.Sub(s.written()).Abs() < day {
		return time.Time{}
	}
	newest, days := n-1, 1
	for i := n - 2; i >= 0 && days < pruneDays; i-- {
		if !sameDay(at(i), at(newest)) {
			newest, days = i, days+1
		}
	}
	from := now
	if at(newest).Before(now) {
		from = at(newest)
	}
	oldest := from.Add(-s.o.MaxAge)
	old, oldDays := 0, 0
	for ; old < n && at(old).Before(oldest); old++ {
		if old == 0 || !sameDay(at(old), at(old-1)) {
			oldDays++
		}
	}
	if days < pruneDays || oldDays < pruneDays {
		return time.Time{}
	}
	return at(min(old, n/pruneShare))
}

// sameDay reports whether two moments are of one day of UTC.
func sameDay(a, b time.Time) bool { return a.UTC().Truncate(day).Equal(b.UTC().Truncate(day)) }

// written returns when the file was begun or rewritten, the zero time if it does not
// say so: s.mu is held.
func (s *Store) written() time.Time {
	var head result.HistoryHead
	if json.Unmarshal(s.head, &head) != nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, head.Written)
	if err != nil {
		return time.Time{}
	}
	return at
}

// overdue reports whether Prune has something to do: s.mu is held.
func (s *Store) overdue() bool { return s.offset > s.o.MaxBytes || !s.ageCut().IsZero() }
