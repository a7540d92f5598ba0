package loadgen

import (
	"time"

	"tokscope/metrics"
)

// gapRing holds the gaps of a window, one sketch per second, so that the
// oldest can be dropped. It has no lock: it belongs to a window.
type gapRing struct {
	origin  metrics.Stamp // gaps that ended earlier are not counted
	seconds []metrics.Sketch
	newest  int // newest second in use, counted from origin
	all     metrics.Sketch
}

// wholeSeconds returns d in seconds, rounded up.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// restart empties the ring and counts from origin on.
func (g *gapRing) restart(origin metrics.Stamp) {
	g.origin, g.newest = origin, 0
	for i := range g.seconds {
		g.seconds[i].Reset()
	}
}

// track counts a block of gaps as metrics.GapTracker returns it. One that is
// older than the ring is dropped.
func (g *gapRing) track(now, was metrics.GapBlock) {
	at := now.At
	if at < g.origin {
		return
	}
	i := int((at - g.origin) / metrics.Stamp(time.Second))
	if i <= g.newest-len(g.seconds) {
		return
	}
	for g.newest < i {
		if i-g.newest > len(g.seconds) {
			g.newest = i - len(g.seconds)
		}
		g.newest++
		g.seconds[g.newest%len(g.seconds)].Reset()
	}
	g.seconds[i%len(g.seconds)].Track(now, was)
}

// span returns the gaps of the seconds from..to (to excluded), counted from
// origin. The sketch is valid until the next call of span or last.
func (g *gapRing) span(from, to int) *metrics.Sketch {
	g.all.Reset()
	for i := max(from, g.newest-len(g.seconds)+1, 0); i < min(to, g.newest+1); i++ {
		g.all.Merge(&g.seconds[i%len(g.seconds)])
	}
	return &g.all
}

// last returns the gaps of the last d. The sketch is valid until the next call.
func (g *gapRing) last(d time.Duration) *metrics.Sketch {
	return g.span(g.newest-wholeSeconds(d)-1, g.newest+1)
}
