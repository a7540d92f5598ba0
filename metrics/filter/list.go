package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// Field is what a term can ask of a T. One of Text, Word and Test may be set for
// key:value, beside Number or without it.
type Field[T any] struct {
	Key     string
	Aliases []string
	// Number is what ttft>500 compares. A Timed one is in ms.
	Number func(T) metrics.Value
	Timed  bool
	// Text is what has a part of the value in any case: model:llama.
	Text func(T) string
	// Word is what is one of the values in any case: state:failed. Known are the
	// words that it can be, nil for any.
	Word  func(T) string
	Known []string
	// Test returns what one of the values asks for; an error says what can stand
	// there.
	Test func(value string) (func(T) bool, error)
	// Shared is set for what all of a group have in common.
	Shared bool
}

// List has the terms of a line. It is safe for concurrent use.
type List[T any] struct {
	Fields []Field[T]
	// Words is what a word without a key is looked for in, in lower case, and
	// SharedWords reports that a group has it in common.
	Words       func(x T, part string) bool
	SharedWords bool
	// Others are keys that Parse gives to its caller, of one value and without an
	// opposite.
	Others []string
}

// Match is a parsed line. The zero Match matches everything. It is safe for
// concurrent use.
type Match[T any] struct {
	shared, own []func(T) bool
}

// Shared reports whether x matches all terms that its group has in common, Own all
// others.
func (m *Match[T]) Shared(x T) bool { return all(m.shared, x) }

// Own reports whether x matches all terms that are not Shared.
func (m *Match[T]) Own(x T) bool { return all(m.own, x) }

// SharedOnly reports whether there is no other term.
func (m *Match[T]) SharedOnly() bool { return len(m.own) == 0 }

func all[T any](terms []func(T) bool, x T) bool {
	for _, ok := range terms {
		if !ok(x) {
			return false
		}
	}
	return true
}

// Field returns the field of that key or alias, nil without one.
func (l *List[T]) Field(key string) *Field[T] {
	return pick.First(l.Fields, func(f *Field[T]) bool { return f.Key == key || slices.Contains(f.Aliases, key) })
}

// Terms returns the words before a colon, and the names of numbers.
func (l *List[T]) Terms() (keys, numbers []string) {
	for i := range l.Fields {
		f := &l.Fields[i]
		if f.Text != nil || f.Word != nil || f.Test != nil {
			keys = append(keys, f.Key)
		}
		if f.Number != nil {
			numbers = append(numbers, f.Key)
		}
	}
	return append(keys, l.Others...), numbers
}

// Parse parses a line; other takes the terms of Others. The error names the term
// that it does not understand, and what can stand there.
func (l *List[T]) Parse(line string, other func(Term) error) (m Match[T], err error) {
	terms, err := Parse(line)
	for i := 0; err == nil && i < len(terms); i++ {
		err = l.add(&m, terms[i], other)
	}
	if err != nil {
		return Match[T]{}, err
	}
	return m, nil
}

// add adds one term.
func (l *List[T]) add(m *Match[T], t Term, other func(Term) error) error {
	add := func(shared bool, ok func(T) bool) {
		to := &m.own
		if shared {
			to = &m.shared
		}
		*to = append(*to, func(x T) bool { return ok(x) != t.Not })
	}
	f := l.Field(t.Key)
	if t.Op == "" || f == nil && t.address() {
		part := strings.ToLower(t.Text)
		add(l.SharedWords, func(x T) bool { return l.Words(x, part) })
		return nil
	}
	if t.Compares() {
		if f == nil || f.Number == nil {
			return t.Unknown(l.Terms())
		}
		limit, err := t.Limit(f.Timed)
		if err == nil {
			add(f.Shared, func(x T) bool { return Compare(f.Number(x), t.Op, limit) })
		}
		return err
	}
	options, err := t.Options()
	switch {
	case err != nil:
		return err
	case slices.Contains(l.Others, t.Key):
		if t.Not && t.Key == "sort" {
			return t.Wrong(errors.New("sort has no opposite; sort:-ttft is the longest first"))
		} else if t.Not {
			return t.Wrong(fmt.Errorf("%s has no opposite", t.Key))
		}
		if err := other(t); err != nil {
			return t.Wrong(err)
		}
		return nil
	case f == nil:
	case f.Text != nil:
		add(f.Shared, func(x T) bool {
			return slices.ContainsFunc(options, func(o string) bool { return Contains(f.Text(x), o) })
		})
		return nil
	case f.Word != nil:
		for _, o := range options {
			if f.Known != nil && !slices.Contains(f.Known, o) {
				return t.Wrong(fmt.Errorf("%s is one of %s", t.Key, strings.Join(f.Known, ", ")))
			}
		}
		add(f.Shared, func(x T) bool { return slices.Contains(options, strings.ToLower(f.Word(x))) })
		return nil
	case f.Test != nil:
		var any []func(T) bool
		for _, o := range options {
			is, err := f.Test(o)
			if err != nil {
				return t.Wrong(err)
			}
			any = append(any, is)
		}
		add(f.Shared, func(x T) bool { return slices.ContainsFunc(any, func(is func(T) bool) bool { return is(x) }) })
		return nil
	}
	return t.Unknown(l.Terms())
}

// OfStatus returns the Test of a status of HTTP: a code such as 429, or a class
// such as 5xx.
func OfStatus[T any](of func(T) int) func(string) (func(T) bool, error) {
	return func(value string) (func(T) bool, error) {
		is := Status(value)
		if is == nil {
			return nil, errors.New("write a status such as 429, or a class such as 5xx")
		}
		return func(x T) bool { return is(of(x)) }, nil
	}
}

// YesNo returns the field of what is or is not.
func YesNo[T any](key string, of func(T) bool) Field[T] {
	return Field[T]{Key: key, Known: []string{"yes", "no"}, Word: func(x T) string {
		if of(x) {
			return "yes"
		}
		return "no"
	}}
}
