// Package schema writes JSON documents that fit a JSON Schema, as a server
// with constrained decoding does. The same schema and seed give the same
// document. What a document cannot be held to is refused when the schema is
// compiled: a keyword is never ignored unless it is an annotation.
//
// Where to add what: a keyword is a field of node, read in keyword, joined in
// both, obeyed in generate.go and checked in valid.go. A string format is a
// line of the table in formats.go.
package schema

import (
	"cmp"
	"fmt"
	"math/big"
	"net/url"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/sim/rawjson"
)

// Bounds of a schema.
const (
	MaxSize   = 1 << 18 // bytes
	maxNodes  = 2000    // schemas in a schema
	maxValues = 1000    // of enum and of required
	maxNested = 100     // schemas around a schema
	maxLength = 10000   // of minLength
	maxItems  = 1000    // of minItems
	maxDigits = 40      // of a number
	maxPower  = 300     // of ten in a number
)

// Schema is a compiled JSON Schema. It is read only and safe for concurrent
// use.
type Schema struct {
	root *node
}

// kinds is a set of kinds of values.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	number
	text
	array
	object
	anyKind kinds = 1<<iota - 1
)

var kindNames = map[string]kinds{"null": null, "boolean": boolean, "number": number,
	"integer": number, "string": text, "array": array, "object": object}

// node is one schema. All its parts must hold.
type node struct {
	path     string // in the schema, for messages
	kinds    kinds  // allowed; none for the schema false
	hints    kinds  // of which its keywords speak
	integer  bool   // numbers are whole
	enum     []any  // values of enum and const
	hasEnum  bool
	min, max *bound
	steps    []*big.Rat // numbers are multiples of each
	minLen   int
	maxLen   int     // -1 for no bound
	format   *format // nil for none

	props      []property
	required   []string
	additional *node // of properties that are not in props; nil allows any
	prefix     []*node
	items      *node // after prefix; nil allows any
	minItems   int
	maxItems   int // -1 for no bound
	unique     bool

	all   []*node   // these hold, too: $ref and allOf
	anyOf [][]*node // of each group at least one holds
	oneOf [][]*node // of each group exactly one holds
}

// property is a property of an object, in the schema's order.
type property struct {
	name string
	is   *node
}

// bound is a limit of a number.
type bound struct {
	at   *big.Rat
	open bool // the limit itself is not allowed
}

func newNode(path string) *node {
	return &node{path: path, kinds: anyKind, maxLen: -1, maxItems: -1}
}

// Compile reads a schema, which must be valid JSON. The error names the place
// and what is wrong or not supported there.
func Compile(raw []byte) (*Schema, error) {
	if len(raw) > MaxSize {
		return nil, fmt.Errorf("the schema has %d bytes, at most %d are taken", len(raw), MaxSize)
	}
	c := &compiler{doc: raw, nodes: map[string]*node{}}
	root := c.at("", raw, 0)
	if c.err != nil {
		return nil, c.err
	}
	return &Schema{root}, nil
}

// Loosely returns the schema of the objects that raw describes, without all that Compile
// refuses. Without a schema they are any objects.
func Loosely(raw []byte) *Schema {
	c := &compiler{doc: raw, nodes: map[string]*node{}, loose: true}
	root := c.at("", raw, 0)
	root.kinds = object
	return &Schema{root}
}

// Object returns the schema of any object.
func Object() *Schema { return Loosely(nil) }

// Fits reports whether a JSON document fits.
func (s *Schema) Fits(doc string) bool {
	v, err := decode([]byte(doc))
	return err == nil && valid(s.root, v, 0)
}

// compiler reads a schema. It keeps the first error, a loose one none.
type compiler struct {
	doc   []byte
	nodes map[string]*node // by JSON pointer
	loose bool
	err   error
}

func (c *compiler) fail(path, format string, args ...any) {
	if c.err == nil && !c.loose {
		place := cmp.Or(strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "."), "the schema")
		c.err = fmt.Errorf("%s: %s", clip(place), fmt.Sprintf(format, args...))
	}
}

// at compiles the schema at a JSON pointer, once.
func (c *compiler) at(path string, raw []byte, nested int) *node {
	if n := c.nodes[path]; n != nil {
		return n
	}
	n := newNode(path)
	c.nodes[path] = n
	switch kind := rawjson.KindOf(raw); {
	case c.err != nil:
	case len(c.nodes) > maxNodes:
		c.fail(path, "the schema holds more than %d schemas", maxNodes)
	case nested > maxNested:
		c.fail(path, "schemas are nested more than %d deep", maxNested)
	case kind == rawjson.Bool:
		if raw[0] == 'f' {
			n.kinds = 0
		}
	case kind != rawjson.Object:
		c.fail(path, "a schema must be an object, got %s", kind)
	default:
		rawjson.Fields(raw, func(name string, v []byte) bool {
			c.keyword(n, name, v, nested+1)
			return c.err == nil
		})
	}
	return n
}

// annotations say nothing about which documents fit.
var annotations = map[string]bool{
	"title": true, "description": true, "default": true, "example": true,
	"examples": true, "$schema": true, "$id": true, "$comment": true,
	"$defs": true, "definitions": true, "deprecated": true, "readOnly": true, "writeOnly": true, "discriminator": true,
}

// keyword reads one keyword of a schema.
func (c *compiler) keyword(n *node, name string, v []byte, nested int) {
	below := func(parts ...string) string {
		return n.path + "/" + name + strings.Join(append([]string{""}, parts...), "/")
	}
	switch name {
	case "type":
		c.types(n, v)
	case "enum", "const":
		c.literals(n, name, v)
	case "minimum", "exclusiveMinimum":
		n.hints |= number
		n.min = tighter(n.min, c.bound(n, name, v), 1)
	case "maximum", "exclusiveMaximum":
		n.hints |= number
		n.max = tighter(n.max, c.bound(n, name, v), -1)
	case "multipleOf":
		n.hints |= number
		if b := c.bound(n, name, v); b != nil && b.at.Sign() <= 0 {
			c.fail(n.path, "multipleOf must be above 0")
		} else if b != nil {
			n.steps = append(n.steps, b.at)
		}
	case "minLength":
		n.hints |= text
		n.minLen = c.count(n, name, v, maxLength)
	case "maxLength":
		n.hints |= text
		n.maxLen = c.count(n, name, v, 1<<30)
	case "format":
		c.textFormat(n, v)
	case "properties":
		n.hints |= object
		c.expect(n, name, v, rawjson.Object)
		rawjson.Fields(v, func(key string, x []byte) bool {
			n.props = append(n.props, property{key, c.at(below(escape(key)), x, nested)})
			return c.err == nil
		})
	case "required":
		n.hints |= object
		n.required = c.names(n, name, v)
	case "additionalProperties":
		n.hints |= object
		n.additional = c.at(below(), v, nested)
	case "items":
		n.hints |= array
		if rawjson.KindOf(v) == rawjson.Array { // draft 7
			n.prefix = c.list(n, name, v, nested)
			return
		}
		n.items = c.at(below(), v, nested)
	case "prefixItems":
		n.hints |= array
		n.prefix = c.list(n, name, v, nested)
	case "minItems":
		n.hints |= array
		n.minItems = c.count(n, name, v, maxItems)
	case "maxItems":
		n.hints |= array
		n.maxItems = c.count(n, name, v, 1<<30)
	case "uniqueItems":
		c.expect(n, name, v, rawjson.Bool)
		n.hints |= array
		n.unique = string(v) == "true"
	case "allOf":
		n.all = append(n.all, c.list(n, name, v, nested)...)
	case "anyOf":
		n.anyOf = append(n.anyOf, c.list(n, name, v, nested))
	case "oneOf":
		n.oneOf = append(n.oneOf, c.list(n, name, v, nested))
	case "$ref":
		c.ref(n, v, nested)
	default:
		if !annotations[name] && !strings.HasPrefix(name, "x-") {
			c.fail(n.path, "the keyword %q is not supported", clip(name))
		}
	}
}

// expect fails if a keyword's value is of another kind.
func (c *compiler) expect(n *node, name string, v []byte, want rawjson.Kind) bool {
	if got := rawjson.KindOf(v); got != want {
		c.fail(n.path, "%s must be %s, got %s", name, want, got)
		return false
	}
	return true
}

func (c *compiler) types(n *node, v []byte) {
	n.kinds = 0
	whole, all := false, false
	add := func(v []byte) {
		name := rawjson.Text(v)
		k, ok := kindNames[name]
		if !ok {
			c.fail(n.path, "there is no type %s", clip(string(v)))
			k = text
		}
		whole, all = whole || name == "integer", all || name == "number"
		n.kinds |= k
	}
	if rawjson.KindOf(v) == rawjson.Array {
		rawjson.Items(v, func(_ int, x []byte) bool { add(x); return c.err == nil })
	} else {
		add(v)
	}
	n.integer = whole && !all
}

func (c *compiler) literals(n *node, name string, v []byte) {
	var list []any
	c.few(n, name, v)
	add := func(v []byte) {
		x, err := decode(v)
		if err != nil {
			c.fail(n.path, "%s: %v", name, err)
		}
		list = append(list, x)
	}
	if name == "const" {
		add(v)
	} else if c.expect(n, name, v, rawjson.Array) {
		rawjson.Items(v, func(_ int, x []byte) bool {
			if c.err == nil {
				add(x)
			}
			return c.err == nil
		})
	}
	if n.hasEnum {
		list = common(n.enum, list)
	}
	n.enum, n.hasEnum = list, true
}

// few fails if an array holds too many values.
func (c *compiler) few(n *node, name string, v []byte) {
	if count := rawjson.Count(v); name != "const" && count > maxValues {
		c.fail(n.path, "%s holds %d values, at most %d are taken", name, count, maxValues)
	}
}

// bound reads a number.
func (c *compiler) bound(n *node, name string, v []byte) *bound {
	if !c.expect(n, name, v, rawjson.Number) {
		return nil
	}
	x, ok := rational(string(v))
	if !ok {
		c.fail(n.path, "%s is not supported: it has more than %d digits or a power of ten above %d",
			name, maxDigits, maxPower)
		return nil
	}
	return &bound{x, strings.HasPrefix(name, "exclusive")}
}

// count reads a whole number from 0 to most.
func (c *compiler) count(n *node, name string, v []byte, most int64) int {
	b := c.bound(n, name, v)
	switch {
	case b == nil:
		return 0
	case !b.at.IsInt() || b.at.Sign() < 0:
		c.fail(n.path, "%s must be a whole number from 0 on", name)
		return 0
	case b.at.Cmp(new(big.Rat).SetInt64(most)) > 0:
		if strings.HasPrefix(name, "max") {
			return int(most)
		}
		c.fail(n.path, "%s above %d is not supported", name, most)
		return 0
	}
	return int(b.at.Num().Int64())
}

func (c *compiler) textFormat(n *node, v []byte) {
	if !c.expect(n, "format", v, rawjson.String) {
		return
	}
	name := rawjson.Text(v)
	is := pick.First(formats, func(f *format) bool { return f.name == name })
	switch {
	case name == "int32" || name == "int64" || name == "float" || name == "double": // OpenAPI's annotations of numbers
	case is == nil:
		c.fail(n.path, "the format %q is not supported. There are %s", clip(name),
			strings.Join(pick.Each(formats, func(f *format) string { return f.name }), ", "))
	default:
		n.hints |= text
		n.format = is
	}
}

func (c *compiler) names(n *node, name string, v []byte) (list []string) {
	if !c.expect(n, name, v, rawjson.Array) {
		return nil
	}
	c.few(n, name, v)
	rawjson.Items(v, func(_ int, x []byte) bool {
		if rawjson.KindOf(x) != rawjson.String {
			c.fail(n.path, "%s must hold names, got %s in it", name, rawjson.KindOf(x))
		}
		list = append(list, rawjson.Text(x))
		return c.err == nil
	})
	return list
}

// list compiles an array of schemas, at least one.
func (c *compiler) list(n *node, name string, v []byte, nested int) (list []*node) {
	if !c.expect(n, name, v, rawjson.Array) {
		return nil
	}
	rawjson.Items(v, func(i int, x []byte) bool {
		list = append(list, c.at(n.path+"/"+name+"/"+strconv.Itoa(i), x, nested))
		return c.err == nil
	})
	if len(list) == 0 {
		c.fail(n.path, "%s must hold at least one schema", name)
	}
	return list
}

// ref resolves a reference within the schema.
func (c *compiler) ref(n *node, v []byte, nested int) {
	if !c.expect(n, "$ref", v, rawjson.String) {
		return
	}
	name := rawjson.Text(v)
	pointer, local := strings.CutPrefix(name, "#")
	pointer, err := url.PathUnescape(pointer)
	if !local || err != nil || pointer != "" && pointer[0] != '/' {
		c.fail(n.path, "$ref %q is not supported: only #/… within the schema is", clip(name))
		return
	}
	at := c.doc
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		if i, err := strconv.Atoi(part); err == nil && rawjson.KindOf(at) == rawjson.Array {
			at = item(at, i)
		} else {
			at = rawjson.Field(at, unescape(part))
		}
	}
	if at == nil {
		c.fail(n.path, "$ref %q is not in the schema", clip(name))
		return
	}
	n.all = append(n.all, c.at(pointer, at, nested))
}

func item(list []byte, at int) (v []byte) {
	rawjson.Items(list, func(i int, x []byte) bool {
		if i == at {
			v = x
		}
		return i < at
	})
	return v
}

func escape(s string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }

func unescape(s string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(s) }

// clip bounds text from outside before a message repeats it.
func clip(s string) string { return metrics.Shortened(s, 120) }
