package history

import (
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/stats"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// changes are the change points of the store's file, as it was read last.
type changes struct {
	stamp  fileStamp
	series map[history.Series]*seriesChanges
}

// seriesChanges are those of one series, as they stand in the file.
type seriesChanges struct {
	Series  history.Series   `json:"series"`
	Changes []history.Change `json:"changes"`
	// Looked is, by the name of a figure, how many complete slots with a value the
	// last search had.
	Looked map[string]int `json:"slots_searched"`
	Width  int64          `json:"slot_ns"` // of those slots
}

const changesName = "changes.json"

// changeFigures are the figures that are searched for changes: those that no other
// follows from.
var changeFigures = []history.Figure{history.TCP, history.Prefill,
	history.TTFT, history.TPOT, history.Longest, history.Total, history.Throughput}

// changeLevel is the level of one search: each look at one more slot is a further
// test, so it is far below 5 %.
const changeLevel = 0.001

// maxSearched is the number of slots that one search takes, the last ones. The
// time grows with its square, and with 1000 random orders where it finds
// something: 0.4 s for 500.
const maxSearched = 500

// of returns the changes of a series, ascending.
func (c *changes) of(s *history.Series) []history.Change {
	if k := c.series[*s]; k != nil {
		return k.Changes
	}
	return nil
}

// readChanges reads the changes where they are others: s.mu is held. What cannot
// be read is searched anew.
func (s *Store) readChanges() error {
	changed, err := s.changes.stamp.changed(s.path(changesName))
	if err != nil || !changed {
		return err
	}
	s.generation++
	s.changes.series = map[history.Series]*seriesChanges{}
	data, err := files.Read(s.path(changesName), mostBytes)
	if missing(err) || errors.Is(err, files.ErrNotRegular) || errors.Is(err, files.ErrTooLarge) {
		return nil // the next ones replace it
	}
	if err != nil {
		return err
	}
	var kept []seriesChanges
	if result.Unmarshal(data, &kept) != nil {
		return nil
	}
	for i := range kept {
		k := &kept[i]
		k.Changes = slices.DeleteFunc(k.Changes, func(c history.Change) bool {
			return !slices.Contains(changeFigures, c.Figure) // of a later version
		})
		s.changes.series[k.Series] = k
	}
	return nil
}

// column is one figure of the complete slots of a series.
type column struct {
	at     []*history.Slot // the slots that have a value
	values []float64       // their medians
}

// columnOf returns one figure of slots. ok is false where a value is not above 0:
// it has no ratio.
func columnOf(slots []history.Slot, f history.Figure) (c column, ok bool) {
	for i := range slots {
		q := &slots[i].Figures[f]
		if q.N == 0 {
			continue
		}
		if !(q.P50 > 0) {
			return column{}, false
		}
		c.at = append(c.at, &slots[i])
		c.values = append(c.values, q.P50)
	}
	return c, len(c.values) > 0
}

// due reports whether n slots are worth a search when the last one had looked:
// one more slot of 32, so that a series of 2,000 is searched some 200 times and
// not 2,000. Fewer than then are left after a pruning.
func due(n, looked int) bool {
	return n >= 2*stats.MinSegment && (n < looked || n-looked >= 1+looked/32)
}

// search returns the changes of a series with those that its complete slots show
// now, and whether it searched. Change points found before stay, unless few slots
// stand behind the last one: then it is searched again with what is before it, and
// its moment becomes more exact. Figures behind the one at which stop was true are left
// to the next search.
func (k seriesChanges) search(slots []history.Slot, seed uint64, stop func() bool) (out seriesChanges, searched bool) {
	if len(slots) == 0 {
		return k, false
	}
	out = k
	out.Changes, out.Looked = slices.Clone(k.Changes), maps.Clone(k.Looked)
	if width := int64(slots[0].Width); width != k.Width || k.Looked == nil {
		out = seriesChanges{Series: k.Series, Looked: map[string]int{}, Width: width} // other slots: all anew
	}
	for _, f := range changeFigures {
		c, ok := columnOf(slots, f)
		if !ok || !due(len(c.values), out.Looked[f.String()]) {
			continue
		}
		if stop != nil && stop() {
			break
		}
		var before []history.Change
		if n := max(out.Looked[f.String()], 0); n > len(c.at) || hasDays(c.at[:n]) == hasDays(c.at) {
			before = slices.Clone(out.Changes)
		} // else a change may be one that comes every day
		out.Looked[f.String()], searched = len(c.values), true
		out.Changes = append(slices.DeleteFunc(out.Changes, func(o history.Change) bool { return o.Figure == f }),
			c.search(f, before, seed)...)
	}
	slices.SortStableFunc(out.Changes, func(a, b history.Change) int { return a.At.Compare(b.At) })
	return out, searched
}

// settled is the number of slots behind a change point from which its place is
// not searched again.
const settled = 25

// search returns all changes of figure f, given those found before. What comes every
// day is left out of the search and of the ratios. The interval of a ratio is as
// much wider as neighbors that are alike make it.
func (c *column) search(f history.Figure, before []history.Change, seed uint64) []history.Change {
	var cuts []int // where a segment begins
	for _, b := range before {
		if b.Figure != f {
			continue
		}
		at, _ := slices.BinarySearchFunc(c.at, b.At, func(s *history.Slot, t time.Time) int { return s.From.Compare(t) })
		if at >= stats.MinSegment && len(c.values)-at >= stats.MinSegment {
			cuts = append(cuts, at)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	if n := len(cuts); n > 0 && len(c.values)-cuts[n-1] < settled {
		cuts = cuts[:n-1]
	}
	from := 0
	if n := len(cuts); n > 0 {
		from = cuts[n-1]
	}
	from = max(from, len(c.values)-maxSearched)
	logs := withoutDays(c.at, stats.Logs(c.values), time.Local)
	for _, at := range stats.ChangePoints(logs[from:], changeLevel, seed) {
		cuts = append(cuts, from+at)
	}
	out := make([]history.Change, 0, len(cuts))
	for i, cut := range cuts {
		first, last := 0, len(logs)
		if i > 0 {
			first = cuts[i-1]
		}
		if i+1 < len(cuts) {
			last = cuts[i+1]
		}
		shift, low, high := stats.HodgesLehmann(logs[cut:last], logs[first:cut], 0.05)
		inflation := stats.Inflation(logs[first:last], cut-first)
		wider := math.Sqrt(inflation) * (1 + 4*inflation/float64(last-first)) // it is itself estimated
		low, high = shift-wider*(shift-low), shift+wider*(high-shift)
		change := history.Change{
			Figure: f, At: c.at[cut].From, Before: median(c.values[first:cut]), After: median(c.values[cut:last]),
			Ratio: math.Exp(shift), Low: math.Exp(low), High: math.Exp(high), NBefore: cut - first, NAfter: last - cut,
		}
		if !math.IsInf(high, 0) && !math.IsInf(low, 0) {
			out = append(out, change)
		}
	}
	return out
}

func median(values []float64) float64 { return stats.Median(slices.Clone(values)) }

// Maintain does what is due after entries were appended: it reads them, which writes the
// index, prunes, and searches the series for changes whose last slot is complete. What it has done
// stays when the program ends meanwhile. It may take a second of one processor, and holds
// up a View for that where it prunes. stop ends the search: what it found until then is
// kept.
func (s *Store) Maintain(stop func() bool) error {
	if _, err := s.Prune(); err != nil {
		return err
	}
	s.mu.Lock()
	type job struct {
		slots []history.Slot
		known seriesChanges
	}
	var jobs []job
	err := errors.Join(s.refresh(), s.refreshRest())
	if err == nil {
		for n, series := range s.table.series.list {
			slots := s.slotsOfSeries(uint32(n))
			if len(slots) > 0 {
				slots = slots[:len(slots)-1] // the last may be under way
			}
			j := job{slots, seriesChanges{Series: series}}
			if k := s.changes.series[series]; k != nil {
				j.known = *k
			}
			jobs = append(jobs, j)
		}
	}
	s.mu.Unlock()
	if err != nil {
		return wrap("read", err)
	}
	found := map[history.Series]*seriesChanges{}
	for _, j := range jobs {
		if k, searched := j.known.search(j.slots, 1, stop); searched {
			found[k.Series] = &k
		}
	}
	return wrap("write", s.keepChanges(found))
}

// keepChanges writes changes of some series beside those of the others.
func (s *Store) keepChanges(found map[history.Series]*seriesChanges) error {
	if len(found) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := s.lock(lockWithin)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.readChanges(); err != nil {
		return err
	}
	if s.changes.series == nil {
		s.changes.series = map[history.Series]*seriesChanges{}
	}
	maps.Copy(s.changes.series, found)
	maps.DeleteFunc(s.changes.series, func(series history.Series, _ *seriesChanges) bool {
		_, there := s.table.series.numbers[series]
		return !there // it was pruned
	})
	data, err := result.Marshal(slices.AppendSeq([]*seriesChanges{}, maps.Values(s.changes.series)))
	if err != nil {
		return err
	}
	if err := s.replace(changesName, data, false); err != nil {
		return err
	}
	return s.readChanges()
}
