package history

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"tokscope/metrics/history"
)

// results are the answers to the last queries, so that scrolling through one does
// not compute it again.
type results struct{ list []answer }

// answer is that to a query without its part.
type answer struct {
	query      history.Query // without Offset and Limit; Series is nil
	series     history.Series
	one        bool // series was asked for
	generation int
	until      time.Time // when it is out of date; zero for never

	rows  []int32
	views []history.SeriesView
}

// mostResults is the number of kept answers: a screen asks for its list, for one
// series of it, and for the same before.
const mostResults = 4

// relativeFor is how long an answer to a time before now is used again.
const relativeFor = time.Second

func (r *results) forget() { r.list = nil }

// find returns the kept answer to q.
func (r *results) find(q *history.Query, generation int, now time.Time) *answer {
	for i := range r.list {
		k := &r.list[i]
		if k.generation == generation && (k.until.IsZero() || now.Before(k.until)) &&
			k.one == (q.Series != nil) && (!k.one || k.series == *q.Series) &&
			k.query.Filter == q.Filter && k.query.From.Equal(q.From) &&
			k.query.To.Equal(q.To) && k.query.Sort == q.Sort && k.query.Quantiles == q.Quantiles {
			return k
		}
	}
	return nil
}

// keep keeps an answer and returns its place.
func (r *results) keep(k answer) *answer {
	if len(r.list) == mostResults {
		r.list = append(r.list[:0], r.list[1:]...)
	}
	r.list = append(r.list, k)
	return &r.list[len(r.list)-1]
}

// View answers q. It first reads what other processes have added. An error is
// about the filter, or the order, or the disk. The slices of series are shared:
// read only.
func (s *Store) View(q history.Query) (history.View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return history.View{}, wrap("read", err)
	}
	if err := s.refreshRest(); err != nil {
		return history.View{}, wrap("read", err)
	}
	r, err := s.answer(&q)
	if err != nil {
		return history.View{}, err
	}
	t := &s.table
	v := history.View{Matching: len(r.rows), All: len(t.order),
		Series: r.views, Damaged: s.damaged, LeftOut: s.leftOut, Newer: s.newer}
	if s.partial {
		v.Damaged++
	}
	if v.All > 0 {
		v.Since = time.Unix(0, t.at(t.order[0])).UTC()
	}
	rows := r.rows[min(max(q.Offset, 0), len(r.rows)):]
	if q.Limit > 0 {
		rows = rows[:min(q.Limit, len(rows))]
	}
	v.Entries = make([]history.Entry, len(rows))
	for i, row := range rows {
		e := &v.Entries[i]
		t.entry(row, e)
		t.addTexts(row, e)
		e.ID = t.idOf(row)
	}
	return v, nil
}

// Version changes whenever a View would differ, apart from times before now. It
// reads what other processes have added.
func (s *Store) Version() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := errors.Join(s.refresh(), s.refreshRest()); err != nil {
		return 0, wrap("read", err)
	}
	return uint64(s.generation), nil
}

// answer returns that to q: s.mu is held.
func (s *Store) answer(q *history.Query) (*answer, error) {
	now := s.o.Now()
	if r := s.results.find(q, s.generation, now); r != nil {
		return r, nil
	}
	f, order, err := parse(q, now)
	if err != nil {
		return nil, err
	}
	r := answer{query: *q, generation: s.generation}
	if q.Series != nil {
		r.one, r.series, r.query.Series = true, *q.Series, nil
	}
	if strings.Contains(q.Filter, "since:") || strings.Contains(q.Filter, "until:") {
		r.until = now.Add(relativeFor)
	}
	var seen []bool
	r.rows, seen = s.match(q.Series, &f)
	s.table.sort(r.rows, order)
	for n := range seen {
		if seen[n] {
			r.views = append(r.views, s.viewOf(uint32(n), f.From, f.To, q.Quantiles))
		}
	}
	slices.SortStableFunc(r.views, func(a, b history.SeriesView) int { return b.Last.Compare(a.Last) })
	return s.results.keep(r), nil
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
	fits, all := make([]bool, len(t.series)), true
	for n := range t.series {
		fits[n] = (one == nil || t.series[n] == *one) && f.Series(&t.series[n])
		all = all && fits[n]
	}
	from, to := 0, len(t.order)
	if !f.From.IsZero() {
		from = t.since(t.order, f.From.UnixNano())
	}
	if !f.To.IsZero() {
		to = t.since(t.order, f.To.UnixNano())
	}
	seen = make([]bool, len(t.series))
	var e history.Entry
	for _, i := range t.order[min(from, to):to] {
		n := t.seriesAt(i)
		if !fits[n] {
			continue
		}
		if !f.SeriesOnly() {
			t.entry(i, &e)
			t.addTexts(i, &e)
			if !f.Entry(&e) {
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
	keys := make([]key, len(rows))
	var e history.Entry
	for k, i := range rows {
		t.entry(i, &e)
		t.addTexts(i, &e)
		keys[k] = key{row: i, number: math.Inf(sign)}
		if text, ok := o.Text(&e); ok {
			keys[k].text = strings.ToLower(text)
		} else if v, known := o.Number(&e); known {
			keys[k].number = v
		}
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		return sign * cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
	})
	for k := range keys {
		rows[k] = keys[k].row
	}
}
