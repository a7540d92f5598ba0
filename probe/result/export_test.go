package result

import (
	"reflect"
	"time"
)

// What the tests of all formats look at.
var (
	Unsafe       = unsafe
	ConditionOf  = conditionOf
	WithoutTexts = withoutTexts
)

// Field is a field of an object in JSON.
type Field struct {
	Name                           string
	Index                          []int
	Type                           reflect.Type // that encoding/json writes
	Reason, Number, Element, Omits bool
}

// TypeInJSON returns the type that encoding/json writes for t.
func TypeInJSON(t reflect.Type) reflect.Type { return formOf(t).typ }

// FieldsOf returns the fields of struct t that are written.
func FieldsOf(t reflect.Type) (all []Field) {
	for _, f := range fieldsOf(t, nil, nil) {
		all = append(all, Field{f.name, f.index, f.form.typ, f.reason, f.number, f.element >= 0, f.omits})
	}
	return all
}

// SayOf returns what f says of a T, and of nothing else.
func SayOf[T any](f func(T) string) Sentences {
	return func(of any, _ time.Time) []string {
		if v, ok := of.(T); ok {
			return []string{f(v)}
		}
		return nil
	}
}
