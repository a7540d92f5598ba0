package history

import (
	"fmt"
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
//	llama 127.0.0.1:8080 "a b"      words of endpoint, model, workload or address
type Filter struct {
	From, To time.Time // of since and until; zero for none
	Order    Order     // of sort; zero for none
	// Match has the terms: those that are shared are of the series.
	filter.Match[*Entry]
}

// Series reports whether entries of s can match: one does if it matches what is its Own.
func (f *Filter) Series(s *Series) bool { return f.Shared(&Entry{Series: *s}) }

// ParseFilter parses a line at the moment now. The error names the term that it
// does not understand, and what can stand there.
func ParseFilter(line string, now time.Time) (f Filter, err error) {
	f.Match, err = fields.Parse(line, func(t filter.Term) (err error) {
		switch t.Key {
		case "sort":
			f.Order, err = ParseOrder(t.Value)
		case "since":
			f.From, err = Moment(t.Value, now)
		default:
			f.To, err = Moment(t.Value, now)
		}
		return err
	})
	if err != nil {
		return Filter{}, err
	}
	return f, nil
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
