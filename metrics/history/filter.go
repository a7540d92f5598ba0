package history

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
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
	terms, err := split(line)
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

// term is one part of a line. Quoted ones are words, whatever they hold.
type term struct {
	text   string
	quoted bool
}

// split divides a line at its blanks outside of quotes.
func split(line string) (terms []term, err error) {
	var (
		text              strings.Builder
		begun, in, quoted bool
	)
	flush := func() {
		if begun {
			terms = append(terms, term{text.String(), quoted})
		}
		text.Reset()
		begun, quoted = false, false
	}
	for _, c := range line {
		switch {
		case c == '"':
			quoted = quoted || !begun
			begun, in = true, !in
		case !in && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			flush()
		default:
			begun = true
			text.WriteRune(c)
		}
	}
	if in {
		return nil, errors.New("filter: a quotation mark is not closed")
	}
	flush()
	return terms, nil
}

// operators, the longer ones first.
var operators = []string{">=", "<=", ">", "<", "="}

// add adds one term.
func (f *Filter) add(t term, now time.Time) error {
	text, not := t.text, false
	if !t.quoted && len(text) > 1 && text[0] == '!' {
		text, not = text[1:], true
	}
	if text == "" {
		return nil
	}
	at := strings.IndexAny(text, ":<>=")
	if t.quoted || at < 0 {
		part := strings.ToLower(text)
		f.addSeries(not, func(s *Series) bool {
			return contains(s.Endpoint, part) || contains(s.Model, part) || contains(s.Workload, part)
		})
		return nil
	}
	key := strings.ToLower(text[:at])
	if text[at] == ':' {
		return f.addKey(text, key, text[at+1:], not, now)
	}
	of, found := number(key)
	if !found {
		return unknownTerm(text, key)
	}
	for _, op := range operators {
		if limit, ok := strings.CutPrefix(text[at:], op); ok {
			v, err := limitOf(text, key, limit)
			if err != nil {
				return err
			}
			if ofSeries(key) {
				f.addSeries(not, func(s *Series) bool { return compare(of(&Entry{Series: *s}), op, v) })
			} else {
				f.addEntry(not, func(e *Entry) bool { return compare(of(e), op, v) })
			}
			return nil
		}
	}
	return unknownTerm(text, key)
}

// unknownTerm is the error about a term of that name.
func unknownTerm(text, key string) error {
	keys, figures := Terms()
	return fmt.Errorf("filter %q: %q is not known; known are %s, and with >, >=, <, <= or =: %s", text, key, strings.Join(keys, ", "), strings.Join(figures, ", "))
}

// compare reports whether v op limit; an unknown v has no order.
func compare(v metrics.Value, op string, limit float64) bool {
	if !v.OK {
		return false
	}
	switch op {
	case ">":
		return v.V > limit
	case ">=":
		return v.V >= limit
	case "<":
		return v.V < limit
	case "<=":
		return v.V <= limit
	}
	return v.V == limit
}

// limitOf returns the limit of a comparison, in the unit of its figure.
func limitOf(text, name, limit string) (float64, error) {
	if v, err := strconv.ParseFloat(limit, 64); err == nil && v-v == 0 { // finite
		return v, nil
	}
	if !timed(name) {
		return 0, fmt.Errorf("filter %q: %q is not a number", text, limit)
	}
	d, err := time.ParseDuration(limit)
	if err != nil {
		return 0, fmt.Errorf("filter %q: %q is not a time: write milliseconds or a unit, such as %s>500 or %s>1.5s", text, limit, name, name)
	}
	return float64(d) / 1e6, nil
}

// addKey adds key:value.
func (f *Filter) addKey(text, key, value string, not bool, now time.Time) error {
	if value == "" {
		return fmt.Errorf("filter %q: nothing stands after the colon", text)
	}
	options := strings.Split(strings.ToLower(value), ",")
	for _, t := range texts {
		if t.key == key {
			f.addSeries(not, func(s *Series) bool {
				return slices.ContainsFunc(options, func(o string) bool { return contains(t.of(s), o) })
			})
			return nil
		}
	}
	for _, w := range words {
		if w.key != key {
			continue
		}
		for _, o := range options {
			if w.known != nil && !slices.Contains(w.known, o) {
				return fmt.Errorf("filter %q: %s is one of %s", text, key, strings.Join(w.known, ", "))
			}
		}
		f.addEntry(not, func(e *Entry) bool { return slices.Contains(options, strings.ToLower(w.of(e))) })
		return nil
	}
	switch key {
	case "status":
		return f.addStatus(text, options, not)
	case "connection":
		if value != "cold" && value != "warm" {
			return fmt.Errorf("filter %q: %s is one of cold, warm", text, key)
		}
		f.addSeries(not, func(s *Series) bool { return s.Cold == (value == "cold") })
		return nil
	case "since", "until", "sort":
		if not {
			return fmt.Errorf("filter %q: %s has no opposite", text, key)
		}
		return f.addTime(text, key, value, now)
	}
	return unknownTerm(text, key)
}

// addTime adds since, until or sort.
func (f *Filter) addTime(text, key, value string, now time.Time) (err error) {
	switch key {
	case "sort":
		f.Order, err = ParseOrder(value)
	case "since":
		f.From, err = Moment(value, now)
	default:
		f.To, err = Moment(value, now)
	}
	if err != nil {
		return fmt.Errorf("filter %q: %w", text, err)
	}
	return nil
}

// addStatus adds codes of HTTP such as 429, and classes such as 5xx.
func (f *Filter) addStatus(text string, options []string, not bool) error {
	type span struct{ from, to int }
	var spans []span
	for _, o := range options {
		code, class := strings.CutSuffix(o, "xx")
		n, err := strconv.Atoi(code)
		switch {
		case err == nil && class && n >= 1 && n <= 5:
			spans = append(spans, span{n * 100, n*100 + 99})
		case err == nil && !class && n >= 100 && n <= 599:
			spans = append(spans, span{n, n})
		default:
			return fmt.Errorf("filter %q: write a status such as 429, or a class such as 5xx", text)
		}
	}
	f.addEntry(not, func(e *Entry) bool {
		return slices.ContainsFunc(spans, func(s span) bool { return e.Status >= s.from && e.Status <= s.to })
	})
	return nil
}

func (f *Filter) addSeries(not bool, ok func(*Series) bool) {
	f.series = append(f.series, func(s *Series) bool { return ok(s) != not })
}

func (f *Filter) addEntry(not bool, ok func(*Entry) bool) {
	f.entry = append(f.entry, func(e *Entry) bool { return ok(e) != not })
}

// contains reports whether text holds part, which is in lower case.
func contains(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }

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
