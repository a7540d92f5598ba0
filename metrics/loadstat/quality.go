package loadstat

import "tokscope/metrics"

// StampsOf names who took the stamps of points and of a load whose View says
// whole: the common source, else "mixed"; "none" without any. Points of earlier
// runs know it when the load does not.
func StampsOf(points []Point, whole string) string {
	sources := []string{whole}
	for i := range points {
		sources = append(sources, points[i].Stamps)
	}
	return JoinStamps(sources...)
}

// JoinStamps returns the common one of sources, else "mixed". It passes over ""
// and "none", and returns "none" without others.
func JoinStamps(sources ...string) string {
	const none = "none"
	found := none
	for _, s := range sources {
		switch {
		case s == "" || s == none || s == found:
		case found == none:
			found = s
		default:
			found = metrics.SourceMixed.String()
		}
	}
	return found
}

// WorstDelay returns the largest Delay of points, zero without one.
func WorstDelay(points []Point) (worst metrics.Delay) {
	for i := range points {
		if d := points[i].Delay; d.Code != "" && (worst.Code == "" || d.P99 > worst.P99) {
			worst = d
		}
	}
	return worst
}
