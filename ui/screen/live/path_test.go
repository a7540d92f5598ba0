package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
)

// withPath is a path of 12 ms with what f adds.
func withPath(v *View, f func(p *metrics.Path)) *View {
	p := &metrics.Path{Source: metrics.PathTCPInfo, RTT: 12 * time.Millisecond, Segments: 90, Acked: metrics.NoStamp}
	f(p)
	v.Stream.Path = p
	v.Figures = metrics.Measure(&v.Stream, metrics.Options{PerChunk: true})
	return v
}

// TestCursorSaysThePath holds that the cursor on a gap says what the socket
// counted in it, at every size that has room; the sentence says it as well.
func TestCursorSaysThePath(t *testing.T) {
	for _, size := range [][2]int{{100, 30}, {120, 40}, {200, 50}, {300, 80}} {
		v := withPath(layOut("reused", "prefill 90ms", "30 x 40ms", "stall 700ms", "20 x 60ms", "done").view(-1), func(p *metrics.Path) {
			p.Gaps = []metrics.PathGap{{Chunk: 31, Ms: 700, Usual: 40, RTT: 12, Segments: 1, Together: 1, Counted: true}}
		})
		s := newPicture()
		drawnBy(s, v, size[0], size[1])
		s.MoveCursor(&v.Stream, -1)
		s.MoveCursor(&v.Stream, 32-len(v.Stream.Chunks))
		g := drawnBy(s, v, size[0], size[1])
		if s.scope.cursor != 31 {
			t.Fatalf("the cursor is at %d", s.scope.cursor)
		}
		find(t, g, "nothing out of order")
		find(t, g, "sent late")
		s.MoveCursor(&v.Stream, 3)
		if text := drawnBy(s, v, size[0], size[1]).Plain(); strings.Contains(text, "out of order: sent late") {
			t.Errorf("%v: another chunk has the cause of the stall\n%s", size, text)
		}
	}
}
