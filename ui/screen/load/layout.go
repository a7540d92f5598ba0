package load

import (
	"tokscope/ui/draw"

	"tokscope/ui/format"
)

// plan holds the place of every part. It depends on the size, and on whether the lanes
// need the second row of the sentence.
type plan struct {
	compact bool // no boxes: the essentials in rows

	users, each, total  draw.Rect // the slider and the two big figures; boxes when tall
	sentence            draw.Rect
	chart, lanes        draw.Rect
	goodput, comparison draw.Rect
	second, third       draw.Rect // the other charts, where they fit

	bigHead bool
}

// Sizes at which the layout changes.
const (
	compactW, compactH = 72, 17  // below one of them: essentials
	tallH              = 30      // from here on: the head with big figures
	bigW               = 117     // … and only from here on: below, the state of the load does not fit in it
	wideW              = 100     // from here on: the wide lanes
	hugeW, hugeH       = 160, 43 // from here on: all charts at once
)

// layout divides r. Without big figures the sentence has said rows. Before a load there
// are no figures: the slider, the chart and what stands beside it have all of the room.
func layout(r draw.Rect, said int, idle bool) plan {
	if r.W < compactW || r.H < compactH {
		return plan{compact: true}
	}
	var p plan
	var head, body, left, right draw.Rect
	if r.H >= tallH && r.W >= bigW {
		p.bigHead = true
		head, body = r.SplitV(6)
		const w = 29
		if p.users = head; !idle {
			p.users, p.each = head.SplitH(r.W - 2*w)
			p.each, p.total = p.each.SplitH(w - 2)
		}
		p.sentence, body = body.SplitV(1)
	} else {
		p.sentence, body = r.SplitV(said)
		p.users, body = body.SplitV(2)
	}
	left, right = body.SplitH(r.W - format.Either(r.W >= wideW, r.W*2/5, r.W*9/20))
	if idle {
		p.chart, p.lanes = left, right
		return p
	}
	low := 5
	switch {
	case r.H >= hugeH:
		low = 10
	case r.H >= tallH:
		low = 8
	case r.H >= 20:
		low = 6
	}
	p.lanes, p.comparison = right.SplitV(-low)
	p.chart, p.goodput = left.SplitV(format.Either(r.H >= tallH, -6, -5))
	if r.W >= hugeW && r.H >= hugeH {
		p.chart, p.second = p.chart.SplitV(p.chart.H * 3 / 5)
		p.second, p.third = p.second.SplitH(p.second.W / 2)
	}
	return p
}
