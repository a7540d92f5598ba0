package request

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/filter"
)

// Filter is a parsed line. The zero Filter matches everything. It is safe for
// concurrent use.
//
//	ttft>500 tpot<=20ms tokens<5   a figure; an unknown one never matches
//	status:5xx status:429          of HTTP
//	status:ok status:failed        how it ended, or the kind of the fault
//	finish:length           the finish reason, or a part of it
//	user:3,5 suspect:no            one of several
//	endpoint:groq model:llama      a part of a name
//	sort:-ttft                     the order, descending
//	!status:ok                     the opposite of a term
//	overloaded "rate limit"        words of the fault or of these names
type Filter struct {
	Order Order // of sort; zero for none
	match filter.Match[row]
}

// Order is the order of rows by one field. The zero Order is the one that ended
// last first.
type Order struct {
	Field      string
	Descending bool
}

// row is a row of a view.
type row struct {
	v *View
	*Row
}

// ofFigure is the field of a figure; the table has its other names.
func ofFigure(key string, id figure.ID, of func(*Row) metrics.Value) filter.Field[row] {
	f := figure.Of(id)
	return filter.Field[row]{Key: key, Aliases: append(f.Aliases, f.Name), Timed: f.Unit == figure.Ms,
		Number: func(x row) metrics.Value { return of(x.Row) }}
}

// fields are the terms of a line, and the numbers that requests are sorted by.
var fields = filter.List[row]{
	Fields: []filter.Field[row]{
		ofFigure("ttft", figure.TTFT, func(r *Row) metrics.Value { return r.TTFT }),
		ofFigure("tpot", figure.TPOT, func(r *Row) metrics.Value { return r.TPOT }),
		ofFigure("gap", figure.Longest, func(r *Row) metrics.Value { return r.Longest }),
		ofFigure("total", figure.Total, func(r *Row) metrics.Value { return r.Total }),
		ofFigure("tokens", figure.Tokens, func(r *Row) metrics.Value { return r.Tokens }),
		{Key: "sent", Timed: true, Number: func(x row) metrics.Value {
			return metrics.Since(x.v.Began, x.Sent, metrics.WhyNotSent)
		}},
		{Key: "number", Number: func(x row) metrics.Value { return metrics.Known(float64(x.N), 1) }},
		{Key: "status", Test: statusOf},
		{Key: "finish", Text: func(x row) string { return x.Finish }},
		{Key: "user", Test: userOf, Number: func(x row) metrics.Value {
			return metrics.Value{V: float64(x.User), N: 1, OK: x.User != 0}
		}},
		{Key: "doubts", Number: func(x row) metrics.Value { return metrics.Known(float64(x.Doubts), 1) }},
		{Key: "endpoint", Text: func(x row) string { return x.Endpoint }},
		{Key: "model", Text: func(x row) string { return x.Model }},
		{Key: "workload", Text: func(x row) string { return x.Work }},
		filter.YesNo("suspect", func(x row) bool { return x.Suspect() }),
		filter.YesNo("events", func(x row) bool { return x.v.Kept(x.ID) }),
	},
	Words: func(x row, part string) bool {
		return filter.Contains(string(x.Fault), part) ||
			filter.Contains(x.Message, part) || filter.Contains(x.Model, part) ||
			filter.Contains(x.Endpoint, part) || filter.Contains(x.Work, part)
	},
	Others: []string{"sort"},
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
		string(metrics.FaultForeign),
	}
	endings = map[string]func(*Row) bool{
		"ok":       (*Row).Good,
		"failed":   (*Row).Bad,
		"canceled": func(r *Row) bool { return r.State == metrics.Cancelled },
	}
)

// ParseFilter parses a line. The error names the term that it does not understand,
// and what can stand there.
func ParseFilter(line string) (f Filter, err error) {
	f.match, err = fields.Parse(line, func(t filter.Term) (err error) {
		f.Order, err = parseOrder(strings.ToLower(t.Value))
		return err
	})
	if err != nil {
		return Filter{}, err
	}
	return f, nil
}

// parseOrder parses a field's name, with "-" before it for descending.
func parseOrder(text string) (Order, error) {
	name, descending := strings.CutPrefix(text, "-")
	if f := fields.Field(name); f != nil && f.Number != nil {
		return Order{f.Key, descending}, nil
	}
	if name == failure {
		return Order{failure, descending}, nil
	}
	_, figures := fields.Terms()
	return Order{}, fmt.Errorf("requests cannot be sorted by %q; known are %s, %s",
		name, strings.Join(figures, ", "), failure)
}

// statusOf tests a code of HTTP, a class of them, or a word of how requests end.
func statusOf(value string) (func(row) bool, error) {
	switch is := filter.Status(value); {
	case is != nil:
		return func(x row) bool { return is(x.Status) }, nil
	case endings[value] != nil:
		return func(x row) bool { return endings[value](x.Row) }, nil
	case slices.Contains(faults, value):
		return func(x row) bool { return string(x.Fault) == value }, nil
	}
	return nil, fmt.Errorf("write a status such as 429, a class such as 5xx, ok, failed, canceled, or a fault: %s",
		strings.Join(faults, ", "))
}

// userOf tests the number of a user.
func userOf(value string) (func(row) bool, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return nil, errors.New("write the number of a user, such as user:3, or several: user:3,5")
	}
	return func(x row) bool { return x.User == n }, nil
}
