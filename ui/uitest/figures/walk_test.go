package figures

import (
	"reflect"
	"regexp"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
)

// mark is the value that each figure is given in its turn. marks are the texts in
// which it may stand: as it is, as the ordinal of a chunk, which counts from 1, as
// a share, in percent, as a clock.
const mark = 739

var marks = []string{"739", "740", "0.74", "74 %", "73.9", "12:19"}

// shares are figures from 0 to 1 by their names.
var shares = regexp.MustCompile(`Share|BelowReading|Shared|\.Level$|\.Alpha$`)

// bands are factors just above 1, which are written as their distance from it.
var bands = regexp.MustCompile(`\.Band$`)

// spans are times that are written in hours or days.
var spans = regexp.MustCompile(`Between`)

// seconds are times that are shown in whole seconds, as a clock.
var seconds = regexp.MustCompile(`Limits\.\w+\.(Age|Reset|UsedUp)`)

// field is one figure within a record.
type field struct {
	path string
	set  func(record reflect.Value)
	// differs: no text can hold the mark, so a figure counts as shown when the text
	// changes with it.
	differs bool
}

// fieldsOf lists the figures of the record type t.
func fieldsOf(t reflect.Type) (out []field) {
	walk(t, "", func(v reflect.Value) reflect.Value { return v }, &out)
	return out
}

// walk appends the figures within the value that get finds in a record.
func walk(t reflect.Type, path string, get func(reflect.Value) reflect.Value, out *[]field) {
	leaf := func(differs bool, set func(v reflect.Value)) {
		*out = append(*out, field{strings.TrimPrefix(path, "."), func(r reflect.Value) { set(get(r)) }, differs})
	}
	number := float64(mark)
	if shares.MatchString(path) {
		number /= 1000
	}
	if bands.MatchString(path) {
		number = (1000 + mark) / 1000.0
	}
	if seconds.MatchString(path) {
		number *= 1000
	}
	switch t {
	case reflect.TypeFor[metrics.Value]():
		leaf(false, func(v reflect.Value) { v.Set(reflect.ValueOf(metrics.Known(number, 7))) })
		return
	case reflect.TypeFor[metrics.Missing]():
		b := metrics.Bound{Low: 1, High: mark, OK: true}
		leaf(false, func(v reflect.Value) {
			v.Set(reflect.ValueOf(metrics.Missing{N: mark, P50: b, P90: b, P95: b, P99: b, Max: b}))
		})
		return
	case reflect.TypeFor[metrics.Workload](), reflect.TypeFor[metrics.Endpoint]():
		return // what was asked for is no figure
	case reflect.TypeFor[loadstat.Point]():
		if path != "" {
			return // it has a test of its own
		}
	case reflect.TypeFor[metrics.Ending](), reflect.TypeFor[loadstat.Question]():
		return // sentences, not figures
	case reflect.TypeFor[[]loadstat.Mark](), reflect.TypeFor[*loadstat.Mark](), reflect.TypeFor[[]loadstat.Setting](), reflect.TypeFor[loadstat.Drive]():
		return // what a person chose is no figure: TestMarks and the tests of the slider have it
	case reflect.TypeFor[metrics.Delay]():
		leaf(false, func(v reflect.Value) {
			v.Set(reflect.ValueOf(metrics.Delay{Code: metrics.DelayReads, P99: mark, Max: mark, Shared: 0.5}))
		})
		return
	case reflect.TypeFor[history.Entry]():
		if path != "" {
			return // its figures have a place of their own
		}
	case reflect.TypeFor[time.Duration]():
		leaf(spans.MatchString(path), func(v reflect.Value) { v.SetInt(int64(mark * time.Millisecond)) })
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				walk(f.Type, path+"."+f.Name, func(v reflect.Value) reflect.Value { return get(v).Field(i) }, out)
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			walk(t.Elem(), path+"["+string(rune('0'+i))+"]", func(v reflect.Value) reflect.Value { return get(v).Index(i) }, out)
		}
	case reflect.Slice:
		leaf(true, func(v reflect.Value) {
			elem := reflect.New(t.Elem()).Elem()
			if n := v.Len(); n > 0 {
				elem.Set(v.Index(n - 1))
			}
			fill(elem)
			v.Set(reflect.Append(v.Slice3(0, v.Len(), v.Len()), elem))
		})
	case reflect.Pointer:
		leaf(true, func(v reflect.Value) {
			elem := reflect.New(t.Elem())
			if !v.IsNil() {
				elem.Elem().Set(v.Elem())
			}
			fill(elem.Elem())
			v.Set(elem)
		})
	case reflect.Int, reflect.Int32:
		leaf(false, func(v reflect.Value) { v.SetInt(mark) })
	case reflect.Int64: // a stamp
		leaf(true, func(v reflect.Value) { v.SetInt(v.Int() + int64(mark*time.Millisecond)) })
	case reflect.Uint64:
		leaf(false, func(v reflect.Value) { v.SetUint(mark) })
	case reflect.Uint8, reflect.Uint16, reflect.Uint32: // a word or a reason
		leaf(true, func(v reflect.Value) { v.SetUint(v.Uint()%3 + 1) })
	case reflect.Float64, reflect.Float32:
		leaf(false, func(v reflect.Value) { v.SetFloat(number) })
	case reflect.Bool:
		leaf(true, func(v reflect.Value) { v.SetBool(!v.Bool()) })
	case reflect.String:
		leaf(false, func(v reflect.Value) { v.SetString("739") })
	default:
		panic("no mark for " + path + ", a " + t.String())
	}
}

// fill gives every number and text within v the mark.
func fill(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	var all []field
	for i := range v.NumField() {
		switch k := v.Type().Field(i).Type.Kind(); {
		case !v.Type().Field(i).IsExported() || k == reflect.Slice || k == reflect.Pointer || k == reflect.Map || k == reflect.Func || k == reflect.Interface:
		default:
			walk(v.Type().Field(i).Type, "", func(r reflect.Value) reflect.Value { return r.Field(i) }, &all)
		}
	}
	for _, f := range all {
		f.set(v)
	}
}

// shown reports whether one of the texts holds the figure, which the plain ones
// do not.
func (f *field) shown(plain []string, texts []func() string) bool {
	for i, write := range texts {
		text := write()
		if text == plain[i] {
			continue
		}
		if f.differs {
			return true
		}
		for _, m := range marks {
			if strings.Count(text, m) > strings.Count(plain[i], m) {
				return true
			}
		}
	}
	return false
}
