package export

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// key names a point. It is comparable.
type key struct {
	instrument int
	labels     labels
	extra      string // value of the instrument's extra attribute
}

// origin says which request a value is from.
type origin struct {
	session string // name of the session file; "" without one
	request int    // its number there
	at      time.Time
}

// exemplar is a value with its request.
type exemplar struct {
	value float64
	from  origin
}

// distribution holds the values of a histogram.
type distribution struct {
	bounds    []float64
	counts    []uint64   // one more than bounds
	exemplars []exemplar // the newest of each bucket; nil without any
	exp       exponential
	n         uint64
	sum       float64
	min, max  float64 // valid if n > 0
}

// point is the sum of one instrument for one set of labels. dist is nil unless
// the instrument is a histogram.
type point struct {
	dist  *distribution
	value float64
}

// table holds points. The zero table is empty; it is not safe for concurrent
// use. Its size is bounded: see maxSeries and maxExtra.
type table struct {
	latest bool // the specification's newest names
	points map[key]*point
	series map[labels]bool // without overflow
	plain  map[labels]bool // the same as labels.plain
	extras map[key]int     // how many values the extra attribute has, per instrument and labels
}

// admit returns l, or overflow if there is no room for another series.
func (t *table) admit(l labels) labels {
	if t.series[l] || l == overflow {
		return l
	}
	if len(t.series) >= maxSeries {
		return overflow
	}
	if t.series == nil {
		t.series, t.plain = map[labels]bool{}, map[labels]bool{}
	}
	t.series[l], t.plain[l.plain()] = true, true
	return l
}

// keyOf returns the key of a point.
func keyOf(instrument int, l labels, extra string) key {
	if !instruments[instrument].genAI {
		l = l.plain()
	}
	return key{instrument, l, extra}
}

// at returns the point of k. It adds a missing one.
func (t *table) at(k key) *point {
	if p := t.points[k]; p != nil {
		return p
	}
	if t.points == nil {
		t.points, t.extras = map[key]*point{}, map[key]int{}
	}
	in := &instruments[k.instrument]
	if in.extra != "" {
		of := key{k.instrument, k.labels, ""}
		if t.extras[of] >= maxExtra && k.extra != "other" {
			return t.at(key{k.instrument, k.labels, "other"})
		}
		t.extras[of]++
	}
	p := &point{}
	if in.kind == histogram {
		p.dist = &distribution{bounds: in.bounds, counts: make([]uint64, len(in.bounds)+1), exp: newExponential(),
			min: math.Inf(1), max: math.Inf(-1)}
	}
	t.points[k] = p
	return p
}

// record adds v to a histogram or a counter, or sets a gauge. Values that are no
// numbers are left out. Negative ones only a gauge can have.
func (t *table) record(instrument int, l labels, extra string, v float64, from origin) {
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 && instruments[instrument].kind != gauge {
		return
	}
	instrument = t.newest(instrument)
	p := t.at(keyOf(instrument, l, extra))
	switch instruments[instrument].kind {
	case counter:
		p.value += v
	case gauge:
		p.value = v
	case histogram:
		p.dist.add(v, from)
	}
}

// remove takes a gauge away: it is not known any more.
func (t *table) remove(instrument int, l labels, extra string) {
	k := keyOf(instrument, l, extra)
	if t.points[k] != nil {
		delete(t.points, k)
		t.extras[key{instrument, k.labels, ""}]--
	}
}

func (d *distribution) add(v float64, from origin) {
	i, _ := slices.BinarySearch(d.bounds, v) // an edge belongs to the bucket below it
	d.counts[i]++
	if from.session != "" {
		d.keep(i, exemplar{v, from})
	}
	d.min, d.max = min(d.min, v), max(d.max, v)
	d.n++
	d.sum += v
	d.exp.add(v)
}

// keep makes x the exemplar of bucket i.
func (d *distribution) keep(i int, x exemplar) {
	if d.exemplars == nil {
		d.exemplars = make([]exemplar, len(d.counts))
	}
	d.exemplars[i] = x
}

// merge adds what o holds, which stays as it is. Gauges become those of o.
func (t *table) merge(o *table) {
	for l := range o.series {
		t.admit(l)
	}
	for k, p := range o.points {
		known := t.plain
		if instruments[k.instrument].genAI {
			known = t.series
		}
		if !known[k.labels] {
			k = keyOf(k.instrument, overflow, k.extra)
		}
		q := t.at(k)
		switch instruments[k.instrument].kind {
		case counter:
			q.value += p.value
		case gauge:
			q.value = p.value
		case histogram:
			q.dist.merge(p.dist)
		}
	}
}

func (d *distribution) merge(o *distribution) {
	if o.n == 0 {
		return
	}
	for i, n := range o.counts {
		d.counts[i] += n
	}
	for i, x := range o.exemplars {
		if x.from.session != "" && (d.exemplars == nil || !x.from.at.Before(d.exemplars[i].from.at)) {
			d.keep(i, x)
		}
	}
	d.min, d.max = min(d.min, o.min), max(d.max, o.max)
	d.n += o.n
	d.sum += o.sum
	d.exp.merge(&o.exp)
}

// keys returns the keys of all points: by instrument, then by labels.
func (t *table) keys() []key {
	return slices.SortedFunc(maps.Keys(t.points), func(a, b key) int {
		l, m := &a.labels, &b.labels
		return cmp.Or(a.instrument-b.instrument, cmp.Compare(l.endpoint, m.endpoint), cmp.Compare(l.model, m.model),
			cmp.Compare(l.workload, m.workload), cmp.Compare(l.connection, m.connection), cmp.Compare(l.provider, m.provider),
			cmp.Compare(l.answered, m.answered), cmp.Compare(l.address, m.address), l.port-m.port, cmp.Compare(a.extra, b.extra))
	})
}
