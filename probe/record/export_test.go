package record

import "time"

// InJSON is what encoding/json is given for a value.
var InJSON = Sentences(nil).inJSON

// SayOf returns what f says of a T, and of nothing else.
func SayOf[T any](f func(T) string) Sentences {
	return func(of any, _ time.Time) []string {
		if v, ok := of.(T); ok {
			return []string{f(v)}
		}
		return nil
	}
}
