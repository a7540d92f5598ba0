package export

import (
	"strconv"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Values of aggregationTemporality.
const (
	delta      = otlp.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	cumulative = otlp.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
)

// form is how the sums are sent.
type form struct {
	temporality otlp.AggregationTemporality
	explicit    bool // histograms have explicit buckets, not exponential ones
}

// period is the time that sums are of, in ns of Unix. Exemplars are of requests that
// ended at since or later.
type period struct {
	start, now uint64
	since      time.Time
}

// message returns t for a collector, with the moments between which it was summed.
// On the wire it is the ExportMetricsServiceRequest, which has the same one field.
// It is nil without points.
func message(t *table, f form, version string, of []*common.KeyValue, start, now, since time.Time) *otlp.MetricsData {
	s := period{uint64(start.UnixNano()), uint64(now.UnixNano()), since}
	var list []*otlp.Metric
	last := -1
	for _, k := range t.keys() {
		in := &instruments[k.instrument]
		if k.instrument != last {
			list = append(list, metricOf(in, f))
			last = k.instrument
		}
		add(list[len(list)-1], keyValues(in.attributes(&k.labels, k.extra)), t.points[k], s)
	}
	if last < 0 {
		return nil
	}
	return &otlp.MetricsData{ResourceMetrics: []*otlp.ResourceMetrics{{
		Resource: &resource.Resource{Attributes: of},
		ScopeMetrics: []*otlp.ScopeMetrics{{
			Scope:   &common.InstrumentationScope{Name: "tokscope", Version: version},
			Metrics: list,
		}},
	}}}
}

// encoded returns m in JSON or in binary.
func encoded(m *otlp.MetricsData, asJSON bool) ([]byte, error) {
	if asJSON {
		return protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	}
	return proto.Marshal(m)
}

// metricOf returns the metric of an instrument without points.
func metricOf(in *instrument, f form) *otlp.Metric {
	m := &otlp.Metric{Name: in.name, Description: in.help, Unit: in.unit}
	switch {
	case in.kind == gauge:
		m.Data = &otlp.Metric_Gauge{Gauge: &otlp.Gauge{}}
	case in.kind == counter:
		m.Data = &otlp.Metric_Sum{Sum: &otlp.Sum{AggregationTemporality: f.temporality, IsMonotonic: true}}
	case f.explicit:
		m.Data = &otlp.Metric_Histogram{Histogram: &otlp.Histogram{AggregationTemporality: f.temporality}}
	default:
		m.Data = &otlp.Metric_ExponentialHistogram{
			ExponentialHistogram: &otlp.ExponentialHistogram{AggregationTemporality: f.temporality}}
	}
	return m
}

// add appends a point to m.
func add(m *otlp.Metric, attrs []*common.KeyValue, p *point, s period) {
	switch to := m.Data.(type) {
	case *otlp.Metric_Gauge:
		to.Gauge.DataPoints = append(to.Gauge.DataPoints, &otlp.NumberDataPoint{
			Attributes: attrs, TimeUnixNano: s.now,
			Value: &otlp.NumberDataPoint_AsDouble{AsDouble: p.value}})
	case *otlp.Metric_Sum:
		to.Sum.DataPoints = append(to.Sum.DataPoints, &otlp.NumberDataPoint{
			Attributes: attrs, StartTimeUnixNano: s.start, TimeUnixNano: s.now,
			Value: &otlp.NumberDataPoint_AsInt{AsInt: int64(p.value)}})
	case *otlp.Metric_Histogram:
		d := p.dist
		to.Histogram.DataPoints = append(to.Histogram.DataPoints, &otlp.HistogramDataPoint{
			Attributes: attrs, StartTimeUnixNano: s.start, TimeUnixNano: s.now,
			Count: d.n, Sum: &d.sum, Min: &d.min, Max: &d.max, Exemplars: exemplars(d.exemplars, s.since),
			BucketCounts: d.counts, ExplicitBounds: d.bounds})
	case *otlp.Metric_ExponentialHistogram:
		d := p.dist
		offset, counts := d.exp.buckets()
		to.ExponentialHistogram.DataPoints = append(to.ExponentialHistogram.DataPoints,
			&otlp.ExponentialHistogramDataPoint{
				Attributes: attrs, StartTimeUnixNano: s.start, TimeUnixNano: s.now,
				Count: d.n, Sum: &d.sum, Min: &d.min, Max: &d.max, Exemplars: exemplars(d.exemplars, s.since),
				Scale: int32(d.exp.scale), ZeroCount: d.exp.zero,
				Positive: &otlp.ExponentialHistogramDataPoint_Buckets{
					Offset: int32(offset), BucketCounts: counts}})
	}
}

// exemplars returns those of requests that ended at since or later.
func exemplars(all []exemplar, since time.Time) (out []*otlp.Exemplar) {
	for _, x := range all {
		if x.from.session == "" || x.from.at.Before(since) {
			continue
		}
		out = append(out, &otlp.Exemplar{
			FilteredAttributes: []*common.KeyValue{
				text("tokscope.session", x.from.session), whole("tokscope.request", int64(x.from.request))},
			TimeUnixNano: uint64(x.from.at.UnixNano()), Value: &otlp.Exemplar_AsDouble{AsDouble: x.value},
		})
	}
	return out
}

func keyValues(attrs []attribute) []*common.KeyValue {
	out := make([]*common.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		if n, err := strconv.ParseInt(a.value, 10, 64); a.integer && err == nil {
			out = append(out, whole(a.key, n))
		} else {
			out = append(out, text(a.key, a.value))
		}
	}
	return out
}

// text is an attribute; protobuf takes valid UTF-8 alone.
func text(key, value string) *common.KeyValue {
	value = strings.ToValidUTF8(value, "\uFFFD")
	return &common.KeyValue{Key: strings.ToValidUTF8(key, "\uFFFD"),
		Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func whole(key string, value int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

// rejection is what a collector says of a request that it took in part.
type rejection struct {
	points  int64
	message string
}

// readRejection reads the partial success of a binary answer, the zero rejection
// from bytes that are no such answer. Its definition is in the module's package of
// gRPC services, which would bring gRPC.
func readRejection(b []byte) (r rejection) {
	for len(b) > 0 {
		field, wire, n := protowire.ConsumeTag(b)
		m := protowire.ConsumeFieldValue(field, wire, b[max(n, 0):])
		if n < 0 || m < 0 {
			return rejection{}
		}
		value := b[n : n+m]
		b = b[n+m:]
		switch {
		case field == 1 && wire == protowire.BytesType: // the partial success within the answer
			inner, _ := protowire.ConsumeBytes(value)
			if r == (rejection{}) {
				r = readRejection(inner)
			}
		case field == 1 && wire == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(value)
			r.points = int64(v)
		case field == 2 && wire == protowire.BytesType:
			inner, _ := protowire.ConsumeBytes(value)
			r.message = string(inner)
		}
	}
	return r
}
