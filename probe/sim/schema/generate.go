package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"tokscope/metrics/pick"
	prose "tokscope/probe/sim/text"
)

// Bounds of a document.
const (
	maxDepth  = 40      // values around a value
	maxSteps  = 5000    // values that are tried
	maxBytes  = 1 << 20 // of the document
	plentiful = 60      // values from which on only what is required is written
	deep      = 5       // values around a value, the same
)

var (
	errNone  = errors.New("no document fits this schema")
	errLarge = fmt.Errorf("a document of this schema is too large: more than %d values, %d bytes or %d levels",
		maxSteps, maxBytes, maxDepth)
)

// Generate returns a document that fits, as JSON in one line. It fails if no
// document fits, if every one is too large, or if none is found.
func (s *Schema) Generate(seed uint64) (string, error) {
	return s.write(&generator{rand: rand.New(rand.NewPCG(seed, 0x746f6b))})
}

// Neutral returns a document that fits and says as little as possible: what is required
// alone, the first of an enum, false, the number nearest to 0, strings as short as they
// may be, of the letter x. It is the same every time. It fails as Generate does.
func (s *Schema) Neutral() (string, error) {
	return s.write(&generator{rand: rand.New(rand.NewPCG(0, 0x746f6b)), neutral: true})
}

func (s *Schema) write(g *generator) (string, error) {
	doc, ok := g.value(s.root, 0)
	switch {
	case g.large:
		return "", errLarge
	case !ok || !s.Fits(doc):
		return "", errNone
	}
	return doc, nil
}

// generator writes one document.
type generator struct {
	rand    *rand.Rand
	steps   int
	bytes   int
	large   bool // a bound was met
	wide    bool // values must differ
	neutral bool
}

// short reports whether only what is required is to be written.
func (g *generator) short(depth int) bool {
	return g.neutral || depth > deep || g.steps > plentiful
}

// value writes a value that fits n. ok is false if none was found.
func (g *generator) value(n *node, depth int) (doc string, ok bool) {
	if g.steps++; g.steps > maxSteps || g.bytes > maxBytes {
		g.large = true
	}
	if g.large || depth > maxDepth {
		return "", false
	}
	n = flat(n)
	switch {
	case len(n.anyOf) > 0:
		return g.alternative(n, n.anyOf[0], depth, func(x *node) { x.anyOf = x.anyOf[1:] }, false)
	case len(n.oneOf) > 0:
		return g.alternative(n, n.oneOf[0], depth, func(x *node) { x.oneOf = x.oneOf[1:] }, true)
	case n.hasEnum:
		return g.literal(n)
	}
	for _, k := range g.order(n, depth) {
		if doc, ok = g.kind(n, k, depth); ok || g.large {
			return doc, ok
		}
	}
	return "", false
}

// alternative writes a value that fits n and one of its first group, and with
// only none of the others.
func (g *generator) alternative(n *node, group []*node, depth int, drop func(*node), only bool) (string, bool) {
	rest := *n
	drop(&rest)
	order := g.perm(len(group))
	if g.short(depth) { // the alternative that ends soonest comes first
		slices.SortStableFunc(order, func(a, b int) int { return weight(group[a]) - weight(group[b]) })
	}
	tries := 1
	if only {
		tries = 4 // a value may fit another alternative by chance
	}
	for try := range tries {
		for _, i := range order {
			is := flat(group[i])
			wide := g.wide
			g.wide = wide || g.neutral && try > 0 // the neutral value may fit two
			doc, ok := g.value(both(&rest, is), depth+1)
			g.wide = wide
			if g.large {
				return "", false
			}
			if ok && (!only || fitting(group, doc) == 1) {
				return doc, true
			}
		}
	}
	return "", false
}

// fitting counts the schemas that a document fits.
func fitting(group []*node, doc string) int {
	v, err := decode([]byte(doc))
	if err != nil {
		return 0
	}
	return pick.Count(group, func(x **node) bool { return valid(*x, v, 0) })
}

// weight orders alternatives by what they may hold.
func weight(n *node) int {
	switch {
	case n.hasEnum || n.kinds&(array|object) == 0:
		return 0
	case len(n.all) == 0 && n.kinds&object == 0:
		return 1
	}
	return 2
}

// perm returns the numbers below n in the order in which to try them.
func (g *generator) perm(n int) []int {
	order := g.rand.Perm(n)
	if g.neutral {
		slices.Sort(order)
	}
	return order
}

// literal writes one of the values of enum.
func (g *generator) literal(n *node) (string, bool) {
	for _, i := range g.perm(len(n.enum)) {
		if x := n.enum[i]; n.holds(x, 0) {
			raw, err := json.Marshal(x)
			return string(raw), err == nil
		}
	}
	return "", false
}

// order returns the kinds to try: those of the keywords first, null and
// boolean last, and for a short document the simple ones before arrays and
// objects.
func (g *generator) order(n *node, depth int) (list []kinds) {
	first := []kinds{text, number, object, array, boolean, null}
	if n.hints == 0 && n.kinds == anyKind {
		first = []kinds{text, null}
	} else if g.neutral {
		first = []kinds{text, number, boolean, array, object, null}
	} else if g.rand.IntN(8) == 0 || g.short(depth) && n.hints&(object|array) == 0 {
		first = []kinds{null, boolean, text, number, array, object}
	}
	for _, k := range first {
		if n.kinds&k&n.hints != 0 {
			list = append(list, k)
		}
	}
	for _, k := range first {
		if n.kinds&k != 0 && n.hints&k == 0 {
			list = append(list, k)
		}
	}
	// an optional value is missing now and then
	if !g.neutral && g.rand.IntN(8) == 0 && len(list) > 1 && n.kinds&null != 0 {
		list = append([]kinds{null}, list...)
	}
	return list
}

func (g *generator) kind(n *node, k kinds, depth int) (doc string, ok bool) {
	switch k {
	case null:
		return "null", true
	case boolean:
		if g.neutral {
			return "false", true
		}
		return [...]string{"true", "false"}[g.rand.IntN(2)], true
	case number:
		doc, ok = g.number(n)
	case text:
		doc, ok = g.text(n)
	case array:
		return g.array(n, depth)
	case object:
		return g.object(n, depth)
	}
	g.bytes += len(doc)
	return doc, ok
}

// number writes a number: a multiple of a step within the bounds.
func (g *generator) number(n *node) (string, bool) {
	steps := n.steps
	if n.integer {
		steps = append(slices.Clone(steps), big.NewRat(1, 1))
	}
	step := multiple(steps)
	if step == nil {
		step = big.NewRat(1, 10)
		if n.min != nil && n.max != nil {
			width := new(big.Rat).Sub(n.max.at, n.min.at)
			switch width.Sign() {
			case -1:
				return "", false
			case 0:
				if n.min.open || n.max.open {
					return "", false
				}
				return decimal(n.min.at), true
			}
			for new(big.Rat).Quo(width, step).Cmp(big.NewRat(8, 1)) < 0 {
				step = new(big.Rat).Quo(step, big.NewRat(10, 1))
			}
		}
	}
	var low, high *big.Int // the multiples of step within the bounds
	if b := n.min; b != nil {
		q := new(big.Rat).Quo(b.at, step)
		low = floor(q)
		if !q.IsInt() || b.open {
			low.Add(low, big.NewInt(1))
		}
	}
	if b := n.max; b != nil {
		q := new(big.Rat).Quo(b.at, step)
		high = floor(q)
		if q.IsInt() && b.open {
			high.Sub(high, big.NewInt(1))
		}
	}
	most := int64(100)
	if g.wide {
		most = 1 << 40
	}
	draw := big.NewInt(g.rand.Int64N(most))
	if g.neutral && !g.wide {
		draw.SetInt64(0)
		if (low == nil || low.Sign() < 0) && (high == nil || high.Sign() >= 0) {
			low, high = big.NewInt(0), big.NewInt(0)
		}
	}
	switch {
	case low == nil && high == nil:
		low = draw
	case low == nil:
		low = high.Sub(high, draw)
	case high == nil:
		low.Add(low, draw)
	default:
		room := new(big.Int).Sub(high, low)
		if room.Sign() < 0 {
			return "", false
		}
		low.Add(low, draw.Mod(draw, room.Add(room, big.NewInt(1))))
	}
	return decimal(new(big.Rat).Mul(new(big.Rat).SetInt(low), step)), true
}

// floor returns the largest whole number that is not above x.
func floor(x *big.Rat) *big.Int {
	return new(big.Int).Div(x.Num(), x.Denom()) // Div rounds down for positive divisors
}

// decimal writes a number that has finitely many decimals.
func decimal(x *big.Rat) string {
	places, exact := x.FloatPrec()
	if !exact {
		return "" // not made of decimal numbers: cannot happen
	}
	return x.FloatString(places)
}

// text writes a string of the format, or words of the endpoint's prose.
func (g *generator) text(n *node) (string, bool) {
	s := ""
	switch {
	case n.format != nil:
		s = n.format.write(g.rand)
	case g.neutral:
		length := n.minLen
		if g.wide {
			length += g.rand.IntN(40)
		}
		if n.maxLen >= 0 {
			length = min(length, max(n.maxLen, n.minLen))
		}
		s = strings.Repeat("x", length)
	default:
		all := prose.Passages("en")
		words := strings.Fields(all[g.rand.IntN(len(all))].Body)
		at := g.rand.IntN(len(words))
		want := max(n.minLen, 8+g.rand.IntN(40))
		if n.maxLen >= 0 {
			want = min(want, n.maxLen)
		}
		var b strings.Builder
		for length := 0; length < want; at++ {
			w := words[at%len(words)]
			if length > 0 {
				w = " " + w
			}
			b.WriteString(w)
			length += utf8.RuneCountInString(w)
		}
		s = b.String()
		if runes := []rune(s); n.maxLen >= 0 && len(runes) > n.maxLen {
			s = string(runes[:n.maxLen])
		}
	}
	if length := utf8.RuneCountInString(s); length < n.minLen || n.maxLen >= 0 && length > n.maxLen {
		return "", false
	}
	return quote(s), true
}

// quote writes a JSON string. HTML is not escaped.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be written
	return strings.TrimSuffix(b.String(), "\n")
}

func (g *generator) array(n *node, depth int) (string, bool) {
	want := n.minItems
	if !g.short(depth) {
		want = max(want, len(n.prefix), 1+g.rand.IntN(3))
	}
	if n.maxItems >= 0 {
		want = min(want, n.maxItems)
	}
	if want < n.minItems {
		return "", false
	}
	var list []string
	seen := map[string]bool{}
	for len(list) < want {
		doc, ok := g.item(n, len(list), depth, seen)
		if !ok {
			if len(list) < n.minItems || g.large {
				return "", false
			}
			break
		}
		list = append(list, doc)
	}
	return "[" + strings.Join(list, ", ") + "]", true
}

// item writes an item, which differs from the others if they must differ.
func (g *generator) item(n *node, i, depth int, seen map[string]bool) (string, bool) {
	for try := range 8 {
		wide := g.wide
		g.wide = wide || try > 0
		doc, ok := g.value(orAny(n.item(i)), depth+1)
		g.wide = wide
		if !ok || !n.unique {
			return doc, ok
		}
		v, err := decode([]byte(doc))
		if key := canonical(v); err == nil && !seen[key] {
			seen[key] = true
			return doc, true
		}
	}
	return "", false
}

func (g *generator) object(n *node, depth int) (string, bool) {
	var list []string
	add := func(name, doc string) { list = append(list, quote(name)+": "+doc) }
	for _, p := range n.props {
		required := slices.Contains(n.required, p.name)
		if !required && (g.short(depth) || g.rand.IntN(5) == 0) {
			continue
		}
		doc, ok := g.value(orAny(join(p.is, nil)), depth+1)
		if g.large || !ok && required {
			return "", false
		}
		if ok {
			add(p.name, doc)
		}
	}
	written := map[string]bool{}
	for _, name := range n.required {
		if n.declared(name) != nil || written[name] {
			continue
		}
		written[name] = true
		doc, ok := g.value(orAny(n.additional), depth+1)
		if !ok {
			return "", false
		}
		add(name, doc)
	}
	if len(n.props) == 0 && len(list) == 0 && !g.short(depth) {
		for _, name := range [...]string{"answer", "source"} { // an object of any names
			doc, ok := g.value(orAny(n.additional), depth+1)
			if !ok {
				break
			}
			add(name, doc)
		}
	}
	if g.large {
		return "", false
	}
	return "{" + strings.Join(list, ", ") + "}", true
}
