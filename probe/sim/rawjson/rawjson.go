// Package rawjson walks a JSON document in place. It copies and decodes only
// what its caller asks for, so the memory of a hostile document stays close to
// its size.
//
// Every function but Check needs a document that Check has accepted. For
// another one its result means nothing, but it ends and stays in bounds.
package rawjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of values. None is the kind of no bytes.
const (
	None Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind in words, with its article.
func (k Kind) String() string {
	return [...]string{"nothing", "null", "true or false", "a number", "a string", "an array", "an object"}[k]
}

// Check reports why doc is not one valid JSON document, with the position of
// the first wrong byte. It allocates no copy of doc.
func Check(doc []byte) error {
	if json.Valid(doc) {
		return nil
	}
	var none struct{}
	err := json.Unmarshal(doc, &none)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return nil // any other error is about the empty struct
	}
	if syntax.Error() == "unexpected end of JSON input" {
		return fmt.Errorf("it ends too early, after byte %d", len(doc))
	}
	return fmt.Errorf("byte %d: %v", syntax.Offset, syntax)
}

// KindOf returns the kind of a value, which may have spaces around it.
func KindOf(v []byte) Kind {
	i := space(v, 0)
	if i == len(v) {
		return None
	}
	switch v[i] {
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '[':
		return Array
	case '{':
		return Object
	}
	return Number
}

// Fields calls f for each field of an object, in their order, until f returns
// false. Values refer to obj. It does nothing if obj is another kind.
func Fields(obj []byte, f func(name string, v []byte) bool) {
	walk(obj, '{', func(_ int, name string, v []byte) bool { return f(name, v) })
}

// Items calls f for each item of an array until f returns false. Values refer
// to list. It does nothing if list is another kind.
func Items(list []byte, f func(i int, v []byte) bool) {
	walk(list, '[', func(i int, _ string, v []byte) bool { return f(i, v) })
}

// walk calls f for each part of doc, which begins with that bracket, until f returns
// false. name is that of an object's field.
func walk(doc []byte, bracket byte, f func(i int, name string, v []byte) bool) {
	i := space(doc, 0)
	if i == len(doc) || doc[i] != bracket {
		return
	}
	i = space(doc, i+1)
	for n := 0; i < len(doc) && doc[i] != ']' && doc[i] != '}'; n++ {
		name := ""
		if bracket == '{' {
			end := text(doc, i)
			name = Text(doc[i:end])
			i = min(space(doc, space(doc, end)+1), len(doc)) // after the colon
		}
		end := value(doc, i)
		if !f(n, name, doc[i:end]) {
			return
		}
		if i = space(doc, end); i == len(doc) || doc[i] != ',' {
			return
		}
		i = space(doc, i+1)
	}
}

// Count returns the number of items of an array, 0 for another kind.
func Count(list []byte) (n int) {
	Items(list, func(int, []byte) bool { n++; return true })
	return n
}

// Field returns the last field of an object with this name, or nil.
func Field(obj []byte, name string) (v []byte) {
	Fields(obj, func(n string, x []byte) bool {
		if n == name {
			v = x
		}
		return true
	})
	return v
}

// Text decodes a string, "" for another kind.
func Text(v []byte) string {
	from := space(v, 0)
	if from == len(v) || v[from] != '"' {
		return ""
	}
	end := text(v, from)
	raw := v[from+1 : max(end-1, from+1)]
	for _, c := range raw {
		if c == '\\' || c >= utf8.RuneSelf {
			var s string
			if json.Unmarshal(v[from:end], &s) != nil {
				return ""
			}
			return s
		}
	}
	return string(raw)
}

// space returns the position of the first byte from i on that is no space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// text returns the end of the string that begins at i.
func text(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// value returns the end of the value that begins at i.
func value(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = text(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		default: // a number or a word
			for i < len(b) && strings.IndexByte(",:}] \n\t\r", b[i]) < 0 {
				i++
			}
		}
		if depth <= 0 {
			break
		}
	}
	return i
}
