package history

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics/filter"
)

// Filter is a parsed line of a Query. The zero Filter matches everything. It is
// safe for concurrent use.
//
//	ttft>500 tpot<=20ms speed>=50   a figure, in ms or tok/s; an unknown one never matches
//	endpoint:groq model:llama       a part of a name, of any case
//	state:failed,truncated          one of several words
//	status:5xx status:429           of HTTP
//	since:24h until:2026-11-20      a time before now, or a moment in UTC
//	sort:-ttft                      the order, descending
//	!state:done                     the opposite of a term
//	llama "long answer"             words of endpoint, model or workload
type Filter struct {
	From, To time.Time // of since and until; zero for none
	Order    Order     // of sort; zero for none
	series   []func(*Series) bool
	entry    []func(*Entry) bool
}

// Series reports whether entries of s can match.
func (f *Filter) Series(s *Series) bool {
	for _, ok := range f.series {
		if !ok(s) {
			return false
		}
	}
	return true
}

// Entry reports whether e matches, if its series does.
func (f *Filter) Entry(e *Entry) bool {
	for _, ok := range f.entry {
		if !ok(e) {
			return false
		}
	}
	return true
}

// SeriesOnly reports whether every entry of a matching series matches, apart
// from the time.
func (f *Filter) SeriesOnly() bool { return len(f.entry) == 0 }

// ParseFilter parses a line at the moment now. The error names the term that it
// does not understand, and what can stand there.
func ParseFilter(line string, now time.Time) (Filter, error) {
	var f Filter
	terms, err := filter.Parse(line)
	if err != nil {
		return Filter{}, err
	}
	for _, t := range terms {
		if err := f.add(t, now); err != nil {
			return Filter{}, err
		}
	}
	return f, nil
}

// add adds one term.
func (f *Filter) add(t filter.Term, now time.Time) error {
	switch {
	case t.Op == "":
		part := strings.ToLower(t.Text)
		f.addSeries(t.Not, func(s *Series) bool {
			return filter.Contains(s.Endpoint, part) || filter.Contains(s.Model, part) || filter.Contains(s.Workload, part)
		})
		return nil
	case !t.Compares():
		return f.addKey(t, now)
	}
	of, found := number(t.Key)
	if !found {
		return unknownTerm(t)
	}
	v, err := t.Limit(timed(t.Key))
	if err != nil {
		return err
	}
	if ofSeries(t.Key) {
		f.addSeries(t.Not, func(s *Series) bool { return filter.Compare(of(&Entry{Series: *s}), t.Op, v) })
	} else {
		f.addEntry(t.Not, func(e *Entry) bool { return filter.Compare(of(e), t.Op, v) })
	}
	return nil
}

// unknownTerm is the error about a term that is not known.
func unknownTerm(t filter.Term) error { return t.Unknown(Terms()) }

// addKey adds key:value.
func (f *Filter) addKey(t filter.Term, now time.Time) error {
	options, err := t.Options()
	if err != nil {
		return err
	}
	for _, x := range texts {
		if x.key == t.Key {
			f.addSeries(t.Not, func(s *Series) bool {
				return slices.ContainsFunc(options, func(o string) bool { return filter.Contains(x.of(s), o) })
			})
			return nil
		}
	}
	for _, w := range words {
		if w.key != t.Key {
			continue
		}
		if _, err := t.OneOf(w.known); err != nil {
			return err
		}
		f.addEntry(t.Not, func(e *Entry) bool { return slices.Contains(options, strings.ToLower(w.of(e))) })
		return nil
	}
	switch t.Key {
	case "status":
		return f.addStatus(t, options)
	case "connection":
		if t.Value != "cold" && t.Value != "warm" {
			return t.Wrong(fmt.Errorf("%s is one of cold, warm", t.Key))
		}
		f.addSeries(t.Not, func(s *Series) bool { return s.Cold == (t.Value == "cold") })
		return nil
	case "since", "until", "sort":
		if t.Not {
			return t.Wrong(fmt.Errorf("%s has no opposite", t.Key))
		}
		return f.addTime(t, now)
	}
	return unknownTerm(t)
}

// addTime adds since, until or sort.
func (f *Filter) addTime(t filter.Term, now time.Time) (err error) {
	switch t.Key {
	case "sort":
		f.Order, err = ParseOrder(t.Value)
	case "since":
		f.From, err = Moment(t.Value, now)
	default:
		f.To, err = Moment(t.Value, now)
	}
	if err != nil {
		return t.Wrong(err)
	}
	return nil
}

// addStatus adds codes of HTTP such as 429, and classes such as 5xx.
func (f *Filter) addStatus(t filter.Term, options []string) error {
	var asked filter.Statuses
	for _, o := range options {
		s, ok := filter.Status(o)
		if !ok {
			return t.Wrong(errors.New("write a status such as 429, or a class such as 5xx"))
		}
		asked = append(asked, s...)
	}
	f.addEntry(t.Not, func(e *Entry) bool { return asked.Has(e.Status) })
	return nil
}

func (f *Filter) addSeries(not bool, ok func(*Series) bool) {
	f.series = append(f.series, func(s *Series) bool { return ok(s) != not })
}

func (f *Filter) addEntry(not bool, ok func(*Entry) bool) {
	f.entry = append(f.entry, func(e *Entry) bool { return ok(e) != not })
}

// moments are the forms of a moment, in UTC.
var moments = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// Moment returns the moment that text names: a time before now such as 90m, 24h
// or 7d, or a date such as 2026-11-20 or 2026-11-20T14:02, in UTC.
func Moment(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 1e5 {
			return now.Add(-time.Duration(n * float64(24*time.Hour))).UTC(), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d).UTC(), nil
	}
	for _, form := range moments {
		if t, err := time.Parse(form, strings.ToUpper(text)); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time: write one such as 24h, 7d, 2026-11-20 or 2026-11-20T14:02", text)
}
