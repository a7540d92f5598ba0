package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tokscope/metrics/pick"
)

// decode reads a JSON value. Numbers keep their digits.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, bounded(v)
}

// bounded refuses numbers that would take long to compute with.
func bounded(v any) (err error) {
	switch v := v.(type) {
	case json.Number:
		if _, ok := rational(string(v)); !ok {
			return errors.New("a number in it is too long or too large")
		}
	case []any:
		for _, x := range v {
			err = errors.Join(err, bounded(x))
		}
	case map[string]any:
		for _, x := range v {
			err = errors.Join(err, bounded(x))
		}
	}
	return err
}

// rational returns the value of a JSON number of bounded size.
func rational(s string) (*big.Rat, bool) {
	digits, power, _ := strings.Cut(strings.ToLower(s), "e")
	if p, err := strconv.Atoi(power); power != "" &&
		(err != nil || p > maxPower || p < -maxPower) || len(digits) > maxDigits {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// canonical returns the same text for equal values.
func canonical(v any) string {
	switch v := v.(type) {
	case json.Number:
		if r, ok := rational(string(v)); ok {
			return r.RatString()
		}
	case []any:
		var b strings.Builder
		for _, x := range v {
			b.WriteString(canonical(x))
			b.WriteByte(',')
		}
		return "[" + b.String() + "]"
	case map[string]any:
		var list []string
		for name, x := range v {
			list = append(list, strconv.Quote(name)+":"+canonical(x))
		}
		slices.Sort(list)
		return "{" + strings.Join(list, ",") + "}"
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}

// maxChecked bounds the schemas that are looked at for one value. A schema
// that refers to itself without an end fits nothing.
const maxChecked = 200

// valid reports whether v fits n.
func valid(n *node, v any, depth int) bool {
	if depth > maxChecked {
		return false
	}
	fits := func(x *node) bool { return valid(x, v, depth+1) }
	if !n.holds(v, depth) {
		return false
	}
	for _, x := range n.all {
		if x != n && !fits(x) {
			return false
		}
	}
	for _, group := range n.anyOf {
		if !slices.ContainsFunc(group, fits) {
			return false
		}
	}
	for _, group := range n.oneOf {
		if pick.Count(group, func(x **node) bool { return fits(*x) }) != 1 {
			return false
		}
	}
	return true
}

// holds reports whether v fits the keywords of n that are no alternatives.
func (n *node) holds(v any, depth int) bool {
	if n.hasEnum && !slices.ContainsFunc(n.enum, func(x any) bool { return canonical(x) == canonical(v) }) {
		return false
	}
	switch v := v.(type) {
	case nil:
		return n.kinds&null != 0
	case bool:
		return n.kinds&boolean != 0
	case json.Number:
		return n.kinds&number != 0 && n.holdsNumber(string(v))
	case string:
		length := utf8.RuneCountInString(v)
		return n.kinds&text != 0 && length >= n.minLen &&
			(n.maxLen < 0 || length <= n.maxLen) && (n.format == nil || n.format.check(v))
	case []any:
		return n.kinds&array != 0 && n.holdsItems(v, depth)
	case map[string]any:
		return n.kinds&object != 0 && n.holdsProperties(v, depth)
	}
	return false
}

func (n *node) holdsNumber(s string) bool {
	x, ok := rational(s)
	if !ok || n.integer && !x.IsInt() {
		return false
	}
	beyond := func(b *bound, sign int) bool {
		return b != nil && (x.Cmp(b.at)*sign < 0 || x.Cmp(b.at) == 0 && b.open)
	}
	if beyond(n.min, 1) || beyond(n.max, -1) {
		return false
	}
	return !slices.ContainsFunc(n.steps, func(step *big.Rat) bool { return !new(big.Rat).Quo(x, step).IsInt() })
}

func (n *node) holdsItems(list []any, depth int) bool {
	if len(list) < n.minItems || n.maxItems >= 0 && len(list) > n.maxItems {
		return false
	}
	seen := map[string]bool{}
	for i, x := range list {
		if is := n.item(i); is != nil && !valid(is, x, depth+1) {
			return false
		}
		if key := canonical(x); n.unique && seen[key] {
			return false
		} else if n.unique {
			seen[key] = true
		}
	}
	return true
}

func (n *node) holdsProperties(m map[string]any, depth int) bool {
	for _, name := range n.required {
		if _, ok := m[name]; !ok {
			return false
		}
	}
	for name, x := range m {
		if is := n.property(name); is != nil && !valid(is, x, depth+1) {
			return false
		}
	}
	return true
}
