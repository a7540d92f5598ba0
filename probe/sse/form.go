package sse

import "bytes"

// Form says what a body is, by its first bytes.
type Form uint8

const (
	Undecided Form = iota // too few bytes
	Events                // server-sent events: it begins with a comment or a field
	Lines                 // JSON objects, one a line: it begins with the first
	Array                 // one JSON array of objects
	Other
)

// fields are the names with which a body of events begins.
var fields = [...]string{"data:", "event:", "id:", "retry:", "error:"}

// FormOf returns the form of a body that begins with b. A mark of the byte order,
// blanks and line ends before the first field do not count. Once decided, more bytes
// do not change it.
func FormOf(b []byte) Form {
	if len(b) < len(bom) && bytes.HasPrefix(bom, b) {
		return Undecided
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, bom), " \t\r\n")
	switch {
	case len(b) == 0:
		return Undecided
	case b[0] == ':':
		return Events
	case b[0] == '{':
		return Lines
	case b[0] == '[':
		return Array
	}
	for _, field := range fields {
		n := min(len(b), len(field))
		switch {
		case string(b[:n]) != field[:n]:
		case n == len(field):
			return Events
		default:
			return Undecided
		}
	}
	return Other
}
