package result_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// Whatever a document or a line holds, it is of its published schema and harmless, and
// what is read from it is written as the same again: nothing is lost on the way.
func TestDocumentsRoundTrip(t *testing.T) {
	documents := maps.Clone(documents)
	documents["parts of lines"] = struct {
		title string
		types []any
	}{"", []any{result.Request{}, result.SweepPoint{}, session.LoadHead{}, session.LoadEnd{}, result.LoadMark{},
		result.Path{}, result.PathGap{}, result.PathConnect{}, session.JoinedChunk{}}}
	for name, d := range documents {
		for _, v := range d.types {
			typ := reflect.TypeOf(v)
			t.Run(name+" "+typ.Name(), func(t *testing.T) {
				schema := compile(t, schemaOfTypes(t, name, d.title, []any{v}))
				drawn := rapid.Custom(func(t *rapid.T) reflect.Value {
					x := reflect.New(typ)
					fill(t, x.Elem(), "")
					return x
				})
				n := 60
				if testing.Short() {
					n = 12
				}
				for seed := range n {
					first := written(t, drawn.Example(seed).Interface())
					unsafe := bytes.ContainsFunc(first, func(c rune) bool { return c < ' ' || result.Unsafe(c) })
					testkit.Given(t, utf8.Valid(first) && !unsafe, "not harmless: %q", first)
					value, err := jsonschema.UnmarshalJSON(bytes.NewReader(first))
					if err == nil {
						err = schema.Validate(value)
					}
					testkit.OK(t, err, "in", first)
					back := reflect.New(typ)
					testkit.OK(t, result.Unmarshal(first, back.Interface()), "in", first)
					testkit.Need(t, string(first), string(written(t, back.Interface())), "written as")
				}
			})
		}
	}
}

func compile(t *testing.T, schema object) *jsonschema.Schema {
	t.Helper()
	data := testkit.Must(json.Marshal(schema))(t)
	value := testkit.Must(jsonschema.UnmarshalJSON(bytes.NewReader(data)))(t)
	c := jsonschema.NewCompiler()
	testkit.OK(t, c.AddResource("schema", value))
	return c.MustCompile("schema")
}

func written(t *testing.T, v any) []byte {
	t.Helper()
	data := testkit.Must(result.Sentences(nil).Append(nil, v))(t)
	return data
}

// fill draws a value of every field of v that stands in JSON. key names the field
// that has v, as fieldValues does.
func fill(t *rapid.T, v reflect.Value, key string) {
	typ := v.Type()
	switch x := v.Addr().Interface().(type) {
	case *metrics.Value:
		*x = drawValue(t)
		return
	case *loadstat.Interval:
		if a := drawValue(t); a.OK {
			x.Low, x.High = a, metrics.Known(a.V+1, 0)
		} else {
			*x = loadstat.Interval{Low: a, High: a}
		}
		return
	case *metrics.Stamp:
		*x = rapid.OneOf(rapid.Just(metrics.NoStamp), rapid.Map(rapid.Int64Range(0, 1<<52),
			func(n int64) metrics.Stamp { return metrics.Stamp(n) })).Draw(t, key)
		return
	case *time.Duration:
		*x = time.Duration(rapid.Int64Range(-1, 1<<46).Draw(t, key))
		return
	case *time.Time:
		*x = time.Unix(rapid.Int64Range(1, 1<<34).Draw(t, key), rapid.Int64Range(0, 1e9-1).Draw(t, key))
		return
	case *json.RawMessage:
		*x = json.RawMessage(rapid.SampledFrom([]string{`{"a":[1,"x"]}`, `7`}).Draw(t, key))
		return
	case *metrics.Raw:
		*x = metrics.Raw(rapid.SampledFrom([]string{"", `[]`, `[{"content":"a\\nb <"}]`}).Draw(t, key))
		return
	case *slo.Objective:
		*x = rapid.SampledFrom(result.Objectives([]string{"ttft=500ms", "speed>=20", "tpot=30ms"})).Draw(t, key)
		return
	case *condition.Condition:
		*x = result.ConditionOf(rapid.SampledFrom([]string{"ttft.p90 > 1.2x", "failures > 2%"}).Draw(t, key))
		return
	case *history.Figure:
		*x = history.Figure(rapid.IntRange(0, int(history.NumFigures)-1).Draw(t, key))
		return
	case *metrics.Ending:
		x.Code = metrics.EndingCode(rapid.SampledFrom([]string{"", "closing"}).Draw(t, key))
		return
	case *[]metrics.FaultCount:
		for range rapid.IntRange(0, 2).Draw(t, key) {
			kind := rapid.SampledFrom([]metrics.FaultKind{metrics.FaultHTTP, metrics.FaultReset}).Draw(t, key)
			*x = metrics.AddFaults(*x, metrics.FaultCount{Kind: kind, N: rapid.IntRange(1, 9).Draw(t, key)})
		}
		return
	}
	switch typ.Kind() {
	case reflect.Pointer:
		if rapid.Bool().Draw(t, key) {
			v.Set(reflect.New(typ.Elem()))
			fill(t, v.Elem(), key)
		}
	case reflect.Slice:
		n := rapid.IntRange(0, 2).Draw(t, key)
		v.Set(reflect.MakeSlice(typ, n, n))
		for i := range n {
			fill(t, v.Index(i), key)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), key)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(typ))
		for i := range rapid.IntRange(0, 2).Draw(t, key) {
			value := reflect.New(typ.Elem()).Elem()
			fill(t, value, key)
			v.SetMapIndex(reflect.ValueOf(fmt.Sprint("k", i)).Convert(typ.Key()), value)
		}
	case reflect.Struct:
		for i := range typ.NumField() {
			f := typ.Field(i)
			_, tagged := f.Tag.Lookup("json")
			switch {
			case !f.IsExported() || !tagged && !f.Anonymous && shapes[typ] == nil:
			case f.Anonymous && f.Type.Kind() == reflect.Pointer:
				v.Field(i).Set(reflect.New(f.Type.Elem()))
				fill(t, v.Field(i).Elem(), "")
			default:
				fill(t, v.Field(i), typ.Name()+"."+f.Name)
			}
		}
	case reflect.String:
		v.SetString(drawText(t, key))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, key))
	case reflect.Float64:
		v.SetFloat(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-1e3, 1e9)).Draw(t, key))
	default:
		least := int64(0)
		if strings.HasPrefix(key, "Usage.") || strings.HasPrefix(key, "RateLimit.") {
			least = -1 // not given
		}
		n := rapid.Int64Range(least, 1<<30).Draw(t, key)
		if typ.Implements(reflect.TypeFor[fmt.Stringer]()) {
			n = rapid.Int64Range(0, int64(len(wordsOf(typ)))-1).Draw(t, key)
		}
		if key == "Entry.State" { // it has ended
			n = max(n, int64(metrics.Done))
		}
		v.Set(reflect.ValueOf(n).Convert(typ))
	}
}

func drawText(t *rapid.T, key string) string {
	if values := fieldValues[key]; values != nil {
		return rapid.SampledFrom(values).Draw(t, key)
	}
	return rapid.SampledFrom([]string{"", "text", "<é\x1b]0;x\a\u202e\u200b\ufeff\U000e0041>\n\u009b2J\u2028"}).Draw(t,
		key)
}

func drawValue(t *rapid.T) metrics.Value {
	whys := []metrics.Why{metrics.Needs(20), metrics.WhyReused, metrics.WhyNotReportedEnd}
	if rapid.Bool().Draw(t, "known") {
		return metrics.Known(rapid.Float64Range(-1e6, 1e6).Draw(t, "value"), rapid.IntRange(0, 9).Draw(t, "n"))
	}
	return metrics.Unknown(rapid.SampledFrom(whys).Draw(t, "why"))
}

// Every enumeration that stands in JSON has its words, each once.
func TestEnumerationsHaveWords(t *testing.T) {
	for _, v := range []any{metrics.Done, metrics.SourceMixed, metrics.TokensEstimated, metrics.ITLMean,
		metrics.ReuseWarm} {
		typ := reflect.TypeOf(v)
		for n := range wordsOf(typ) {
			x, back := reflect.New(typ), reflect.New(typ)
			x.Elem().Set(reflect.ValueOf(n).Convert(typ))
			testkit.OK(t, result.Unmarshal(written(t, x.Interface()), back.Interface()))
			if back.Elem().Interface() != x.Elem().Interface() {
				t.Errorf("%v is read as %v", x.Elem(), back.Elem())
			}
		}
	}
	testkit.That(t, slices.Contains(stampSources(), "kernel"), "no kernel")
}

// validate checks one JSON value against a schema of documents.
func validate(t *testing.T, schema string, data []byte) {
	t.Helper()
	d := documents[schema]
	value := testkit.Must(jsonschema.UnmarshalJSON(bytes.NewReader(data)))(t)
	err := compile(t, schemaOfTypes(t, schema, d.title, d.types)).Validate(value)
	testkit.That(t, err == nil, "%s: %v\nin %.600s", schema, err, data)
}
