package export

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxExemplar is the number of runes that the labels of an exemplar may have
// together, by OpenMetrics 1.0.
const maxExemplar = 128

// page writes tables in one of the text formats. In OpenMetrics a counter's
// family is without _total, families have units and buckets exemplars. Neither
// format has exponential histograms.
type page struct {
	open bool
	b    []byte
}

// pageOf returns the text of t, with the version of the program.
func pageOf(t *table, version string, open bool) []byte {
	w := page{open: open}
	w.head("tokscope_build_info", "gauge", "", "The version of tokscope.")
	w.sample("tokscope_build_info", []attribute{{key: "version", value: version}}, "", 1, nil)
	last := -1
	for _, k := range t.keys() {
		in := &instruments[k.instrument]
		if k.instrument != last {
			w.family(in)
			last = k.instrument
		}
		w.point(in, &k, t.points[k])
	}
	if open {
		w.b = append(w.b, "# EOF\n"...)
	}
	return w.b
}

// family writes the lines before the points of an instrument.
func (w *page) family(in *instrument) {
	name := in.prom()
	if in.kind == counter && !w.open {
		name += "_total"
	}
	w.head(name, [...]string{"histogram", "counter", "gauge"}[in.kind], in.promUnit(), in.help)
}

func (w *page) head(name, kind, unit, help string) {
	w.b = append(w.b, "# HELP "+name+" "+helpEscapes.Replace(help)+"\n# TYPE "+name+" "+kind+"\n"...)
	if w.open && unit != "" {
		w.b = append(w.b, "# UNIT "+name+" "+unit+"\n"...)
	}
}

// point writes the samples of one point.
func (w *page) point(in *instrument, k *key, p *point) {
	name, attrs := in.prom(), in.attributes(&k.labels, k.extra)
	switch in.kind {
	case counter:
		w.sample(name+"_total", attrs, "", p.value, nil)
	case gauge:
		w.sample(name, attrs, "", p.value, nil)
	case histogram:
		d, n := p.dist, uint64(0)
		for i, c := range d.counts {
			n += c
			le := math.Inf(1)
			if i < len(d.bounds) {
				le = d.bounds[i]
			}
			var x *exemplar
			if w.open && d.exemplars != nil {
				x = &d.exemplars[i]
			}
			w.sample(name+"_bucket", attrs, w.edge(le), float64(n), x)
		}
		w.sample(name+"_sum", attrs, "", d.sum, nil)
		w.sample(name+"_count", attrs, "", float64(d.n), nil)
	}
}

// sample writes a sample. le is the edge of a bucket, "" for other samples; x is its
// exemplar, nil for none.
func (w *page) sample(name string, attrs []attribute, le string, v float64, x *exemplar) {
	w.b = append(w.b, name...)
	sep := byte('{')
	add := func(key, value string) {
		w.b = append(w.b, sep)
		w.b = append(w.b, key+`="`+escapeLabel(value)+`"`...)
		sep = ','
	}
	for _, a := range attrs {
		add(strings.ReplaceAll(a.key, ".", "_"), a.value)
	}
	if le != "" {
		add("le", le)
	}
	if sep == ',' {
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, " "+number(v)...)
	if x != nil {
		w.exemplar(x)
	}
	w.b = append(w.b, '\n')
}

// exemplar writes the request that a bucket's newest value is from.
func (w *page) exemplar(x *exemplar) {
	if x.from.session == "" {
		return
	}
	request := strconv.Itoa(x.from.request)
	session := x.from.session
	if len("session")+utf8.RuneCountInString(session)+len("request")+len(request) > maxExemplar {
		return // half a name would name another file
	}
	w.b = append(w.b, ` # {session="`+escapeLabel(session)+`",request="`+request+`"} `+number(x.value)+" "+
		strconv.FormatFloat(float64(x.from.at.UnixMilli())/1000, 'f', 3, 64)...)
}

// edge writes the edge of a bucket. OpenMetrics wants whole ones with a fraction.
func (w *page) edge(le float64) string {
	s := number(le)
	if w.open && le == math.Trunc(le) && !math.IsInf(le, 0) {
		s += ".0"
	}
	return s
}

// number writes v as both formats have it.
func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case v == 0 || math.Abs(v) >= 1e-4 && math.Abs(v) < 1e15:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

var (
	labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

// escapeLabel escapes a label's value. Bytes that are no UTF-8 become
// replacement characters.
func escapeLabel(s string) string { return labelEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) }
