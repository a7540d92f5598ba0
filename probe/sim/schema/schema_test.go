package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// checker compiles a schema with a validator that shares no code with this
// package.
func checker(t interface{ Fatalf(string, ...any) }, schema string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s
}

// check generates a document of each seed and the neutral one, and has both validators
// look at them. It returns the last one of a seed.
func check(t interface{ Fatalf(string, ...any) }, schema string, seeds ...uint64) (doc string) {
	s, err := Compile([]byte(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	other := checker(t, schema)
	neutral, err := s.Neutral()
	v, bad := jsonschema.UnmarshalJSON(strings.NewReader(neutral))
	if err := errors.Join(err, bad); err != nil {
		t.Fatalf("%s, neutral: %v", schema, err)
	}
	if err := other.Validate(v); err != nil {
		t.Fatalf("%s, neutral: %s: %v", schema, neutral, err)
	}
	for _, seed := range seeds {
		doc = checkSeed(t, s, other, schema, seed)
	}
	return doc
}

func checkSeed(t interface{ Fatalf(string, ...any) }, s *Schema, other *jsonschema.Schema, schema string,
	seed uint64) string {
	doc, err := s.Generate(seed)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", schema, seed, err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	if err != nil {
		t.Fatalf("%s, seed %d: %s: %v", schema, seed, doc, err)
	}
	if err := other.Validate(v); err != nil {
		t.Fatalf("%s, seed %d: %s: %v", schema, seed, doc, err)
	}
	if again, _ := s.Generate(seed); again != doc {
		t.Fatalf("%s, seed %d: %s, then %s", schema, seed, doc, again)
	}
	return doc
}

type fields = map[string]any

// leaf draws a schema of a value without parts. Something fits it.
func leaf() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		pick := func(name string) bool { return rapid.Bool().Draw(t, name) }
		switch kind := rapid.SampledFrom([]string{"null", "boolean", "integer", "number", "string", "format", "enum",
			"const", "any"}).Draw(t, "kind"); kind {
		case "integer", "number":
			n := fields{"type": kind}
			low := rapid.IntRange(-1000, 1000).Draw(t, "low")
			if pick("minimum") {
				n["minimum"] = low
			} else if pick("exclusiveMinimum") {
				n["exclusiveMinimum"] = float64(low) + .25
			}
			if pick("maximum") {
				n["maximum"] = low + 20 + rapid.IntRange(0, 1000).Draw(t, "width")
			} else if pick("exclusiveMaximum") {
				n["exclusiveMaximum"] = low + 20
			}
			if pick("multipleOf") {
				n["multipleOf"] = rapid.SampledFrom([]any{1, 2, 7, json.Number("0.5"), json.Number("0.01"),
					json.Number("1e-3")}).Draw(t, "step")
			}
			return n
		case "string":
			n := fields{"type": kind}
			low := rapid.IntRange(0, 60).Draw(t, "low")
			if pick("minLength") {
				n["minLength"] = low
			}
			if pick("maxLength") {
				n["maxLength"] = low + rapid.IntRange(0, 10).Draw(t, "width")
			}
			return n
		case "format":
			f := rapid.SampledFrom(formats).Draw(t, "format")
			return fields{"type": "string", "format": f.name}
		case "enum":
			return fields{"enum": rapid.SliceOfN(literals(), 1, 5).Draw(t, "values")}
		case "const":
			return fields{"const": literals().Draw(t, "value")}
		case "any":
			return rapid.SampledFrom([]any{true, fields{}, fields{"description": "anything"},
				fields{"type": []string{"string", "null"}}}).Draw(t, "any")
		default:
			return fields{"type": kind}
		}
	})
}

func literals() *rapid.Generator[any] {
	return rapid.SampledFrom([]any{nil, true, 0, -1.5, "", "a \"quoted\"\nword", "ünï", []any{1, "x"},
		fields{"b": 1, "a": []any{}}})
}

// drawn draws a schema that something fits.
func drawn(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return leaf()
	}
	return rapid.Custom(func(t *rapid.T) any {
		inner := func(name string) any { return drawn(depth-1).Draw(t, name) }
		switch rapid.SampledFrom([]string{"leaf", "object", "array", "tuple", "anyOf", "oneOf", "allOf", "map", "ref",
			"unique"}).Draw(t, "shape") {
		case "object":
			props, names := fields{}, []string{}
			for i := range rapid.IntRange(0, 4).Draw(t, "properties") {
				name := rapid.SampledFrom([]string{"name", "a/b", "c~d", "ü", "$ref", "type", "%41"}).Draw(t,
					"name") + fmt.Sprint(i)
				props[name] = inner(name)
				if rapid.Bool().Draw(t, "required") {
					names = append(names, name)
				}
			}
			n := fields{"type": "object", "properties": props, "required": names}
			switch rapid.IntRange(0, 2).Draw(t, "additional") {
			case 0:
				n["additionalProperties"] = false
			case 1:
				n["additionalProperties"] = inner("additional")
				n["required"] = append(names, "further")
			}
			return n
		case "map":
			return fields{"type": "object", "additionalProperties": inner("values")}
		case "array":
			low := rapid.IntRange(0, 3).Draw(t, "minItems")
			return fields{"type": "array", "items": inner("items"), "minItems": low, "maxItems": low + rapid.IntRange(0,
				2).Draw(t, "width")}
		case "unique":
			return fields{"type": "array", "items": fields{"type": "integer"}, "uniqueItems": true, "minItems": 3}
		case "tuple":
			return fields{"type": "array", "prefixItems": []any{inner("first"), inner("second")}, "items": false, "minItems": 2}
		case "anyOf":
			return fields{"anyOf": []any{inner("one"), inner("two")}}
		case "oneOf":
			return fields{"oneOf": []any{fields{"type": "null"},
				fields{"type": "object", "properties": fields{"kind": fields{"const": "x"}, "v": inner("v")},
					"required": []string{"kind"}}, fields{"type": "object", "properties": fields{"kind": fields{"const": "y"}},
					"required": []string{"kind"}}}}
		case "allOf":
			return fields{"allOf": []any{fields{"type": "object", "properties": fields{"a": inner("a")},
				"required": []string{"a"}}, fields{"properties": fields{"b": inner("b")}, "required": []string{"b"}}},
				"title": "both"}
		case "ref":
			return fields{"$ref": "#/$defs/" + rapid.SampledFrom([]string{"tree", "list", "a~1b"}).Draw(t, "definition"),
				"description": "a reference"}
		}
		return leaf().Draw(t, "leaf")
	})
}

// definitions are the recursive schemas that every drawn schema has.
const definitions = `{"tree": {"type": "object", "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "required": ["value", "children"], "additionalProperties": false},
	"list": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"head": {"type": "string"}, "tail": {"$ref": "#/$defs/list"}}, "required": ["head", "tail"]}]},
	"a/b": {"const": 7}}`

func TestAnyDocumentFitsItsSchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := fields{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": json.RawMessage(definitions),
			"allOf": []any{drawn(3).Draw(t, "schema")}}
		raw := testkit.Must(json.Marshal(root))(t)
		check(t, string(raw), rapid.Uint64().Draw(t, "seed"))
	})
}

// Schemas as pydantic, zod and people write them.
func TestKnownSchemas(t *testing.T) {
	var seeds []uint64
	for seed := range uint64(40) {
		seeds = append(seeds, seed)
	}
	for _, s := range []string{
		`{"$defs":{"Step":{"properties":{"explanation":{"title":"Explanation","type":"string"},"output":{"type":"string"}},"required":["explanation","output"],"title":"Step","type":"object","additionalProperties":false}},"properties":{"steps":{"items":{"$ref":"#/$defs/Step"},"title":"Steps","type":"array"},"final_answer":{"type":"string"}},"required":["steps","final_answer"],"title":"MathReasoning","type":"object","additionalProperties":false}`,
		`{"type":"object","properties":{"name":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"born":{"type":"string","format":"date"},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true},"score":{"type":"number","minimum":0,"maximum":1}},"required":["name","born","tags","score"]}`,
		`{"oneOf":[{"type":"integer","minimum":0},{"type":"integer","maximum":10}]}`,
		`{"oneOf":[{"type":"string","format":"date"},{"type":"string","format":"uuid"}]}`,
		`{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}],"additionalProperties":false}`,
		`{"type":"object","required":["x"],"additionalProperties":{"type":"boolean"}}`,
		`{"enum":[1,"a",null,[]],"type":["string","null"]}`,
		`{"const":1.0,"type":"integer"}`,
		`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.001}`,
		`{"type":"number","minimum":0.1,"maximum":0.1}`,
		`{"type":"integer","minimum":9223372036854775807}`,
		`{"type":"integer","minimum":1e30,"multipleOf":7}`,
		`{"type":"integer","multipleOf":0.75}`,
		`{"type":"string","minLength":3000}`,
		`{"type":"string","maxLength":0}`,
		`{"type":"array","minItems":200,"items":{"type":"integer"},"uniqueItems":true}`,
		`{"$ref":"#/definitions/a","definitions":{"a":{"allOf":[{"$ref":"#/definitions/b"}],"minimum":3},"b":{"type":"integer","maximum":3}}}`,
		`{"items":{"type":"integer"}}`,
		`{"minimum":4}`,
		`{"properties":{"self":{"$ref":"#"}},"required":["n"],"type":"object"}`,
		`true`,
		`{}`,
	} {
		check(t, s, seeds...)
	}
}

// A document has what its schema offers: now and then the optional parts, and
// different values with other seeds.
func TestDocumentsDiffer(t *testing.T) {
	const s = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"integer"}},"c":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"required":["a"]}`
	docs, with := map[string]bool{}, map[string]int{}
	for seed := range uint64(100) {
		doc := check(t, s, seed)
		docs[doc] = true
		var m fields
		testkit.OK(t, json.Unmarshal([]byte(doc), &m))
		for name := range m {
			with[name]++
		}
	}
	if len(docs) < 95 || with["a"] != 100 || with["b"] < 50 || with["b"] == 100 || with["c"] < 50 || with["c"] == 100 {
		t.Errorf("%d documents, properties %v", len(docs), with)
	}
}

// What cannot be obeyed is refused, with its place.
func TestRefusedSchemas(t *testing.T) {
	deepSchema := strings.Repeat(`{"items":`, 150) + `{}` + strings.Repeat("}", 150)
	for s, want := range map[string]string{
		`{"type":"string","pattern":"a+"}`:          `the schema: the keyword "pattern" is not supported`,
		`{"properties":{"a":{"items":{"not":{}}}}}`: `properties.a.items: the keyword "not" is not supported`,
		`{"if":{},"then":{}}`:                       `the keyword "if" is not supported`,
		`{"minProperties":1}`:                       `"minProperties" is not supported`,
		`{"type":"strnig"}`:                         `there is no type "strnig"`,
		`{"type":7}`:                                `there is no type 7`,
		`{"properties":[]}`:                         `properties must be an object, got an array`,
		`{"properties":{"a":7}}`:                    `properties.a: a schema must be an object, got a number`,
		`{"required":"a"}`:                          `required must be an array, got a string`,
		`{"required":[1]}`:                          `required must hold names, got a number in it`,
		`{"anyOf":[]}`:                              `anyOf must hold at least one schema`,
		`{"minLength":-1}`:                          `minLength must be a whole number from 0 on`,
		`{"minLength":1e9}`:                         `minLength above 10000 is not supported`,
		`{"minItems":1e9}`:                          `minItems above 1000 is not supported`,
		`{"minimum":"1"}`:                           `minimum must be a number, got a string`,
		`{"minimum":1e999999999}`:                   `minimum is not supported: it has more than`,
		`{"enum":[1e999999999]}`:                    `enum: a number in it is too long or too large`,
		`{"multipleOf":0}`:                          `multipleOf must be above 0`,
		`{"format":"colour"}`:                       `the format "colour" is not supported. There are date-time, date`,
		`{"$ref":"https://example.com/x"}`:          `only #/… within the schema is`,
		`{"$ref":"#anchor"}`:                        `only #/… within the schema is`,
		`{"$ref":"#/$defs/none"}`:                   `is not in the schema`,
		`{"enum":[` + strings.Repeat("1,", maxValues) + `1]}`:         `enum holds 1001 values, at most 1000 are taken`,
		`{"required":[` + strings.Repeat(`"a",`, maxValues) + `"a"]}`: `required holds 1001 values`,
		`{"title":"` + strings.Repeat("x",
			MaxSize) + `"}`: `the schema has 262156 bytes, at most 262144 are taken`,
		`7`:        `a schema must be an object, got a number`,
		deepSchema: `schemas are nested more than 100 deep`,
		`{"prefixItems":[` + strings.Repeat("{},", maxNodes) + `true]}`: `the schema holds more than 2000 schemas`,
	} {
		if _, err := Compile([]byte(s)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v, want %q", s, err, want)
		}
	}
}

// A schema that nothing fits, or only something endless, is refused soon.
func TestNothingFits(t *testing.T) {
	for s, want := range map[string]error{
		`false`: errNone,
		`{"type":"integer","minimum":3,"maximum":2}`:                                  errNone,
		`{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}`:                errNone,
		`{"type":"string","minLength":3,"maxLength":2}`:                               errNone,
		`{"type":"string","format":"uuid","maxLength":5}`:                             errNone,
		`{"type":"array","minItems":3,"maxItems":2}`:                                  errNone,
		`{"type":"array","minItems":3,"uniqueItems":true,"items":{"type":"boolean"}}`: errNone,
		`{"enum":[]}`:                  errNone,
		`{"enum":[1],"type":"string"}`: errNone,
		`{"type":"object","required":["a"],"additionalProperties":false}`:                                                   errNone,
		`{"allOf":[{"type":"string"},{"type":"null"}]}`:                                                                     errNone,
		`{"oneOf":[{"type":"string"},{"type":"string"}]}`:                                                                   errNone,
		`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`:                                                errNone,
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`:                                  errNone,
		`{"anyOf":[{"type":"array","items":{"$ref":"#"},"minItems":1},{"type":"array","items":{"$ref":"#"},"minItems":2}]}`: errLarge,
		`{"type":"array","minItems":1000,"items":{"type":"string","minLength":9000}}`:                                       errLarge,
		`{"type":"array","minItems":100,"items":{"type":"array","minItems":100}}`:                                           errLarge,
	} {
		c, err := Compile([]byte(s))
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		for seed := range uint64(3) {
			if doc, err := c.Generate(seed); err != want {
				t.Errorf("%s: %.100s, %v, want %v", s, doc, err, want)
			}
		}
	}
}

func TestObject(t *testing.T) {
	for seed := range uint64(20) {
		doc, err := Object().Generate(seed)
		var m fields
		if err != nil || json.Unmarshal([]byte(doc), &m) != nil || len(m) == 0 {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`{"$ref":"#"}`, `{"anyOf":[{"$ref":"#"},{"const":1}]}`,
		`{"type":["integer","null"],"multipleOf":0.3,"maximum":-4}`, `{"properties":{"a":{"$ref":"#/properties/a"}}}`,
		`{"prefixItems":[{}],"items":false}`} {
		f.Add([]byte(s), uint64(1))
	}
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		if !json.Valid(raw) {
			return
		}
		s, err := Compile(raw)
		if err != nil {
			return
		}
		if doc, err := s.Generate(seed); err == nil && !json.Valid([]byte(doc)) {
			t.Errorf("%s: %s", raw, doc)
		}
	})
}

// Neutral says as little as fits.
func TestNeutral(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"string"}},"required":["a","b"]}`:  `{"a": "", "b": 0}`,
		`{"type":"object","properties":{"a":{"type":["null","string"],"minLength":2},"b":{"enum":["z","a"]}},"required":["a","b"]}`: `{"a": "xx", "b": "z"}`,
		`{"type":"array","minItems":2,"items":{"type":"boolean"}}`:                                                                  `[false, false]`,
		`{"type":"integer","minimum":7}`:                 `7`,
		`{"type":"number","minimum":-3,"maximum":4}`:     `0`,
		`{"type":"number","maximum":-2}`:                 `-2`,
		`{"anyOf":[{"type":"integer"},{"type":"null"}]}`: `0`,
	} {
		s := testkit.Must(Compile([]byte(schema)))(t)
		if got, err := s.Neutral(); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", schema, got, err, want)
		}
	}
}

// Loosely leaves out what Compile refuses.
func TestLoosely(t *testing.T) {
	for schema, want := range map[string]string{
		``:                  `{}`,
		`7`:                 `{}`,
		`{"type":"string"}`: `{}`,
		`{"properties":{"a":{"type":"string","pattern":"^.+$"},"b":{"type":"file"},"c":{"$ref":"#/none"}},"required":["a","b","c"]}`: `{"a": "", "b": "", "c": ""}`,
	} {
		if got, err := Loosely([]byte(schema)).Neutral(); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", schema, got, err, want)
		}
	}
}
