package main

import (
	"math"
	"slices"
	"strconv"
)

// message is what the trial reads of a line that the collector's file exporter
// writes.
type message struct {
	ResourceMetrics []struct {
		Resource struct {
			Attributes []struct {
				Key   string
				Value struct{ StringValue string }
			}
		}
		ScopeMetrics []struct {
			Metrics []struct {
				Name                 string
				ExponentialHistogram struct{ DataPoints []exponentialPoint }
			}
		}
	}
}

type exponentialPoint struct {
	Count    string
	Sum      float64
	Scale    int
	Positive struct {
		Offset       int
		BucketCounts []string
	}
	Exemplars []struct{}
}

func (m *message) resource() (all []string) {
	for _, rm := range m.ResourceMetrics {
		for _, a := range rm.Resource.Attributes {
			all = append(all, a.Key+"="+a.Value.StringValue)
		}
	}
	return all
}

// histogram puts the points of an exponential histogram together. quantile is the
// median, the geometric middle of its bucket.
func (m *message) histogram(name string) (n int, sum, quantile float64, exemplars int) {
	type weighted struct {
		middle float64
		n      int
	}
	var all []weighted
	for _, rm := range m.ResourceMetrics {
		for _, sm := range rm.ScopeMetrics {
			for _, metric := range sm.Metrics {
				if metric.Name != name {
					continue
				}
				for _, p := range metric.ExponentialHistogram.DataPoints {
					count, _ := strconv.Atoi(p.Count)
					n, sum, exemplars = n+count, sum+p.Sum, exemplars+len(p.Exemplars)
					for i, c := range p.Positive.BucketCounts {
						k, _ := strconv.Atoi(c)
						all = append(all, weighted{math.Exp2((float64(p.Positive.Offset+i) + 0.5) * math.Exp2(-float64(p.Scale))), k})
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b weighted) int {
		if a.middle < b.middle {
			return -1
		}
		return 1
	})
	seen := 0
	for _, w := range all {
		if seen += w.n; seen >= (n+1)/2 {
			return n, sum, w.middle, exemplars
		}
	}
	return n, sum, math.NaN(), exemplars
}
