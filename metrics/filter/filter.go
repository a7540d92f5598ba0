// Package filter reads the terms of a filter line, as a person types it on a
// screen or a command line. What the terms mean belongs to those who are
// filtered: a List of Fields in metrics/history and one in metrics/request.
//
//	ttft>500 total<=1.5s    a comparison: Key, Op and Value
//	status:5xx fault:dns    Key, the Op ":", and Value
//	!status:429             Not
//	llama "long answer"     a word: Text alone
package filter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
)

// Term is one part of a line.
type Term struct {
	// Text is the term as typed, without quotation marks and the sign of Not.
	Text string
	// Not asks for the opposite.
	Not bool
	// Key is the name before Op, in lower case. Op is ":" or one of >, >=, <,
	// <=, = and Value what follows it. All are "" for a word.
	Key, Op, Value string
}

// operators, the longer ones first.
var operators = []string{":", ">=", "<=", ">", "<", "="}

// Parse divides a line at its blanks outside of quotation marks. A quoted term
// is a word, whatever it holds.
func Parse(line string) (terms []Term, err error) {
	var (
		text              strings.Builder
		begun, in, quoted bool
	)
	flush := func() {
		if t := termOf(text.String(), quoted); begun && t.Text != "" {
			terms = append(terms, t)
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

// termOf returns the term of a text.
func termOf(text string, quoted bool) Term {
	t := Term{Text: text}
	if quoted {
		return t
	}
	if len(text) > 1 && text[0] == '!' {
		t.Text, t.Not = text[1:], true
	}
	at := strings.IndexAny(t.Text, ":<>=")
	if at < 0 {
		return t
	}
	t.Key = strings.ToLower(t.Text[:at])
	for _, op := range operators {
		if value, ok := strings.CutPrefix(t.Text[at:], op); ok {
			t.Op, t.Value = op, value
			break
		}
	}
	return t
}

// Compares reports whether t compares a number.
func (t Term) Compares() bool { return t.Op != "" && t.Op != ":" }

// address reports whether t is an address, which has a colon too: 127.0.0.1:8080, or
// http://host/v1.
func (t Term) address() bool {
	return t.Op == ":" && (strings.HasPrefix(t.Value, "//") || t.Key == "localhost" || strings.Contains(t.Key, "."))
}

// Unknown is the error about a term whose key is not known. keys stand before a
// colon, numbers before a comparison.
func (t Term) Unknown(keys, numbers []string) error {
	return fmt.Errorf("filter %q: %q is not known; known are %s, and with >, >=, <, <= or =: %s",
		t.Text, t.Key, strings.Join(keys, ", "), strings.Join(numbers, ", "))
}

// Wrong is an error about t; err says what can stand there.
func (t Term) Wrong(err error) error { return fmt.Errorf("filter %q: %w", t.Text, err) }

// Options returns the values behind the colon, in lower case, of which one is
// asked for.
func (t Term) Options() ([]string, error) {
	if t.Value == "" {
		return nil, t.Wrong(errors.New("nothing stands after the colon"))
	}
	return strings.Split(strings.ToLower(t.Value), ","), nil
}

// Limit returns the number of a comparison. A time is in ms, and may be written
// with a unit.
func (t Term) Limit(isTime bool) (float64, error) {
	if v, err := strconv.ParseFloat(t.Value, 64); err == nil && v-v == 0 { // finite
		return v, nil
	}
	if !isTime {
		return 0, t.Wrong(fmt.Errorf("%q is not a number", t.Value))
	}
	d, err := time.ParseDuration(t.Value)
	if err != nil {
		return 0, t.Wrong(fmt.Errorf("%q is not a time: write milliseconds or a unit, such as %s>500 or %s>1.5s",
			t.Value, t.Key, t.Key))
	}
	return float64(d) / 1e6, nil
}

// Compare reports whether v op limit; an unknown v has no order.
func Compare(v metrics.Value, op string, limit float64) bool {
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

// Status returns what an HTTP status is tested by: a code such as 429 or a class such
// as 5xx, nil for anything else. 0 is no status.
func Status(text string) func(status int) bool {
	code, class := strings.CutSuffix(text, "xx")
	n, err := strconv.Atoi(code)
	switch {
	case err == nil && class && n >= 1 && n <= 5:
		return func(status int) bool { return status/100 == n }
	case err == nil && !class && n >= 100 && n <= 599:
		return func(status int) bool { return status == n }
	}
	return nil
}

// Contains reports whether text holds part, which is in lower case.
func Contains(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }
