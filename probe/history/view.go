package history

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"tokscope/metrics/history"
)

// View answers q. It first reads what other processes have added. An error is
// about the filter, or the order, or the disk. The slices of series are shared:
// read only.
func (s *Store) View(q history.Query) (history.View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := cmp.Or(s.refresh(), s.refreshRest()); err != nil {
		return history.View{}, wrap("read", err)
	}
	f, order, err := parse(&q, s.Now())
	if err != nil {
		return history.View{}, err
	}
	rows, seen := s.match(q.Series, &f)
	t := &s.table
	t.sort(rows, order)
	v := history.View{Matching: len(rows), All: len(t.order), Damaged: s.damaged, LeftOut: s.leftOut, Newer: s.newer}
	for n := range seen {
		if seen[n] {
			v.Series = append(v.Series, s.viewOf(uint32(n), f.From, f.To, q.Quantiles))
		}
	}
	slices.SortStableFunc(v.Series, func(a, b history.SeriesView) int { return b.Last.Compare(a.Last) })
	if s.partial {
		v.Damaged++
	}
	if v.All > 0 {
		v.Since = t.moment(t.order[0])
	}
	rows = rows[min(max(q.Offset, 0), len(rows)):]
	if q.Limit > 0 {
		rows = rows[:min(q.Limit, len(rows))]
	}
	v.Entries = make([]history.Entry, len(rows))
	for i, row := range rows {
		e := &v.Entries[i]
		t.entry(row, e)
		e.ID = t.rows[row].id.String()
	}
	return v, nil
}

// Version changes whenever a View would differ, apart from times before now. It
// reads what other processes have added.
func (s *Store) Version() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := cmp.Or(s.refresh(), s.refreshRest()); err != nil {
		return 0, wrap("read", err)
	}
	return uint64(s.generation), nil
}

// parse returns the filter of q with its times, and its order.
func parse(q *history.Query, now time.Time) (history.Filter, history.Order, error) {
	f, err := history.ParseFilter(q.Filter, now)
	if err != nil {
		return f, history.Order{}, err
	}
	if q.From.After(f.From) {
		f.From = q.From
	}
	if !q.To.IsZero() && (f.To.IsZero() || q.To.Before(f.To)) {
		f.To = q.To
	}
	order := f.Order
	if order == (history.Order{}) {
		order, err = history.ParseOrder(q.Sort)
	}
	return f, order, err
}

// match returns the matching rows in order, and which series have some.
func (s *Store) match(one *history.Series, f *history.Filter) (rows []int32, seen []bool) {
	t := &s.table
	fits := make([]bool, len(t.series.list))
	for n := range t.series.list {
		fits[n] = (one == nil || t.series.list[n] == *one) && f.Series(&t.series.list[n])
	}
	within := t.within(t.order, f.From, f.To)
	rows, seen = make([]int32, 0, len(within)), make([]bool, len(t.series.list))
	var e history.Entry
	for _, i := range within {
		n := t.rows[i].series
		if !fits[n] {
			continue
		}
		if !f.SharedOnly() {
			t.entry(i, &e)
			if !f.Own(&e) {
				continue
			}
		}
		seen[n] = true
		rows = append(rows, i)
	}
	return rows, seen
}

// sort sorts rows, which are in the order of time. Equal ones come newest first,
// unknown figures last.
func (t *table) sort(rows []int32, o history.Order) {
	slices.Reverse(rows)
	if o.Time() {
		if !o.Descending {
			slices.Reverse(rows)
		}
		return
	}
	sign := 1
	if o.Descending {
		sign = -1
	}
	type key struct {
		row    int32
		number float64
		text   string
	}
	keys := make([]key, 0, len(rows))
	for e := range t.entries(rows) {
		k := key{row: rows[len(keys)], number: math.Inf(sign)}
		text, number := o.Key(e)
		if k.text = strings.ToLower(text); number.OK {
			k.number = number.V
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		return sign * cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
	})
	for k := range keys {
		rows[k] = keys[k].row
	}
}
