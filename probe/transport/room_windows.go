package transport

import "tokscope/metrics"

// Room returns that a connection takes one handle: Windows tells no limits.
func Room() metrics.Room { return metrics.Room{Each: 1} }
