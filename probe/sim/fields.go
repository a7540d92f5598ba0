package sim

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"tokscope/probe/sim/rawjson"
)

// fields reads the fields of an object of a request. Its methods return the
// zero value and keep the first error if a field has another type or is out
// of range. A missing field and null are the zero value, too.
type fields struct {
	path   string // of the object, with its dot; "" for the body
	exists bool
	list   []field
	*reading
}

// reading is what all objects of a body share: the first error in them.
type reading struct{ err *apiError }

type field struct {
	name string
	v    []byte
}

// maxFields bounds the fields of one object.
const maxFields = 1024

// fieldsOf returns the fields of an object. No object has none.
func (r *reading) fieldsOf(path string, obj []byte) *fields {
	f := &fields{path: path, exists: obj != nil, reading: r}
	rawjson.Fields(obj, func(name string, v []byte) bool {
		if len(f.list) == maxFields {
			f.fail("", "%s has more than %d fields", strings.TrimSuffix("the body."+path, "."), maxFields)
			return false
		}
		f.list = append(f.list, field{name, v})
		return true
	})
	return f
}

// raw returns a field's value, nil if it is missing or null. The last of
// several fields of one name counts.
func (f *fields) raw(name string) []byte {
	for i := len(f.list) - 1; i >= 0; i-- {
		if x := &f.list[i]; x.name == name {
			if rawjson.KindOf(x.v) == rawjson.Null {
				return nil
			}
			return x.v
		}
	}
	return nil
}

// has reports whether a field has a value other than null.
func (f *fields) has(name string) bool { return f.raw(name) != nil }

// fail keeps an error about a field, unless there is an earlier one.
func (f *fields) fail(name, format string, args ...any) {
	if f.err == nil {
		f.err = badRequest(strings.TrimSuffix(f.path+name, "."), format, args...)
	}
}

// wrongType keeps the error that a field has the wrong type.
func (f *fields) wrongType(name, want string, v []byte) {
	f.fail(name, "%s%s must be %s, got %s", f.path, clip(name), want, rawjson.KindOf(v))
}

// of returns a field's value if it has this kind.
func (f *fields) of(name string, want rawjson.Kind) []byte {
	v := f.raw(name)
	if v == nil {
		return nil
	}
	if rawjson.KindOf(v) != want {
		f.wrongType(name, want.String(), v)
		return nil
	}
	return v
}

func (f *fields) text(name string) string { return rawjson.Text(f.of(name, rawjson.String)) }

func (f *fields) boolean(name string) bool {
	return bytes.HasPrefix(f.of(name, rawjson.Bool), []byte("t"))
}

// integer returns a whole number from low to high, nil if it is missing.
func (f *fields) integer(name string, low, high int64) *int64 {
	v := f.of(name, rawjson.Number)
	if v == nil {
		return nil
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil { // such as 5.0, 1e3 or too large
		x, e := strconv.ParseFloat(string(v), 64)
		if e == nil && x != math.Trunc(x) {
			f.fail(name, "%s%s must be a whole number, got %s", f.path, name, clip(string(v)))
			return nil
		}
		if e != nil || math.Abs(x) > 1<<53 {
			f.outOfRange(name, strconv.FormatInt(low, 10), strconv.FormatInt(high, 10), v[0] == '-', v)
			return nil
		}
		n = int64(x)
	}
	if n < low || n > high {
		f.outOfRange(name, strconv.FormatInt(low, 10), strconv.FormatInt(high, 10), n < low, v)
		return nil
	}
	return &n
}

// number checks that a field, if it is there, is a number from low to high.
func (f *fields) number(name string, low, high float64) {
	v := f.of(name, rawjson.Number)
	if v == nil {
		return
	}
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil || x < low || x > high {
		text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
		f.outOfRange(name, text(low), text(high), x < low, v)
	}
}

func (f *fields) outOfRange(name, low, high string, below bool, got []byte) {
	bound := "at most " + high
	if below {
		bound = "at least " + low
	}
	f.fail(name, "%s%s must be %s, got %s", f.path, name, bound, clip(string(got)))
}

// set reports whether a field asks for something: it is not null, false,
// empty or missing.
func (f *fields) set(name string) bool {
	v := f.raw(name)
	switch rawjson.KindOf(v) {
	case rawjson.None:
		return false
	case rawjson.Bool:
		return v[0] == 't'
	case rawjson.String:
		return rawjson.Text(v) != ""
	case rawjson.Array:
		return rawjson.Count(v) > 0
	}
	return true
}

// object returns the fields of an object. It has none if the field is
// missing.
func (f *fields) object(name string) *fields {
	return f.fieldsOf(f.path+name+".", f.of(name, rawjson.Object))
}

// objects calls each for the items of an array of objects, at most most of
// them, until there is an error.
func (f *fields) objects(name string, most int, each func(item *fields)) {
	list := f.of(name, rawjson.Array)
	if n := rawjson.Count(list); n > most {
		f.fail(name, "%s%s has %d items, at most %d are taken here", f.path, name, n, most)
		return
	}
	rawjson.Items(list, func(i int, v []byte) bool {
		at := name + "[" + strconv.Itoa(i) + "]"
		if rawjson.KindOf(v) != rawjson.Object {
			f.wrongType(at, rawjson.Object.String(), v)
			return false
		}
		each(f.fieldsOf(f.path+at+".", v))
		return f.err == nil
	})
}
