package history

import (
	"fmt"
	"slices"
	"strings"
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

// Text returns the text of e that o sorts by, and whether o is by a text.
func (o Order) Text(e *Entry) (string, bool) {
	switch f := fields.Field(o.Field); {
	case f != nil && f.Text != nil:
		return f.Text(e), true
	case f != nil && f.Word != nil:
		return f.Word(e), true
	}
	return "", false
}

// Number returns the number of e that o sorts by, if it is by a number. known is
// false for an unknown one, which comes last in either direction.
func (o Order) Number(e *Entry) (v float64, known bool) {
	if o.Field == "status" {
		return float64(e.Status), e.Status != 0
	}
	if f := fields.Field(o.Field); f != nil && f.Number != nil {
		value := f.Number(e)
		return value.V, value.OK
	}
	return 0, false
}
