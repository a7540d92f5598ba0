package request

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/filter"
)

// Filter is a parsed line. The zero Filter matches everything. It is safe for
// concurrent use.
//
//	ttft>500 tpot<=20ms tokens<5   a figure; an unknown one never matches
//	status:5xx status:429          of HTTP
//	status:ok status:failed        how it ended, or the kind of the fault
//	user:3,5 suspect:no            one of several
//	endpoint:groq model:llama      a part of a name
//	sort:-ttft                     the order, descending
//	!status:ok                     the opposite of a term
//	overloaded "rate limit"        words of the fault or of these names
type Filter struct {
	Order Order // of sort; zero for none
	all   []func(*View, *Row) bool
}

// Order is the order of rows by one field. The zero Order is the one that ended
// last first.
type Order struct {
	Field      string
	Descending bool
}

// number is a figure that requests are compared and sorted by.
type number struct {
	name   string
	isTime bool
	of     func(*View, *Row) metrics.Value
}

var numbers = []number{
	{"ttft", true, func(_ *View, r *Row) metrics.Value { return r.TTFT.Value() }},
	{"tpot", true, func(_ *View, r *Row) metrics.Value { return r.TPOT.Value() }},
	{"gap", true, func(_ *View, r *Row) metrics.Value { return r.Longest.Value() }},
	{"total", true, func(_ *View, r *Row) metrics.Value { return r.Total.Value() }},
	{"tokens", false, func(_ *View, r *Row) metrics.Value { return r.Tokens.Value() }},
	{"sent", true, func(v *View, r *Row) metrics.Value {
		d, ok := r.Sent.Sub(v.Began)
		if !ok {
			return metrics.Unknown(metrics.WhyNotSent)
		}
		return metrics.Known(float64(d)/1e6, 1)
	}},
	{"number", false, func(_ *View, r *Row) metrics.Value { return metrics.Known(float64(r.N), 1) }},
	{"user", false, func(_ *View, r *Row) metrics.Value {
		if r.User == 0 {
			return metrics.Value{}
		}
		return metrics.Known(float64(r.User), 1)
	}},
	{"doubts", false, func(_ *View, r *Row) metrics.Value { return metrics.Known(float64(r.Doubts), 1) }},
}

// failure is the order of those that failed, by the kind of the fault. Others come
// last.
const failure = "failure"

// faults are the kinds by which requests fail, and the words of how they end.
var (
	faults = []string{
		string(metrics.FaultConfig), string(metrics.FaultDNS),
		string(metrics.FaultConnect), string(metrics.FaultTLS), string(metrics.FaultTimeout),
		string(metrics.FaultHTTP), string(metrics.FaultAuth), string(metrics.FaultRateLimit),
		string(metrics.FaultRedirect), string(metrics.FaultNotStream),
		string(metrics.FaultInStream), string(metrics.FaultProtocol),
		string(metrics.FaultTooLarge), string(metrics.FaultReset), string(metrics.FaultTruncated),
		string(metrics.FaultEmpty), string(metrics.FaultCompressed),
		string(metrics.FaultCancelled), string(metrics.FaultLocal), string(metrics.FaultInternal),
	}
	endings = map[string]func(*Row) bool{
		"ok":       (*Row).Good,
		"failed":   (*Row).Bad,
		"canceled": func(r *Row) bool { return r.State == metrics.Cancelled },
	}
	yesNo = []string{"yes", "no"}
)

// keys are the words before a colon.
var keys = []string{"status", "user", "endpoint", "model", "workload", "suspect", "events", "sort"}

// names are the names of a row that a part of is asked for.
var names = map[string]func(*Row) string{
	"endpoint": func(r *Row) string { return r.Endpoint },
	"model":    func(r *Row) string { return r.Model },
	"workload": func(r *Row) string { return r.Work },
}

// Terms returns the words before a colon, and the names of numbers.
func Terms() (words, figures []string) {
	for _, n := range numbers {
		figures = append(figures, n.name)
	}
	return keys, figures
}

// numberOf returns the number of that name; nil without one. longest_gap is what
// the history calls the gap.
func numberOf(name string) *number {
	if name == "longest_gap" {
		name = "gap"
	}
	for i := range numbers {
		if numbers[i].name == name {
			return &numbers[i]
		}
	}
	return nil
}

// ParseFilter parses a line. The error names the term that it does not understand,
// and what can stand there.
func ParseFilter(line string) (Filter, error) {
	var f Filter
	terms, err := filter.Parse(line)
	if err != nil {
		return Filter{}, err
	}
	for _, t := range terms {
		if err := f.add(t); err != nil {
			return Filter{}, err
		}
	}
	return f, nil
}

// add adds one term.
func (f *Filter) add(t filter.Term) error {
	switch {
	case t.Op == "":
		part := strings.ToLower(t.Text)
		f.match(t, func(_ *View, r *Row) bool {
			return filter.Contains(string(r.Fault), part) ||
				filter.Contains(r.Message, part) || filter.Contains(r.Model, part) ||
				filter.Contains(r.Endpoint, part) || filter.Contains(r.Work, part)
		})
		return nil
	case !t.Compares():
		return f.addKey(t)
	}
	n := numberOf(t.Key)
	if n == nil {
		return t.Unknown(Terms())
	}
	limit, err := t.Limit(n.isTime)
	if err != nil {
		return err
	}
	f.match(t, func(v *View, r *Row) bool { return filter.Compare(n.of(v, r), t.Op, limit) })
	return nil
}

// match adds a condition.
func (f *Filter) match(t filter.Term, ok func(*View, *Row) bool) {
	f.all = append(f.all, func(v *View, r *Row) bool { return ok(v, r) != t.Not })
}

// addKey adds key:value.
func (f *Filter) addKey(t filter.Term) error {
	options, err := t.Options()
	if err != nil {
		return err
	}
	switch t.Key {
	case "status":
		return f.addStatus(t, options)
	case "user":
		return f.addUser(t, options)
	case "endpoint", "model", "workload":
		of := names[t.Key]
		f.match(t, func(_ *View, r *Row) bool {
			return slices.ContainsFunc(options, func(o string) bool { return filter.Contains(of(r), o) })
		})
	case "suspect", "events":
		if _, err := t.OneOf(yesNo); err != nil {
			return err
		}
		of := func(_ *View, r *Row) bool { return r.Suspect() }
		if t.Key == "events" {
			of = func(v *View, r *Row) bool { return v.Kept(r.ID) }
		}
		f.match(t, func(v *View, r *Row) bool {
			return slices.Contains(options, "yes") && of(v, r) || slices.Contains(options, "no") && !of(v, r)
		})
	case "sort":
		if t.Not {
			return t.Wrong(errors.New("sort has no opposite; sort:-ttft is the longest first"))
		}
		if f.Order, err = parseOrder(strings.ToLower(t.Value)); err != nil {
			return t.Wrong(err)
		}
	default:
		return t.Unknown(Terms())
	}
	return nil
}

// parseOrder parses a field's name, with "-" before it for descending.
func parseOrder(text string) (Order, error) {
	name, descending := strings.CutPrefix(text, "-")
	if n := numberOf(name); n != nil {
		return Order{n.name, descending}, nil
	}
	if name == failure {
		return Order{failure, descending}, nil
	}
	_, figures := Terms()
	return Order{}, fmt.Errorf("requests cannot be sorted by %q; known are %s, %s",
		name, strings.Join(figures, ", "), failure)
}

// addStatus adds codes of HTTP, their classes, and words of how requests end.
func (f *Filter) addStatus(t filter.Term, options []string) error {
	var any []func(*Row) bool
	for _, o := range options {
		switch codes, ok := filter.Status(o); {
		case ok:
			any = append(any, func(r *Row) bool { return codes.Has(r.Status) })
		case endings[o] != nil:
			any = append(any, endings[o])
		case slices.Contains(faults, o):
			any = append(any, func(r *Row) bool { return string(r.Fault) == o })
		default:
			return t.Wrong(fmt.Errorf("write a status such as 429, a class such as 5xx, ok, failed, canceled, or a fault: %s",
				strings.Join(faults, ", ")))
		}
	}
	f.match(t, func(_ *View, r *Row) bool {
		return slices.ContainsFunc(any, func(is func(*Row) bool) bool { return is(r) })
	})
	return nil
}

// addUser adds numbers of users.
func (f *Filter) addUser(t filter.Term, options []string) error {
	var users []int
	for _, o := range options {
		n, err := strconv.Atoi(o)
		if err != nil || n < 1 {
			return t.Wrong(errors.New("write the number of a user, such as user:3, or several: user:3,5"))
		}
		users = append(users, n)
	}
	f.match(t, func(_ *View, r *Row) bool { return slices.Contains(users, r.User) })
	return nil
}

// Match reports whether r of v matches.
func (f *Filter) Match(v *View, r *Row) bool {
	for _, ok := range f.all {
		if !ok(v, r) {
			return false
		}
	}
	return true
}
