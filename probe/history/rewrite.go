package history

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"tokscope/metrics/history"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// rewrite replaces the file by one without the entries of the rows that choose returns,
// and the index with it. Lines of a later version stay, damaged ones go. With pruned the
// head counts what was removed. s.mu is held.
func (s *Store) rewrite(choose func() ([]int32, error), pruned bool) (removed int, err error) {
	if err := s.refresh(); err != nil { // most of it without the lock
		return 0, err
	}
	unlock, err := s.lock(lockWithin)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if err := s.refresh(); err != nil {
		return 0, err
	}
	gone, err := choose()
	if err != nil || len(gone) == 0 {
		return 0, err
	}
	s.rewriting.Store(true)
	defer s.rewriting.Store(false)
	stays := make(map[id]bool, len(s.table.order))
	for _, i := range s.table.order {
		stays[s.table.rows[i].id] = true
	}
	for _, i := range gone {
		stays[s.table.rows[i].id] = false
	}
	leftOut, newer := s.leftOut, s.newer
	if pruned {
		leftOut += len(gone)
	}
	if err := os.Remove(s.path(indexName)); err != nil && !missing(err) {
		return 0, err
	}
	head := result.HistoryHeadLine(leftOut, s.Now(), rand.Text())
	size := int64(len(head))
	err = s.fill(fileName, true, func(w *bufio.Writer) error {
		_, _ = w.Write(head) // the first error of w is that of its Flush
		return s.scan(func(line []byte) {
			if key, kind := keyOf(line); kind == lineEntry && stays[key] || kind == lineNewer {
				_, _ = w.Write(line)
				_ = w.WriteByte('\n')
				size += int64(len(line)) + 1
			}
		})
	})
	if err != nil {
		return 0, err
	}
	kept := tableOf(&s.table, stays)
	s.forget()
	s.table, s.head, s.offset, s.newer, s.leftOut = kept, bytes.TrimSuffix(head, []byte("\n")), size, newer, leftOut
	s.note(s.table.order, true)
	_ = s.writeIndex() // else the next one that reads writes it
	return len(gone), nil
}

// scan calls f with each line of the file.
func (s *Store) scan(f func(line []byte)) error {
	file, err := files.Open(s.Path(), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, _, err = eachLine(bufio.NewReaderSize(file, 256<<10), func(line []byte) bool {
		f(line)
		return true
	})
	return err
}

// Remove removes all entries that match q and returns their number. Offset and
// Limit do not count. Baselines stay.
func (s *Store) Remove(q history.Query) (int, error) {
	f, _, err := parse(&q, s.Now())
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	removed, err := s.rewrite(func() ([]int32, error) {
		rows, _ := s.match(q.Series, &f)
		return rows, nil
	}, false)
	return removed, wrap("rewrite", err)
}

// Prune removes entries that are older than the age, as tooOld says, and the oldest
// ones if the file is larger than its bound: then a quarter, so that it is not soon due
// again. It returns their number, which View reports as LeftOut; Notes says it once.
func (s *Store) Prune() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil || s.offset <= s.maxBytes && s.tooOld() == 0 {
		return 0, wrap("read", err)
	}
	why, before := "", time.Time{}
	removed, err := s.rewrite(func() ([]int32, error) {
		n := s.tooOld()
		why = fmt.Sprintf("older than %d days", s.maxAge/day)
		if s.offset > s.maxBytes {
			large, err := s.tooMany(s.maxBytes / 4 * 3)
			if err != nil {
				return nil, err
			}
			if large > n {
				n, why = large, fmt.Sprintf("its file was larger than %d MB", s.maxBytes>>20)
			}
		}
		if n > 0 {
			before = s.table.moment(s.table.order[n-1]).Add(1)
		}
		return s.table.order[:n], nil
	}, true)
	if removed > 0 {
		s.notes = append(s.notes, fmt.Sprintf("the history removed %d of its requests, all from before %s (%s)",
			removed, before.Format("2006-01-02 15:04 UTC"), why))
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

// tooMany returns how many of the oldest entries have to go, at least one, so that the
// others and the lines of later versions have that many bytes; 0 if those lines alone have
// more: s.mu is held.
func (s *Store) tooMany(room int64) (int, error) {
	t := &s.table
	all, sizes := int64(0), make(map[id]int64, len(t.order))
	err := s.scan(func(line []byte) {
		size := int64(len(line)) + 1
		switch key, kind := keyOf(line); kind {
		case lineEntry:
			sizes[key] += size
			all += size
		case lineNewer:
			all += size
		}
	})
	for n, i := range t.order {
		if all -= sizes[t.rows[i].id]; all <= room {
			return n + 1, err
		}
	}
	return 0, err
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

// tooOld returns how many of the oldest entries are removed for their age: s.mu is held.
// Age counts back from the seventh newest day with
// entries, or from now if that is earlier: the entries of a clock that stood ahead
// for less than a week make no other entry old. Days of entries that a clock left
// behind do not count as old alone. Within a day of the last rewriting nothing is cut.
func (s *Store) tooOld() int {
	t, now := &s.table, s.Now()
	n := len(t.order)
	at := func(i int) time.Time { return t.moment(t.order[i]) }
	if n < pruneShare || now.Sub(at(0)) <= s.maxAge || now.Sub(s.written()).Abs() < day {
		return 0
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
	oldest := from.Add(-s.maxAge)
	old, oldDays := 0, 0
	for ; old < n && at(old).Before(oldest); old++ {
		if old == 0 || !sameDay(at(old), at(old-1)) {
			oldDays++
		}
	}
	if days < pruneDays || oldDays < pruneDays {
		return 0
	}
	return min(old, n/pruneShare)
}

// sameDay reports whether two moments are of one day of UTC.
func sameDay(a, b time.Time) bool { return a.Truncate(day).Equal(b.Truncate(day)) }

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
