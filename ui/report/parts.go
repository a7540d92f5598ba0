package report

import (
	"slices"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// target names an endpoint: name, model, the model that answered where it is another
// one, note, address, and more. What is known by the name is not said twice.
func target(e *metrics.Endpoint, answered string, more ...string) string {
	more = append([]string{e.Model, say.AnsweredBy(e.Model, answered), e.Note, e.URL}, more...)
	more = slices.DeleteFunc(more, func(p string) bool { return p == e.Name })
	return join(e.Name, join(more...), e.Badge)
}

// join lists parts in a line, those that are not empty.
func join(parts ...string) string { return format.Join(" · ", parts...) }

// about is the length of prompts in words, "" for 0.
func about(tokens int) string {
	return format.If(tokens > 0, "about "+format.Count(tokens)+" tokens in")
}

// atMost is the limit of answers in words, "" for 0.
func atMost(tokens int) string {
	return format.If(tokens > 0, "at most "+format.Count(tokens)+" out")
}

// costing is ", cost 0.43 USD"; "" for an unknown cost.
func costing(v metrics.Value, currency string) string {
	return format.If(v.OK, ", cost "+format.Join(" ", format.Money(v.V), currency))
}

// groups are members by what they have in common, both in the order of their coming.
type groups[K comparable, M any] struct {
	keys []K
	of   map[K][]M
}

func (g *groups[K, M]) add(key K, member M) {
	if g.of == nil {
		g.of = map[K][]M{}
	}
	if g.of[key] == nil {
		g.keys = append(g.keys, key)
	}
	g.of[key] = append(g.of[key], member)
}

// faultFacts are an example of a failure and what to do; none for nil.
func faultFacts(name string, f *metrics.Fault) []Fact {
	if f == nil {
		return nil
	}
	return []Fact{{Name: name, Text: "such as " + say.FaultName(f.Kind, 0) + ": " + f.Message},
		{Name: name, Text: format.If(f.RetryAfter > 0, say.Allowed(f.RetryAfter))}, {Name: name, Text: f.Next}}
}

// lagText says who took the stamps, and how late this program was where that was
// observed.
func lagText(stamps string, o *metrics.Observer) string {
	return format.Join("; ", say.Stamps(stamps), lateness(o))
}

// lateness writes the lag of this program, "" where it was not observed.
func lateness(o *metrics.Observer) string {
	lags := "tokscope lags p99 " + format.Duration(o.LateP99) + ", worst " + format.Duration(o.LateMax)
	return format.If(o.N > 0, lags+say.Use(&o.Use))
}

// delayFacts say what tokscope's lateness affects, and what to do.
func delayFacts(at string, d *metrics.Delay) []Fact {
	text, next := say.Delay(d)
	return format.Either(text != "", []Fact{{Name: "late", Text: at + text}, {Name: "late", Text: next}}, nil)
}
