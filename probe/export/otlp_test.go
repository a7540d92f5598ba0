package export

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// decoded returns m as a collector reads it. Both encodings say the same.
func decoded(t interface{ Fatalf(string, ...any) }, m *otlp.MetricsData) *otlp.MetricsData {
	var fromJSON, fromBinary otlp.MetricsData
	if err := protojson.Unmarshal(must(encoded(m, true)), &fromJSON); err != nil {
		t.Fatalf("JSON: %v", err)
	}
	if err := proto.Unmarshal(must(encoded(m, false)), &fromBinary); err != nil {
		t.Fatalf("protobuf: %v", err)
	}
	if !proto.Equal(&fromJSON, &fromBinary) {
		t.Fatalf("JSON and protobuf differ:\n%s", cmp.Diff(&fromJSON, &fromBinary, protocmp.Transform()))
	}
	return &fromBinary
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestMessageIsOTLP reads what is sent with the official definitions, in both
// encodings, for any requests and both kinds of histograms.
func TestMessageIsOTLP(t *testing.T) {
	testkit.Seed(t)
	rapid.Check(t, func(t *rapid.T) {
		e, _ := filled(t, drawRequests(t))
		f := form{rapid.SampledFrom([]otlp.AggregationTemporality{delta, cumulative}).Draw(t, "temporality"),
			rapid.Bool().Draw(t, "explicit")}
		sums := e.sums()
		m := message(sums, f, "v1", (&OTLP{service: "tokscope", instance: "i"}).resource("v1"), epoch,
			epoch.Add(time.Minute), epoch)
		if len(sums.points) == 0 {
			testkit.Need(t, m, nil, "a message without points")
			return
		}
		data := decoded(t, m)
		checkResource(t, data)
		seen := 0
		for _, metric := range data.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			seen += checkMetric(t, metric, f, sums)
		}
		testkit.Need(t, seen, len(sums.points), "points are sent")
	})
}

func checkResource(t *rapid.T, data *otlp.MetricsData) {
	want := []string{"service.name", "service.version", "service.instance.id"}
	for i, kv := range data.ResourceMetrics[0].Resource.Attributes {
		if kv.Key != want[i] || kv.Value.GetStringValue() == "" {
			t.Fatalf("resource attribute %d is %v, want %s", i, kv, want[i])
		}
	}
}

// checkMetric compares a metric with the sums, and returns its points.
func checkMetric(t *rapid.T, m *otlp.Metric, f form, sums *table) (points int) {
	id := -1
	for i := range instruments {
		if instruments[i].name == m.Name {
			id = i
		}
	}
	testkit.Given(t, id >= 0 && instruments[id].unit == m.Unit, "metric %q with unit %q is none of ours", m.Name, m.Unit)
	var count, buckets, want uint64
	for k, p := range sums.points {
		if k.instrument == id && p.dist != nil {
			want += p.dist.n
		}
	}
	switch d := m.Data.(type) {
	case *otlp.Metric_Gauge:
		return len(d.Gauge.DataPoints)
	case *otlp.Metric_Sum:
		testkit.Given(t, d.Sum.IsMonotonic && d.Sum.AggregationTemporality == f.temporality,
			"%s is no counter of temporality %d: %v", m.Name, f.temporality, d.Sum)
		return len(d.Sum.DataPoints)
	case *otlp.Metric_Histogram:
		for _, p := range d.Histogram.DataPoints {
			count += p.Count
			testkit.Given(t, len(p.BucketCounts) == len(p.ExplicitBounds)+1,
				"%s: %d counts, %d edges", m.Name, len(p.BucketCounts), len(p.ExplicitBounds))
			for _, n := range p.BucketCounts {
				buckets += n
			}
		}
		points = len(d.Histogram.DataPoints)
		testkit.Given(t, f.explicit && d.Histogram.AggregationTemporality == f.temporality,
			"%s has explicit buckets of temporality %v", m.Name, d.Histogram.AggregationTemporality)
	case *otlp.Metric_ExponentialHistogram:
		for _, p := range d.ExponentialHistogram.DataPoints {
			count += p.Count
			buckets += p.ZeroCount
			for _, n := range p.Positive.BucketCounts {
				buckets += n
			}
		}
		points = len(d.ExponentialHistogram.DataPoints)
		testkit.Given(t, !f.explicit && d.ExponentialHistogram.AggregationTemporality == f.temporality,
			"%s has exponential buckets of temporality %v", m.Name, d.ExponentialHistogram.AggregationTemporality)
	}
	testkit.Given(t, count == want && buckets == want,
		"%s: %d values in points and %d in buckets, want %d", m.Name, count, buckets, want)
	return points
}
