package history

import (
	"math"
	"time"

	"tokscope/metrics/history"
)

// seriesRows are the rows of one series, in order, with what is known of them.
type seriesRows struct {
	rows    []int32
	slots   []history.Slot // of the first covered rows
	covered int
}

// note adds rows that are new in the order to their series: s.mu is held.
func (s *Store) note(added []int32, atEnd bool) {
	if len(added) == 0 {
		return
	}
	s.generation++
	s.series = append(s.series, make([]seriesRows, len(s.table.series.list)-len(s.series))...)
	if !atEnd { // some belong between the others
		clear(s.series)
		added = s.table.order
	}
	for _, i := range added {
		n := s.table.rows[i].series
		s.series[n].rows = append(s.series[n].rows, i)
	}
}

// slotsOf returns rows, which are in order, as the narrowest slots of which there are not
// too many.
func (t *table) slotsOf(rows []int32) []history.Slot {
	return history.Slots(t.entries(rows), t.widthOf(rows))
}

// widthOf returns the narrowest width by which rows, which are in order, have at
// most history.MaxSlots slots.
func (t *table) widthOf(rows []int32) time.Duration {
	for _, w := range history.Widths {
		n, last := 0, int64(math.MinInt64)
		for _, i := range rows {
			if slot := history.Begin(t.at(i), w); slot != last {
				n, last = n+1, slot
				if n > history.MaxSlots {
					break
				}
			}
		}
		if n <= history.MaxSlots {
			return w
		}
	}
	return history.Widths[len(history.Widths)-1]
}

// slotsOfSeries returns the slots of series n: s.mu is held. What it returned before is
// not changed.
func (s *Store) slotsOfSeries(n uint32) []history.Slot {
	if r := &s.series[n]; r.covered < len(r.rows) {
		r.slots, r.covered = s.table.slotsOf(r.rows), len(r.rows)
	}
	return s.series[n].slots
}

// mostExact is the number of entries up to which slots of a part of the time are
// made from the entries, so that they are as narrow as can be.
const mostExact = 20_000

// viewOf returns what is known of series n in a time: s.mu is held.
func (s *Store) viewOf(n uint32, from, to time.Time, quantiles bool) history.SeriesView {
	t := &s.table
	v := history.SeriesView{Series: t.series.list[n]}
	rows := t.within(s.series[n].rows, from, to)
	if len(rows) == 0 {
		return v
	}
	v.First, v.Last = t.moment(rows[0]), t.moment(rows[len(rows)-1])
	switch all := s.series[n].rows; {
	case len(rows) == len(all):
		v.Slots = s.slotsOfSeries(n)
	case len(rows) <= mostExact:
		v.Slots = t.slotsOf(rows)
	default:
		for _, slot := range s.slotsOfSeries(n) {
			if slot.From.Add(slot.Width).After(v.First) && !slot.From.After(v.Last) {
				v.Slots = append(v.Slots, slot)
			}
		}
	}
	for i := range v.Slots {
		v.N += v.Slots[i].N
		v.Failed += v.Slots[i].Failed
	}
	for _, c := range s.changes.of(&v.Series) {
		if (from.IsZero() || !c.At.Before(from)) && (to.IsZero() || c.At.Before(to)) {
			v.Changes = append(v.Changes, c)
		}
	}
	v.Baseline = s.baselines.of(&v.Series)
	if quantiles {
		var sums history.Sums
		for e := range t.entries(rows) {
			sums.Add(e)
		}
		v.Figures = sums.Figures()
	}
	return v
}
