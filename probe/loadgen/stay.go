package loadgen

import (
	"time"

	"tokscope/metrics"
)

// gap counts a gap that ended at.
func (g *window) gap(at metrics.Stamp, ms float64) {
	if at < g.origin {
		return
	}
	i := int((at - g.origin) / metrics.Stamp(time.Second))
	if i <= g.second-len(g.gaps) {
		return
	}
	for g.second < i {
		if i-g.second > len(g.gaps) {
			g.second = i - len(g.gaps)
		}
		g.second++
		g.gaps[g.second%len(g.gaps)].Reset()
	}
	g.gaps[i%len(g.gaps)].Add(ms)
}

// merged adds up the gaps of a window of that length into s.all.
func (g *window) merged(window time.Duration) *metrics.Sketch {
	g.all.Reset()
	n := min(int((window+time.Second-1)/time.Second)+2, len(g.gaps), g.second+1)
	for i := range n {
		g.all.Merge(&g.gaps[(g.second-i)%len(g.gaps)])
	}
	return &g.all
}
