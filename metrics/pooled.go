package metrics

import (
	"iter"
	"slices"
)

// pooled gathers the values of many runs for one distribution: as plain values
// while all weigh the same, else with their weights.
type pooled struct {
	want   int // number of values to come
	values []float64
	weight float64    // of each of values
	list   []weighted // in place of values
}

// fewPooled is the number of values after which there is room for all that are
// to come: other weights show before.
const fewPooled = 1024

func (p *pooled) len() int { return len(p.values) + len(p.list) }

// add appends e.
func (p *pooled) add(e weighted) {
	switch {
	case p.list != nil:
		p.list = append(p.list, e)
	case len(p.values) == 0 || p.weight == e.w:
		if p.weight = e.w; len(p.values) == fewPooled {
			p.values = slices.Grow(p.values, max(p.want-fewPooled, 1))
		}
		p.values = append(p.values, e.v)
	default:
		p.list = make([]weighted, 0, max(p.want, len(p.values)+1))
		for _, v := range p.values {
			p.list = append(p.list, weighted{v, p.weight})
		}
		p.list, p.values = append(p.list, e), nil
	}
}

// sort orders what was added.
func (p *pooled) sort() {
	slices.Sort(p.values)
	slices.SortFunc(p.list, compareWeighted)
}

// partLen is the number of values that pooled gives weights to at a time.
const partLen = 512

// parts is what was added, sorted, and others, which are ascending, in one order.
func (p *pooled) parts(others []weighted) iter.Seq[[]weighted] {
	if p.list != nil {
		p.list = mergeSorted(p.list, others, lessWeighted)
		return func(yield func([]weighted) bool) { yield(p.list) }
	}
	part := make([]weighted, 0, partLen)
	return func(yield func([]weighted) bool) {
		values, rest := p.values, others
		for len(values)+len(rest) > 0 {
			part = part[:0]
			for len(part) < partLen && len(values)+len(rest) > 0 {
				if len(rest) > 0 && (len(values) == 0 || compareWeighted(rest[0], weighted{values[0], p.weight}) < 0) {
					part, rest = append(part, rest[0]), rest[1:]
				} else {
					part, values = append(part, weighted{values[0], p.weight}), values[1:]
				}
			}
			if !yield(part) {
				return
			}
		}
	}
}

// weighted returns what was added, sorted, in one list.
func (p *pooled) weighted() []weighted {
	if p.list != nil {
		return p.list
	}
	list := make([]weighted, 0, len(p.values))
	for part := range p.parts(nil) {
		list = append(list, part...)
	}
	return list
}
