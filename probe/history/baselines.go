package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"tokscope/metrics/history"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// baselines are those of the store's file, as it was read last.
type baselines struct {
	stamp fileStamp
	list  []history.Baseline // by the moment they were set
}

// fileStamp tells whether a file that is only ever replaced is another one.
type fileStamp struct{ info fs.FileInfo }

// changed reports whether the file at path is not the one of last time. There may
// be none.
func (f *fileStamp) changed(path string) (bool, error) {
	info, err := os.Lstat(path) // nil where there is none
	if err != nil && !missing(err) {
		return false, err
	}
	was := f.info
	if f.info = info; was == nil || info == nil {
		return was != info, nil
	}
	return !os.SameFile(was, info) || !info.ModTime().Equal(was.ModTime()) || info.Size() != was.Size(), nil
}

const baselinesName = "baselines.json"

// mostBytes bounds the files of baselines and of changes, in bytes.
const mostBytes = 32 << 20

// of returns the baseline of a series that was set last, nil without one.
func (b *baselines) of(s *history.Series) *history.Baseline {
	for i := len(b.list) - 1; i >= 0; i-- {
		if b.list[i].Series == *s {
			return &b.list[i]
		}
	}
	return nil
}

// refreshRest reads the baselines and the changes where they are others: s.mu is
// held.
func (s *Store) refreshRest() error {
	changed, err := s.baselines.stamp.changed(s.path(baselinesName))
	if err == nil && changed {
		s.generation++
		s.baselines.list, err = readBaselines(s.path(baselinesName))
	}
	if err != nil {
		return err
	}
	return s.readChanges()
}

// readBaselines returns those of the file at path, none where there is none.
func readBaselines(path string) ([]history.Baseline, error) {
	data, err := files.Read(path, mostBytes)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []history.Baseline
	if err := result.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w): mend it, or remove it and set the baselines again", path, err)
	}
	slices.SortStableFunc(list, func(a, b history.Baseline) int { return a.Set.Compare(b.Set) })
	return list, nil
}

// MinBaseline is the number of requests, ended well and not suspect, that a
// baseline needs.
const MinBaseline = 5

// SetBaseline names the entries of a series in a time as usual; zero times have no
// bound. It replaces the baseline of that name.
func (s *Store) SetBaseline(name string, series history.Series, from, to time.Time) (history.Baseline, error) {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return history.Baseline{}, errors.New("a baseline needs a name of 1 to 64 printable characters")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return history.Baseline{}, wrap("read", err)
	}
	n, known := s.table.series.numbers[series]
	if !known {
		return history.Baseline{}, errors.New("the history has no entry of that series")
	}
	now := s.Now().UTC()
	b := history.Baseline{Name: name, Series: series, Set: now}
	var sums history.Sums
	rows, counted := s.table.within(s.series[n].rows, from, to), 0
	for e := range s.table.entries(rows) {
		if e.Counts() {
			counted++
			sums.Add(e)
		}
	}
	if counted < MinBaseline {
		return history.Baseline{},
			fmt.Errorf("a baseline needs %d requests that ended well and are not suspect, there are %d: take a longer time",
				MinBaseline, counted)
	}
	b.N = sums.N
	b.Figures = sums.Figures()
	b.From, b.To = s.table.moment(rows[0]), s.table.moment(rows[len(rows)-1]).Add(1)
	if !from.IsZero() {
		b.From = from.UTC()
	}
	if !to.IsZero() {
		b.To = to.UTC()
	}
	return b, s.changeBaselines(func(list []history.Baseline) []history.Baseline {
		list = slices.DeleteFunc(list, func(o history.Baseline) bool { return o.Name == name })
		return append(list, b)
	})
}

// RemoveBaseline removes the baseline of that name and reports whether there was
// one.
func (s *Store) RemoveBaseline(name string) (found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Lstat(s.path(baselinesName)); missing(err) {
		return false, nil
	}
	err = s.changeBaselines(func(list []history.Baseline) []history.Baseline {
		before := len(list)
		list = slices.DeleteFunc(list, func(o history.Baseline) bool { return o.Name == name })
		found = len(list) < before
		return list
	})
	return found, err
}

// Baselines returns all baselines, the one set last at the end.
func (s *Store) Baselines() ([]history.Baseline, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refreshRest(); err != nil {
		return nil, wrap("read", err)
	}
	return slices.Clone(s.baselines.list), nil
}

// changeBaselines replaces the file of baselines: s.mu is held.
func (s *Store) changeBaselines(f func([]history.Baseline) []history.Baseline) error {
	unlock, err := s.lock(lockWithin)
	if err != nil {
		return wrap("write", err)
	}
	defer unlock()
	list, err := readBaselines(s.path(baselinesName))
	if err != nil {
		return err
	}
	data, err := result.Marshal(f(list))
	if err != nil {
		return err
	}
	if err := s.replace(baselinesName, data, true); err != nil {
		return wrap("write", err)
	}
	return s.refreshRest()
}
