package export

import "time"

// The messages of OTLP metrics, with the field names of its JSON form. protobuf.go
// writes them in binary. Source: opentelemetry/proto/metrics/v1 and
// collector/metrics/v1 at 1.11.1.
type (
	exportRequest struct {
		ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
	}
	resourceMetrics struct {
		Resource     resource       `json:"resource"`
		ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
	}
	resource struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeMetrics struct {
		Scope   scope    `json:"scope"`
		Metrics []metric `json:"metrics"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	keyValue struct {
		Key   string   `json:"key"`
		Value anyValue `json:"value"`
	}
	// anyValue has one field set.
	anyValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *int64  `json:"intValue,omitempty,string"`
	}
	// metric has one of the last four fields set.
	metric struct {
		Name                 string                `json:"name"`
		Description          string                `json:"description,omitempty"`
		Unit                 string                `json:"unit,omitempty"`
		Gauge                *gaugeData            `json:"gauge,omitempty"`
		Sum                  *sumData              `json:"sum,omitempty"`
		Histogram            *histogramData        `json:"histogram,omitempty"`
		ExponentialHistogram *exponentialHistogram `json:"exponentialHistogram,omitempty"`
	}
	gaugeData struct {
		DataPoints []numberPoint `json:"dataPoints"`
	}
	sumData struct {
		DataPoints  []numberPoint `json:"dataPoints"`
		Temporality int           `json:"aggregationTemporality"`
		IsMonotonic bool          `json:"isMonotonic"`
	}
	histogramData struct {
		DataPoints  []histogramPoint `json:"dataPoints"`
		Temporality int              `json:"aggregationTemporality"`
	}
	exponentialHistogram struct {
		DataPoints  []exponentialPoint `json:"dataPoints"`
		Temporality int                `json:"aggregationTemporality"`
	}
	// numberPoint has one of the values set.
	numberPoint struct {
		Attributes []keyValue `json:"attributes"`
		Start      uint64     `json:"startTimeUnixNano,omitempty,string"`
		Time       uint64     `json:"timeUnixNano,string"`
		Double     *float64   `json:"asDouble,omitempty"`
		Int        *int64     `json:"asInt,omitempty,string"`
	}
	histogramPoint struct {
		Attributes []keyValue   `json:"attributes"`
		Start      uint64       `json:"startTimeUnixNano,string"`
		Time       uint64       `json:"timeUnixNano,string"`
		Count      uint64       `json:"count,string"`
		Sum        float64      `json:"sum"`
		Counts     []jsonUint64 `json:"bucketCounts"`
		Bounds     []float64    `json:"explicitBounds"`
		Exemplars  []otlpSample `json:"exemplars,omitempty"`
		Min        float64      `json:"min"`
		Max        float64      `json:"max"`
	}
	exponentialPoint struct {
		Attributes []keyValue         `json:"attributes"`
		Start      uint64             `json:"startTimeUnixNano,string"`
		Time       uint64             `json:"timeUnixNano,string"`
		Count      uint64             `json:"count,string"`
		Sum        float64            `json:"sum"`
		Scale      int                `json:"scale"`
		ZeroCount  uint64             `json:"zeroCount,string"`
		Positive   exponentialBuckets `json:"positive"`
		Exemplars  []otlpSample       `json:"exemplars,omitempty"`
		Min        float64            `json:"min"`
		Max        float64            `json:"max"`
	}
	exponentialBuckets struct {
		Offset int          `json:"offset"`
		Counts []jsonUint64 `json:"bucketCounts"`
	}
	// otlpSample is an Exemplar.
	otlpSample struct {
		Filtered []keyValue `json:"filteredAttributes"`
		Time     uint64     `json:"timeUnixNano,string"`
		Value    float64    `json:"asDouble"`
	}
	// jsonUint64 is a number in quotes, as JSON has 64-bit integers of protobuf.
	jsonUint64 uint64
)

// Values of aggregationTemporality.
const (
	delta      = 1
	cumulative = 2
)

// Attributes of an exemplar.
const (
	exemplarSession = "tokscope.session"
	exemplarRequest = "tokscope.request"
)

// form is how the sums are sent.
type form struct {
	temporality int
	explicit    bool // histograms have explicit buckets, not exponential ones
}

// message returns t as a request to a collector, with the moments between which
// it was summed. Exemplars are of requests that ended at since or later. It is
// empty without points.
func message(t *table, f form, version string, of []keyValue, start, now, since time.Time) exportRequest {
	scoped := scopeMetrics{Scope: scope{Name: "tokscope", Version: version}}
	last := -1
	for _, k := range t.keys() {
		in := &instruments[k.instrument]
		if k.instrument != last {
			scoped.Metrics = append(scoped.Metrics, metricOf(in, f))
			last = k.instrument
		}
		m := &scoped.Metrics[len(scoped.Metrics)-1]
		m.add(in, &k, t.points[k], start, now, since)
	}
	if last < 0 {
		return exportRequest{}
	}
	return exportRequest{[]resourceMetrics{{Resource: resource{of}, ScopeMetrics: []scopeMetrics{scoped}}}}
}

// metricOf returns the metric of an instrument without points.
func metricOf(in *instrument, f form) metric {
	m := metric{Name: in.name, Description: in.help, Unit: in.unit}
	switch {
	case in.kind == gauge:
		m.Gauge = &gaugeData{}
	case in.kind == counter:
		m.Sum = &sumData{Temporality: f.temporality, IsMonotonic: true}
	case f.explicit:
		m.Histogram = &histogramData{Temporality: f.temporality}
	default:
		m.ExponentialHistogram = &exponentialHistogram{Temporality: f.temporality}
	}
	return m
}

// add appends a point.
func (m *metric) add(in *instrument, k *key, p *point, start, now, since time.Time) {
	attrs, from, at := keyValues(in.attributes(&k.labels, k.extra)), uint64(start.UnixNano()), uint64(now.UnixNano())
	switch {
	case m.Gauge != nil:
		v := p.value
		m.Gauge.DataPoints = append(m.Gauge.DataPoints, numberPoint{Attributes: attrs, Time: at, Double: &v})
	case m.Sum != nil:
		v := int64(p.value)
		m.Sum.DataPoints = append(m.Sum.DataPoints, numberPoint{Attributes: attrs, Start: from, Time: at, Int: &v})
	case m.Histogram != nil:
		d := p.dist
		m.Histogram.DataPoints = append(m.Histogram.DataPoints, histogramPoint{
			Attributes: attrs, Start: from, Time: at, Count: d.n, Sum: d.sum, Counts: jsonCounts(d.counts), Bounds: d.bounds,
			Exemplars: samples(d.exemplars, since), Min: d.min, Max: d.max,
		})
	default:
		d := p.dist
		m.ExponentialHistogram.DataPoints = append(m.ExponentialHistogram.DataPoints, exponentialPoint{
			Attributes: attrs, Start: from, Time: at, Count: d.n, Sum: d.sum, Scale: d.exp.scale, ZeroCount: d.exp.zero,
			Positive:  exponentialBuckets{d.exp.offset, jsonCounts(d.exp.counts)},
			Exemplars: samples(d.exemplars, since), Min: d.min, Max: d.max,
		})
	}
}

// samples returns the exemplars of requests that ended at since or later.
func samples(all []exemplar, since time.Time) (out []otlpSample) {
	for _, x := range all {
		if x.from.session == "" || x.from.at.Before(since) {
			continue
		}
		out = append(out, otlpSample{
			Filtered: []keyValue{text(exemplarSession, x.from.session), whole(exemplarRequest, int64(x.from.request))},
			Time:     uint64(x.from.at.UnixNano()), Value: x.value,
		})
	}
	return out
}

func keyValues(attrs []attribute) []keyValue {
	out := make([]keyValue, 0, len(attrs))
	for _, a := range attrs {
		if a.integer {
			out = append(out, whole(a.key, parse(a.value)))
		} else {
			out = append(out, text(a.key, a.value))
		}
	}
	return out
}

func text(key, value string) keyValue { return keyValue{key, anyValue{String: &value}} }

func whole(key string, value int64) keyValue { return keyValue{key, anyValue{Int: &value}} }

func jsonCounts(counts []uint64) []jsonUint64 {
	out := make([]jsonUint64, len(counts))
	for i, n := range counts {
		out[i] = jsonUint64(n)
	}
	return out
}
