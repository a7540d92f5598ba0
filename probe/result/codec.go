package result

import (
	"encoding"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// The codec writes and reads the types of metrics by their json tags. A field
// without a tag is left out. It writes them itself: by way of encoding/json a request
// of a probe took three times the CPU time and its garbage. Beside what encoding/json does:
//
//	metrics.Value    a number, or null with its reason under "unknown" of the object
//	metrics.Stamp    ns since the origin, null when unknown
//	time.Duration    ms; with the option "s" seconds
//	time.Time        UTC
//	[]FaultCount     counts by kind
//	enumerations     the word of their String method
//	a nil slice      []
//
// Beside omitempty and omitzero of the tag json, a tag form has options:
//
//	inline           the fields of the struct stand in the object around it
//	null=neg         a negative number is null
//	null=zero        0 and what is not finite are null
//	null=inf         what is not finite is null, and comes back as 0
//	null=nan         the same, and comes back as NaN
//	count            a slice is its length
//	from1            a number that counts from 0 counts from 1
//	n=name           the N of a value stands under that name (the last option)
//	words=no|yes     a bool is one of two words
//	bare             the reason of a null figure is left out
//
// The name of an array of values is a list, "first|second", unless its type has the
// names as Keys. Go's rule decides between fields of one name: the outer one counts. What
// was read is told by its method Restore, if it has one.

// MaxItems bounds the events, reads, points and other lines of a file that are kept,
// and what stands as a count.
const MaxItems = 4_000_000

// Reason is why a figure is null: its code, and the words for a person.
type Reason struct {
	Code string `json:"code"` // as the history has it: "no-stamp", "needs:20"
	Text string `json:"text,omitempty"`
}

// reasons are those of the null figures of an object, by name, as they were read.
type reasons map[string]Reason

// why returns what r was made from, WhyNotRecorded for no reason at all.
func (r Reason) why() (w metrics.Why) {
	switch {
	case r == Reason{}:
		return metrics.WhyNotRecorded
	case w.UnmarshalText([]byte(r.Code)) == nil && w != 0:
		return w
	}
	return metrics.WhyForeign
}

// form is how a type stands in JSON.
type form struct {
	typ reflect.Type // that encoding/json reads
	// write writes src, which is addressable.
	write func(w *writer, src reflect.Value)
	// from fills dst from src, a typ; nil where the type itself is typ.
	from func(dst, src reflect.Value)
}

// take is from, and the way of a type that is its own form.
func (f *form) take(dst, src reflect.Value) {
	if f.from == nil {
		dst.Set(src)
		return
	}
	f.from(dst, src)
}

var forms sync.Map // of form by reflect.Type

func formOf(t reflect.Type) form {
	if f, ok := forms.Load(t); ok {
		return f.(form)
	}
	f := makeForm(t)
	forms.Store(t, f)
	return f
}

// Unmarshal reads one JSON value into what v points at, which must be zero.
func Unmarshal(data []byte, v any) error {
	to := reflect.ValueOf(v).Elem()
	f := formOf(to.Type())
	if f.from == nil {
		return json.Unmarshal(data, v)
	}
	in := reflect.New(f.typ)
	if err := json.Unmarshal(data, in.Interface()); err != nil {
		return err
	}
	f.from(to, in.Elem())
	return nil
}

var (
	valueType    = reflect.TypeFor[metrics.Value]()
	stampType    = reflect.TypeFor[metrics.Stamp]()
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	intervalType = reflect.TypeFor[loadstat.Interval]()
	rawType      = reflect.TypeFor[json.RawMessage]()
	marshaler    = reflect.TypeFor[json.Marshaler]()
	texter       = reflect.TypeFor[encoding.TextMarshaler]()
	stringer     = reflect.TypeFor[interface{ String() string }]()
)

func makeForm(t reflect.Type) form {
	if own := ownForms[t]; own != nil {
		return own()
	}
	switch {
	case t == valueType:
		return form{reflect.TypeFor[*float64](), func(w *writer, src reflect.Value) {
			if v := src.Addr().Interface().(*metrics.Value); v.OK && isFinite(v.V) {
				w.float(v.V)
			} else {
				w.null()
			}
		}, func(dst, src reflect.Value) {
			v := metrics.Unknown(metrics.WhyNotRecorded)
			if !src.IsNil() {
				v = metrics.Known(src.Elem().Float(), 0)
			}
			dst.Set(reflect.ValueOf(v))
		}}
	case t == stampType:
		return orNull(form{typ: t, write: plainly(t)},
			func(v reflect.Value) bool { return !metrics.Stamp(v.Int()).Known() },
			func(dst reflect.Value) { dst.SetInt(int64(metrics.NoStamp)) })
	case t == durationType:
		return durationForm(1e6)
	case t == timeType:
		return form{typ: t, write: func(w *writer, src reflect.Value) {
			w.b = append(src.Addr().Interface().(*time.Time).UTC().AppendFormat(append(w.b, '"'), time.RFC3339Nano), '"')
		}}
	case t == rawType:
		return form{typ: t, write: func(w *writer, src reflect.Value) {
			if json.Valid(src.Bytes()) {
				w.other(src)
			} else {
				w.null()
			}
		}}
	case t.Implements(marshaler):
		return form{typ: t, write: (*writer).other}
	case t.Implements(stringer) && t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return wordForm(t)
	case t.Kind() == reflect.Pointer:
		return pointerForm(formOf(t.Elem()))
	case t.Kind() == reflect.Slice:
		return sliceForm(t, formOf(t.Elem()))
	case t.Kind() == reflect.Struct:
		return structForm(t)
	}
	return form{typ: t, write: plainly(t)}
}

// plainly writes a value as encoding/json does.
func plainly(t reflect.Type) func(w *writer, src reflect.Value) {
	if p := reflect.PointerTo(t); p.Implements(marshaler) || p.Implements(texter) || t == reflect.TypeFor[json.Number]() {
		return (*writer).other
	}
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return func(w *writer, src reflect.Value) { w.b = strconv.AppendBool(w.b, src.Bool()) }
	case kind >= reflect.Int && kind <= reflect.Int64:
		return func(w *writer, src reflect.Value) { w.int(src.Int()) }
	case kind >= reflect.Uint && kind <= reflect.Uint64:
		return func(w *writer, src reflect.Value) { w.b = strconv.AppendUint(w.b, src.Uint(), 10) }
	case kind == reflect.Float64:
		return func(w *writer, src reflect.Value) { w.float(src.Float()) }
	case kind == reflect.String:
		return func(w *writer, src reflect.Value) { w.string(src.String()) }
	}
	return (*writer).other
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// durationForm is a number of units of that many ns.
func durationForm(unit float64) form {
	return form{reflect.TypeFor[float64](),
		func(w *writer, src reflect.Value) { w.float(float64(src.Int()) / unit) },
		func(dst, src reflect.Value) { dst.SetInt(int64(durationOf(src.Float() * unit / 1e6))) }}
}

// wordForm is the word of an enumeration. Words of later versions are its zero.
func wordForm(t reflect.Type) form {
	values := map[string]reflect.Value{}
	func() {
		defer func() { _ = recover() }() // a String without a word for what lies behind the last
		for i := range 64 {
			v := reflect.ValueOf(i).Convert(t)
			if word := v.Interface().(interface{ String() string }).String(); !values[word].IsValid() {
				values[word] = v
			}
		}
	}()
	return form{reflect.TypeFor[string](), func(w *writer, src reflect.Value) {
		w.string(src.Interface().(interface{ String() string }).String())
	}, func(dst, src reflect.Value) {
		if v := values[src.String()]; v.IsValid() {
			dst.Set(v)
		}
	}}
}

func pointerForm(elem form) form {
	return form{reflect.PointerTo(elem.typ), func(w *writer, src reflect.Value) {
		if src.IsNil() {
			w.null()
		} else {
			elem.write(w, src.Elem())
		}
	}, func(dst, src reflect.Value) {
		if !src.IsNil() {
			p := reflect.New(dst.Type().Elem())
			elem.take(p.Elem(), src.Elem())
			dst.Set(p)
		}
	}}
}

func sliceForm(t reflect.Type, elem form) form {
	f := form{typ: reflect.SliceOf(elem.typ), write: (*writer).other}
	if t.Elem().Kind() != reflect.Uint8 { // bytes are base64
		f.write = func(w *writer, src reflect.Value) {
			w.open('[')
			for i := range src.Len() {
				w.next()
				elem.write(w, src.Index(i))
			}
			w.close(']')
		}
	}
	if elem.from == nil {
		f.typ = t
		return f
	}
	f.from = func(dst, src reflect.Value) {
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeSlice(t, src.Len(), src.Len()))
		for i := range src.Len() {
			elem.from(dst.Index(i), src.Index(i))
		}
	}
	return f
}

// field is a field of an object in JSON.
type field struct {
	name    string
	index   []int
	element int // of an array of values; -1: not one
	form    form
	value   bool // a metrics.Value
	reason  bool // why it is null stands under "unknown"
	bare    bool // its reason is left out
	number  bool // the N of a value
	omits   bool // what is empty is not written
}

// fieldsOf returns the fields of struct t and of what it embeds, but those that
// hidden has.
func fieldsOf(t reflect.Type, index []int, hidden map[string]bool) (all []field) {
	below := map[string]bool{} // what they hide of those embedded
	maps.Copy(below, hidden)
	for f := range fieldsTagged(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		below[name] = true
	}
	for f := range fieldsTagged(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		options = strings.Trim(options+","+f.Tag.Get("form"), ",")
		at := append(append([]int{}, index...), f.Index...)
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "" && inner.Kind() == reflect.Struct && (f.Anonymous || options == "inline"):
			all = append(all, fieldsOf(inner, at, below)...)
		case hidden[name]:
		case f.Type.Kind() == reflect.Array && f.Type.Elem() == valueType:
			names := strings.Split(name, "|")
			if keyed, ok := reflect.New(f.Type).Interface().(interface{ Keys() []string }); ok {
				names = keyed.Keys()
			}
			for i, name := range names {
				all = append(all, field{name: name, index: at, element: i, form: formOf(valueType),
					value: true, reason: !hidden["unknown"] && options != "bare"})
			}
		default:
			all = append(all, fieldOf(f.Type, name, options, at))
			if _, n, ok := strings.Cut(options, "n="); ok && f.Type == valueType {
				all = append(all,
					field{name: n, index: at, element: -1, form: formOf(reflect.TypeFor[int]()), number: true})
			}
		}
	}
	return all
}

// fieldsTagged yields the fields of t that stand in JSON.
func fieldsTagged(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for f := range t.Fields() {
			tag, tagged := f.Tag.Lookup("json")
			if (tagged || f.Anonymous) && (tag != "-") && f.IsExported() && !yield(f) {
				return
			}
		}
	}
}

// fieldOf returns the field of that type and tag.
func fieldOf(t reflect.Type, name, options string, index []int) field {
	f := field{name: name, index: index, element: -1, form: formOf(t), value: t == valueType || t == intervalType}
	for option := range strings.SplitSeq(options, ",") {
		word, of, _ := strings.Cut(option, "=")
		switch word {
		case "omitempty", "omitzero":
			if t.Kind() == reflect.Struct && !f.value && t != timeType {
				f.form = orNull(f.form, isZero, nil)
			}
			f.omits = true
		case "s":
			f.form = durationForm(1e9)
		case "null":
			f.form = orNull(f.form, nulls[of].none, nulls[of].back)
		case "count":
			f.form = countForm(t)
		case "from1":
			f.form = form{t, func(w *writer, src reflect.Value) { w.int(src.Int() + 1) },
				func(dst, src reflect.Value) { dst.SetInt(src.Int() - 1) }}
		case "words":
			no, yes, _ := strings.Cut(of, "|")
			f.form = boolForm(no, yes)
		case "bare":
			f.bare = true
		}
	}
	f.reason = f.value && !f.bare
	return f
}

// orNull is null for the values that are none. Null comes back as back makes it, if
// there is one.
func orNull(f form, none func(v reflect.Value) bool, back func(dst reflect.Value)) form {
	return form{reflect.PointerTo(f.typ), func(w *writer, src reflect.Value) {
		if none(src) {
			w.null()
		} else {
			f.write(w, src)
		}
	}, func(dst, src reflect.Value) {
		if !src.IsNil() {
			f.take(dst, src.Elem())
		}
		if back != nil && (src.IsNil() || none(dst)) {
			back(dst)
		}
	}}
}

// isZero reports the zero value: where IsZero says so, else Go's.
func isZero(v reflect.Value) bool {
	if own, ok := v.Addr().Interface().(interface{ IsZero() bool }); ok {
		return own.IsZero()
	}
	return v.IsZero()
}

// nulls are the values of the option null, and how they come back.
var nulls = map[string]struct {
	none func(v reflect.Value) bool
	back func(dst reflect.Value)
}{
	"zero": {func(v reflect.Value) bool { return isZero(v) || notFinite(v) }, nil},
	"inf":  {notFinite, nil},
	"nan":  {notFinite, func(dst reflect.Value) { dst.SetFloat(math.NaN()) }},
	"neg":  {func(v reflect.Value) bool { return v.Int() < 0 }, func(dst reflect.Value) { dst.SetInt(-1) }},
}

func notFinite(v reflect.Value) bool { return v.CanFloat() && !isFinite(v.Float()) }

// countForm is the length of a slice.
func countForm(t reflect.Type) form {
	return form{reflect.TypeFor[int](), func(w *writer, src reflect.Value) { w.int(int64(src.Len())) },
		func(dst, src reflect.Value) {
			n := int(min(max(src.Int(), 0), MaxItems))
			dst.Set(reflect.MakeSlice(t, n, n))
		}}
}

// boolForm is one of two words.
func boolForm(no, yes string) form {
	words := map[bool]string{false: no, true: yes}
	return form{reflect.TypeFor[string](), func(w *writer, src reflect.Value) {
		w.string(words[src.Bool()])
	}, func(dst, src reflect.Value) { dst.SetBool(src.String() == yes) }}
}

// reached returns the field at index of struct v. A nil pointer on the way is made
// with make; else the result is not valid.
func reached(v reflect.Value, index []int, make bool) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !make {
					return reflect.Value{}
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// structForm is the form of a struct: a struct of the forms of its fields, with the reasons why
// some have no value.
func structForm(t reflect.Type) form {
	fields := fieldsOf(t, nil, nil)
	unknown := -1 // the field of the reasons
	var in []reflect.StructField
	some, own := false, false
	for i := range fields {
		f := &fields[i]
		in = append(in, reflect.StructField{Name: fieldName(i), Type: f.form.typ,
			Tag: reflect.StructTag(`json:"` + f.name + `"`)})
		some, own = some || f.reason, own || f.name == "unknown"
	}
	if some && !own {
		unknown = len(in)
		in = append(in, reflect.StructField{Name: fieldName(unknown), Type: reflect.TypeFor[reasons](),
			Tag: `json:"unknown"`})
	}
	c := structCodec{fields, unknown}
	return form{reflect.StructOf(in), c.write, c.take}
}

// structCodec writes and reads a struct by its fields. unknown is the index of the field that
// has the reasons of those without a value, -1 where there is none.
type structCodec struct {
	fields  []field
	unknown int
}

// write writes src, a struct, and the reasons of its null figures at its end.
func (c structCodec) write(w *writer, src reflect.Value) {
	w.open('{')
	reasons := len(w.reasons)
	for i := range c.fields {
		f := &c.fields[i]
		switch from := reached(src, f.index, false); {
		case from.IsValid():
			c.writeField(w, f, from)
		case !f.omits: // of a struct that is not there
			w.key(f.name)
			w.other(reflect.New(f.form.typ).Elem())
		}
	}
	if all := w.reasons[reasons:]; len(all) > 0 {
		w.key("unknown")
		w.open('{')
		for _, n := range all {
			w.key(n.name)
			w.open('{')
			w.key("code")
			w.string(n.why.String())
			if w.say != nil {
				w.key("text")
				w.string(w.say.One(n.why))
			}
			w.close('}')
		}
		w.close('}')
		w.reasons = w.reasons[:reasons]
	}
	w.close('}')
}

// writeField writes a field with its name, unless it is empty and left out then.
func (c structCodec) writeField(w *writer, f *field, from reflect.Value) {
	before := len(w.b)
	w.key(f.name)
	at := len(w.b)
	switch {
	case f.number:
		w.int(int64(from.Addr().Interface().(*metrics.Value).N))
	case f.element >= 0:
		from = from.Index(f.element)
		fallthrough
	default:
		f.form.write(w, from)
	}
	null := string(w.b[at:]) == "null"
	if f.reason && c.unknown >= 0 && null {
		v, known := from.Addr().Interface().(*metrics.Value)
		if !known {
			v = &from.Addr().Interface().(*loadstat.Interval).Low
		}
		w.reasons = append(w.reasons, nullFigure{f.name, v.Why})
	}
	if f.omits && f.empty(string(w.b[at:])) {
		w.b = w.b[:before]
	}
}

// empty reports whether a field that was written as text is one that encoding/json leaves out.
func (f *field) empty(text string) bool {
	switch f.form.typ.Kind() {
	case reflect.Pointer, reflect.Interface:
		return text == "null"
	case reflect.Struct: // a moment: other structs are pointers here
		return text == `"0001-01-01T00:00:00Z"`
	}
	return text == "null" || slices.Contains([]string{"0", "-0", "false", `""`, "[]", "{}"}, text) &&
		!f.form.typ.Implements(marshaler)
}

// take sets dst from src, the struct in its form.
func (c structCodec) take(dst, src reflect.Value) {
	var why reasons
	if c.unknown >= 0 {
		why = src.Field(c.unknown).Interface().(reasons)
	}
	for i := range c.fields {
		f := &c.fields[i]
		to, from := reached(dst, f.index, true), src.Field(i)
		switch {
		case f.number:
			to = to.FieldByName("N")
		case f.element >= 0:
			to = to.Index(f.element)
		}
		f.form.take(to, from)
		switch {
		case !f.value || !from.IsNil():
		case to.Type() == valueType:
			to.Set(reflect.ValueOf(metrics.Unknown(why[f.name].why())))
		default:
			to.Set(reflect.ValueOf(loadstat.NoInterval(why[f.name].why())))
		}
	}
	if d, ok := dst.Addr().Interface().(interface{ Restore() }); ok {
		d.Restore()
	}
}

func fieldName(i int) string { return "F" + string(rune('A'+i/26)) + string(rune('A'+i%26)) }

// converted is the form of a T as a J.
func converted[T, J any](to func(*T, Sentences) J, back func(J) T) func() form {
	return func() form {
		inner := formOf(reflect.TypeFor[J]())
		return form{inner.typ, func(w *writer, src reflect.Value) {
			j := to(src.Addr().Interface().(*T), w.say)
			inner.write(w, reflect.ValueOf(&j).Elem())
		}, func(dst, src reflect.Value) {
			var j J
			inner.take(reflect.ValueOf(&j).Elem(), src)
			dst.Set(reflect.ValueOf(back(j)))
		}}
	}
}

// Tree returns v as encoding/json reads what the codec writes, nil where it cannot be
// written.
func Tree(v any) (out any) {
	if data, err := Sentences(nil).Append(nil, v); err == nil {
		_ = json.Unmarshal(data, &out) // it is JSON
	}
	return out
}
