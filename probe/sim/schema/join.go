package schema

import (
	"cmp"
	"math/big"
	"slices"
)

// flat returns n joined with all that it refers to. Only groups of
// alternatives are left.
func flat(n *node) *node {
	if len(n.all) == 0 {
		return n
	}
	joined := *n
	joined.all = nil
	out := &joined
	seen := map[*node]bool{n: true}
	queue := slices.Clone(n.all)
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		if seen[x] {
			continue // it holds already
		}
		seen[x] = true
		part := *x
		part.all = nil
		out = both(out, &part)
		queue = append(queue, x.all...)
	}
	return out
}

// both returns the schema of what fits a and b. Neither has an all.
func both(a, b *node) *node {
	n := &node{
		path: a.path, kinds: a.kinds & b.kinds, hints: a.hints | b.hints, integer: a.integer || b.integer,
		min: tighter(a.min, b.min, 1), max: tighter(a.max, b.max, -1), steps: slices.Concat(a.steps, b.steps),
		minLen: max(a.minLen, b.minLen), maxLen: least(a.maxLen, b.maxLen), format: cmp.Or(a.format, b.format),
		required: slices.Concat(a.required, b.required),
		minItems: max(a.minItems, b.minItems), maxItems: least(a.maxItems, b.maxItems), unique: a.unique || b.unique,
		anyOf: slices.Concat(a.anyOf, b.anyOf), oneOf: slices.Concat(a.oneOf, b.oneOf),
		items: join(a.items, b.items), additional: join(a.additional, b.additional),
	}
	switch {
	case a.hasEnum && b.hasEnum:
		n.enum, n.hasEnum = common(a.enum, b.enum), true
	case a.hasEnum:
		n.enum, n.hasEnum = a.enum, true
	default:
		n.enum, n.hasEnum = b.enum, b.hasEnum
	}
	if b.format != nil && b.format != n.format {
		n.kinds &^= text // nothing has two formats
	}
	for _, p := range a.props {
		n.props = append(n.props, property{p.name, join(p.is, b.property(p.name))})
	}
	for _, p := range b.props {
		if a.declared(p.name) == nil {
			n.props = append(n.props, property{p.name, join(p.is, a.additional)})
		}
	}
	for i := range max(len(a.prefix), len(b.prefix)) {
		n.prefix = append(n.prefix, orAny(join(a.item(i), b.item(i))))
	}
	return n
}

// join returns a schema of what fits both; nil allows anything.
func join(a, b *node) *node {
	if a == nil || b == nil || a == b {
		return cmp.Or(a, b)
	}
	n := newNode(a.path)
	n.all = []*node{a, b}
	return n
}

// orAny returns n, for nil the schema of anything.
func orAny(n *node) *node { return cmp.Or(n, newNode("")) }

// declared returns the schema of a property in properties, or nil.
func (n *node) declared(name string) *node {
	for _, p := range n.props {
		if p.name == name {
			return p.is
		}
	}
	return nil
}

// property returns the schema of a property, nil if any value is allowed.
func (n *node) property(name string) *node {
	if p := n.declared(name); p != nil {
		return p
	}
	return n.additional
}

// item returns the schema of an item, nil if any value is allowed.
func (n *node) item(i int) *node {
	if i < len(n.prefix) {
		return n.prefix[i]
	}
	return n.items
}

// least returns the smaller of two bounds; -1 is no bound.
func least(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// tighter returns the bound that allows less. sign is 1 for lower bounds and
// -1 for upper ones; nil is no bound.
func tighter(a, b *bound, sign int) *bound {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	if c := a.at.Cmp(b.at) * sign; c > 0 || c == 0 && a.open {
		return a
	}
	return b
}

// common returns the literals of a that are in b.
func common(a, b []any) (list []any) {
	for _, x := range a {
		if slices.ContainsFunc(b, func(y any) bool { return canonical(x) == canonical(y) }) {
			list = append(list, x)
		}
	}
	return list
}

// multiple returns the smallest number that is a multiple of all steps, nil
// without steps.
func multiple(steps []*big.Rat) *big.Rat {
	var m *big.Rat
	for _, s := range steps {
		if m == nil {
			m = s
			continue
		}
		// lcm(a/b, c/d) = lcm(ad, cb) / bd
		x := new(big.Int).Mul(m.Num(), s.Denom())
		y := new(big.Int).Mul(s.Num(), m.Denom())
		gcd := new(big.Int).GCD(nil, nil, x, y)
		lcm := new(big.Int).Div(new(big.Int).Mul(x, y), gcd)
		m = new(big.Rat).SetFrac(lcm, new(big.Int).Mul(m.Denom(), s.Denom()))
	}
	return m
}
