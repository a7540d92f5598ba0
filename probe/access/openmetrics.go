package access

import (
	"math"
	"mime"
	"strconv"
	"strings"
)

// Content types of a page of metrics.
const (
	PlainMetrics = "text/plain; version=0.0.4; charset=utf-8"
	OpenMetrics  = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// MetricsType returns the content type of a page of metrics: OpenMetrics where Accept
// names 1.0 or no version of it, and likes it at least as much as plain text. accept are
// the values of that header.
func MetricsType(accept []string) (kind string, isOpen bool) {
	open, plain := 0.0, 0.0
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if x, err := strconv.ParseFloat(params["q"], 64); err == nil {
			q = x
		}
		switch kind {
		case "application/openmetrics-text":
			if v := params["version"]; v == "" || v == "1.0.0" {
				open = max(open, q)
			}
		case "text/plain", "text/*", "*/*":
			plain = max(plain, q)
		}
	}
	if open > 0 && open >= plain {
		return OpenMetrics, true
	}
	return PlainMetrics, false
}

// Page writes metrics as text. In OpenMetrics a counter's family is without _total, and
// families have units. Neither format has exponential histograms.
type Page struct {
	Open      bool // OpenMetrics
	Fractions bool // edges of buckets are floats in their shortest form (1.0, 1e+06), as vLLM writes them
	text      []byte
}

// Label is the name and the value of a label.
type Label [2]string

// Head writes the lines before the samples of a family. A counter's name is without
// _total, unit may be "".
func (p *Page) Head(name, kind, unit, help string) {
	if kind == "counter" && !p.Open {
		name += "_total"
	}
	p.text = append(p.text, "# HELP "+name+" "+helpEscapes.Replace(help)+"\n# TYPE "+name+" "+kind+"\n"...)
	if p.Open && unit != "" {
		p.text = append(p.text, "# UNIT "+name+" "+unit+"\n"...)
	}
}

// Sample writes a sample. exemplar is what stands behind its value, "" for nothing.
func (p *Page) Sample(name string, labels []Label, v float64, exemplar string) {
	p.text = append(p.text, name...)
	sep := byte('{')
	for _, l := range labels {
		p.text = append(append(p.text, sep), l[0]+`="`+EscapeLabel(l[1])+`"`...)
		sep = ','
	}
	if sep == ',' {
		p.text = append(p.text, '}')
	}
	p.text = append(p.text, " "+Number(v)+exemplar+"\n"...)
}

// Histogram writes the buckets, the sum and the count of values. counts has one more than
// bounds. exemplar returns that of a bucket, "" for none; nil: there are none.
func (p *Page) Histogram(name string, labels []Label, bounds []float64, counts []uint64, sum float64,
	exemplar func(bucket int) string) {
	n := uint64(0)
	for i, c := range counts {
		n += c
		le, behind := "+Inf", ""
		if i < len(bounds) {
			le = Number(bounds[i])
			if p.Fractions {
				if le = strconv.FormatFloat(bounds[i], 'g', -1, 64); !strings.ContainsAny(le, ".e") {
					le += ".0"
				}
			}
		}
		if exemplar != nil {
			behind = exemplar(i)
		}
		p.Sample(name+"_bucket", append(labels[:len(labels):len(labels)], Label{"le", le}), float64(n), behind)
	}
	p.Sample(name+"_sum", labels, sum, "")
	p.Sample(name+"_count", labels, float64(n), "")
}

// End returns the whole text.
func (p *Page) End() []byte {
	if p.Open {
		p.text = append(p.text, "# EOF\n"...)
	}
	return p.text
}

// Number writes v as both formats have it.
func Number(v float64) string {
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

// EscapeLabel escapes a label's value. Bytes that are no UTF-8 become
// replacement characters.
func EscapeLabel(s string) string { return labelEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) }
