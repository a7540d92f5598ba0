package history

import (
	"fmt"
	"slices"
	"strings"

	"tokscope/metrics"
)

// Order is the order of entries by one field. The zero Order is none.
type Order struct {
	Field      string // of Fields
	Descending bool
}

// fieldAt is the field of the moment.
const fieldAt = "at"

// Newest is the order of the newest first.
var Newest = Order{Field: fieldAt, Descending: true}

// Fields returns the names that entries can be sorted by.
func Fields() []string {
	names := []string{fieldAt}
	for i := range fields.Fields {
		if f := &fields.Fields[i]; f.Key != "connection" {
			names = append(names, f.Key)
		}
	}
	return names
}

// ParseOrder parses a field's name, with "-" before it for descending. "" is the
// newest first.
func ParseOrder(text string) (Order, error) {
	if text == "" {
		return Newest, nil
	}
	name, descending := strings.CutPrefix(strings.ToLower(text), "-")
	if !slices.Contains(Fields(), name) {
		return Order{}, fmt.Errorf("entries cannot be sorted by %q; known are %s", name, strings.Join(Fields(), ", "))
	}
	return Order{name, descending}, nil
}

// Time reports whether o is by the moment.
func (o Order) Time() bool { return o.Field == fieldAt }

// Key returns what o sorts e by: a text, or else a number, which may be unknown.
func (o Order) Key(e *Entry) (text string, number metrics.Value) {
	f := fields.Field(o.Field)
	switch {
	case o.Field == "status":
		number = metrics.Value{V: float64(e.Status), OK: e.Status != 0}
	case f == nil:
	case f.Text != nil:
		text = f.Text(e)
	case f.Word != nil:
		text = f.Word(e)
	case f.Number != nil:
		number = f.Number(e)
	}
	return text, number
}
