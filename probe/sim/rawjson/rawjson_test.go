package rawjson

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// decode builds a value with the functions of this package alone.
func decode(t *rapid.T, v []byte) any {
	switch KindOf(v) {
	case Object:
		m := map[string]any{}
		Fields(v, func(name string, x []byte) bool { m[name] = decode(t, x); return true })
		return m
	case Array:
		l := []any{}
		Items(v, func(i int, x []byte) bool {
			testkit.Need(t, i, len(l), "item … after … items")
			l = append(l, decode(t, x))
			return true
		})
		testkit.Need(t, Count(v), len(l), "counted")
		return l
	case String:
		return Text(v)
	}
	var x any
	testkit.OK(t, json.Unmarshal(v, &x), v)
	return x
}

func document() *rapid.Generator[any] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`"`, `\`, `\"}`, "{[,:]}", "ü\u2028"}))
	leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Float64Range(-1e9, 1e9),
		func(f float64) any { return f }),
		rapid.SampledFrom([]any{nil, true, false, 0.0}))
	doc := leaf
	for range 3 {
		inner := doc
		doc = rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(inner, 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(text, inner, 0, 4), func(m map[string]any) any { return m }))
	}
	return doc
}

func TestItReadsWhatEncodingJSONReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(document().Draw(t, "document"))
		if rapid.Bool().Draw(t, "indent") && err == nil {
			var v any
			_ = json.Unmarshal(raw, &v)
			raw, err = json.MarshalIndent(v, " ", "\t")
		}
		testkit.OK(t, err)
		testkit.OK(t, Check(raw), raw)
		var want any
		testkit.OK(t, json.Unmarshal(raw, &want))
		testkit.Same(t, decode(t, raw), want, raw)
	})
}

func TestCheckNamesThePosition(t *testing.T) {
	for doc, want := range map[string]string{
		``: "ends too early", `{`: "ends too early, after byte 1", `{"a":1,}`: "byte 8:", `{"a" 1}`: "byte 6:",
		`[1] x`: "byte 5:", `nul`: "byte 3:",
	} {
		err := Check([]byte(doc))
		testkit.That(t, err != nil && strings.Contains(err.Error(), want), "%q: %v, want %q", doc, err, want)
	}
	for _, doc := range []string{`7`, ` "x" `, `null`, `[1]`, `{"a":{"b":[]}}`} {
		testkit.Is(t, Check([]byte(doc)), nil, doc)
	}
}

// Walking a large array allocates nothing.
func TestWalkingAllocatesNothing(t *testing.T) {
	doc := []byte("[" + strings.Repeat("1,", 10000) + "1]")
	testkit.Allocates(t, 0, 10, func() {
		if Count(doc) != 10001 {
			t.Error("miscounted")
		}
	})
}

func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x",{"b":null}]}`, `[`, `"\`, `{"a"`, `[1,,2]`, "{\"\":", `{"a":1]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var walk func(v []byte, depth int)
		walk = func(v []byte, depth int) {
			if depth > 20 {
				return
			}
			Fields(v, func(_ string, x []byte) bool { walk(x, depth+1); return true })
			Items(v, func(_ int, x []byte) bool { walk(x, depth+1); return len(x) > 0 })
			_ = Text(v)
		}
		if len(doc) < 1<<12 {
			walk(doc, 0)
		}
	})
}
