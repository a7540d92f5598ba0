package result

import (
	"cmp"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"

	"tokscope/metrics"
)

// writer writes values in their forms, the rest as encoding/json does.
type writer struct {
	b       []byte
	say     Sentences // the texts; may be nil
	html    bool      // escapes <, > and &
	indents bool      // by two spaces for each level
	depth   int       // objects and lists that are open
	reasons []nullFigure
	err     error // the first
}

// nullFigure is the name of a null figure of an open object, and why it is null.
type nullFigure struct {
	name string
	why  metrics.Why
}

// value writes v, or what it points at.
func (w *writer) value(v any) {
	src := reflect.ValueOf(v)
	if src.Kind() != reflect.Pointer {
		p := reflect.New(src.Type())
		p.Elem().Set(src)
		src = p
	}
	f := formOf(src.Type().Elem())
	f.write(w, src.Elem())
}

// open begins an object or a list, close ends it.
func (w *writer) open(bracket byte) {
	w.b = append(w.b, bracket)
	w.depth++
}

func (w *writer) close(bracket byte) {
	w.depth--
	w.line(w.b[len(w.b)-1] != bracket-2) // behind its opening bracket it stands at once
	w.b = append(w.b, bracket)
}

// next begins a member of the object or list.
func (w *writer) next() {
	if c := w.b[len(w.b)-1]; c != '{' && c != '[' {
		w.b = append(w.b, ',')
	}
	w.line(true)
}

func (w *writer) line(breaks bool) {
	if w.indents && breaks {
		w.b = append(w.b, '\n')
		for range w.depth {
			w.b = append(w.b, "  "...)
		}
	}
}

// key begins a member of an object. A name is that of a tag: nothing in it is escaped.
func (w *writer) key(name string) {
	w.next()
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
	if w.indents {
		w.b = append(w.b, ' ')
	}
}

func (w *writer) null()           { w.b = append(w.b, "null"...) }
func (w *writer) int(n int64)     { w.b = strconv.AppendInt(w.b, n, 10) }
func (w *writer) string(s string) { w.b = appendString(w.b, []byte(s), w.html) }

func (w *writer) float(v float64) {
	if abs := math.Abs(v); v != 0 && !(abs >= 1e-6 && abs < 1e21) { // with an exponent, or no number
		rare := v
		w.other(reflect.ValueOf(&rare).Elem())
		return
	}
	w.b = strconv.AppendFloat(w.b, v, 'f', -1, 64)
}

// other leaves src to encoding/json.
func (w *writer) other(src reflect.Value) {
	at := len(w.b)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(w.html)
	if w.indents {
		e.SetIndent(strings.Repeat("  ", w.depth), "  ")
	}
	if err := e.Encode(src.Addr().Interface()); err != nil {
		w.err = cmp.Or(w.err, err)
		return
	}
	w.b = append(w.b[:at], Harmless(w.b[at:len(w.b)-1])...) // without its line end
}

// Write implements io.Writer for other.
func (w *writer) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}
