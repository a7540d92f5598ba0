package export

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tokscope/probe/access"
)

// maxExemplar is the number of runes that the labels of an exemplar may have
// together, by OpenMetrics 1.0.
const maxExemplar = 128

// pageOf returns the text of t, with the version of the program. In OpenMetrics
// buckets have exemplars.
func pageOf(t *table, version string, open bool) []byte {
	w := access.Page{Open: open, Fractions: open}
	w.Head("tokscope_build_info", "gauge", "", "The version of tokscope.")
	w.Sample("tokscope_build_info", []access.Label{{"version", version}}, 1, "")
	last := -1
	for _, k := range t.keys() {
		in := &instruments[k.instrument]
		if k.instrument != last {
			w.Head(in.prom(), [...]string{"histogram", "counter", "gauge"}[in.kind], in.promUnit(), in.help)
			last = k.instrument
		}
		writePoint(&w, in, &k, t.points[k])
	}
	return w.End()
}

// writePoint writes the samples of one point.
func writePoint(w *access.Page, in *instrument, k *key, p *point) {
	var labels []access.Label
	for _, a := range in.attributes(&k.labels, k.extra) {
		labels = append(labels, access.Label{strings.ReplaceAll(a.key, ".", "_"), a.value})
	}
	switch name := in.prom(); in.kind {
	case counter:
		w.Sample(name+"_total", labels, p.value, "")
	case gauge:
		w.Sample(name, labels, p.value, "")
	case histogram:
		d := p.dist
		w.Histogram(name, labels, d.bounds, d.counts, d.sum, func(bucket int) string {
			if !w.Open || d.exemplars == nil {
				return ""
			}
			return d.exemplars[bucket].text()
		})
	}
}

// text writes the request that a bucket's newest value is from.
func (x *exemplar) text() string {
	request := strconv.Itoa(x.from.request)
	session := x.from.session
	if session == "" || len("session")+utf8.RuneCountInString(session)+len("request")+len(request) > maxExemplar {
		return "" // half a name would name another file
	}
	return ` # {session="` + access.EscapeLabel(session) + `",request="` + request + `"} ` + access.Number(x.value) + " " +
		strconv.FormatFloat(float64(x.from.at.UnixMilli())/1000, 'f', 3, 64)
}
