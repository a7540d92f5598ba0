package history

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/pick"
)

// question is a query without its part. It is comparable.
type question struct {
	history.Query // Offset, Limit and Series are zero
	series        history.Series
	one           bool // series was asked for
	generation    int
}

// answer is that to a question.
type answer struct {
	question
	until time.Time // when it is out of date; zero for never

	rows  []int32
	views []history.SeriesView
}

// mostAnswers is the number of kept answers, so that scrolling through one does not
// compute it again: a screen asks for its list, for one series of it, and for the same
// before.
const mostAnswers = 4

// relativeFor is how long an answer to a time before now is used again.
const relativeFor = time.Second

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
		v.Since = t.moment(t.order[0])
	}
	rows := r.rows[min(max(q.Offset, 0), len(r.rows)):]
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
	if err := errors.Join(s.refresh(), s.refreshRest()); err != nil {
		return 0, wrap("read", err)
	}
	return uint64(s.generation), nil
}

// answer returns that to q: s.mu is held.
func (s *Store) answer(q *history.Query) (*answer, error) {
	now := s.o.Now()
	r := answer{question: question{Query: *q, generation: s.generation}}
	if q.Series != nil {
		r.one, r.series = true, *q.Series
	}
	r.Offset, r.Limit, r.Series = 0, 0, nil
	kept := pick.First(s.answers, func(a *answer) bool {
		return a.question == r.question && (a.until.IsZero() || now.Before(a.until))
	})
	if kept != nil {
		return kept, nil
	}
	f, order, err := parse(q, now)
	if err != nil {
		return nil, err
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
	if len(s.answers) == mostAnswers {
		s.answers = slices.Delete(s.answers, 0, 1)
	}
	s.answers = append(s.answers, r)
	return &s.answers[len(s.answers)-1], nil
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
	fits, all := make([]bool, len(t.series.list)), true
	for n := range t.series.list {
		fits[n] = (one == nil || t.series.list[n] == *one) && f.Series(&t.series.list[n])
		all = all && fits[n]
	}
	from, to := 0, len(t.order)
	if !f.From.IsZero() {
		from = t.since(t.order, f.From.UnixNano())
	}
	if !f.To.IsZero() {
		to = t.since(t.order, f.To.UnixNano())
	}
	seen = make([]bool, len(t.series.list))
	var e history.Entry
	for _, i := range t.order[min(from, to):to] {
		n := t.rows[i].series
		if !fits[n] {
			continue
		}
		if !f.SeriesOnly() {
			t.entry(i, &e)
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
