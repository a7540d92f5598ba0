package live

import "tokscope/ui/draw"

// plan holds the place of every part. It depends on the size and on the modes
// that the person has switched on, never on a value, so that nothing jumps.
type plan struct {
	compact bool // no boxes: the essentials in rows

	text, now, wait, lens, gaps, race, runs draw.Rect

	raceLine, runsLine, lensLine bool // one row each instead of a box
}

// Sizes at which the layout changes.
const (
	compactW, compactH = 72, 17  // below one of them: essentials
	tallH              = 30      // from here on: boxes for race and session, big figures
	roomyH             = 44      // from here on: more rows for the session
	wideW              = 100     // from here on: the wide now panel
	besideW            = 112     // from here on: race and session side by side
	hugeW, hugeH       = 160, 43 // from here on: now and session share a column
)

// layout divides r. The lens takes its room from the gap strip, which is
// readable at half its height.
func layout(r draw.Rect, lens bool) plan {
	if r.W < compactW || r.H < compactH {
		return plan{compact: true}
	}
	var p plan
	var upper draw.Rect
	glass := 0
	if lens {
		if glass = 1; r.H >= tallH+lensPanelRows {
			glass = lensPanelRows
		}
		p.lensLine = glass == 1
	}
	switch {
	case r.H >= hugeH && r.W >= hugeW:
		strip, race := 13, 5
		if r.H >= 2*tallH {
			strip = 23
		}
		upper, p.wait = r.SplitV(r.H - 5 - strip - race)
		p.wait, p.lens = p.wait.SplitV(5)
		p.lens, p.gaps = p.lens.SplitV(glass)
		p.gaps, p.race = p.gaps.SplitV(strip - glass)
		p.text, p.now = upper.SplitH(r.W - min(r.W*2/5, 110))
		p.now, p.runs = p.now.SplitV(min(15, upper.H-5))
		return p
	case r.H >= tallH:
		strip, foot := 13, 6
		switch {
		case r.H >= 2*tallH:
			strip, foot = 23, 12
		case r.H >= roomyH:
			strip, foot = 13, 8
		case r.H < 35:
			strip = 8
		}
		upper, p.wait = r.SplitV(r.H - 5 - strip - foot)
		p.wait, p.lens = p.wait.SplitV(5)
		p.lens, p.gaps = p.lens.SplitV(glass)
		p.gaps, p.race = p.gaps.SplitV(strip - glass)
		if p.raceLine = r.W < besideW; p.raceLine {
			p.race, p.runs = p.race.SplitV(1)
		} else {
			p.race, p.runs = p.race.SplitH(r.W - 60)
		}
	default: // boxes of race and session do not fit
		strip, foot := 8, 2
		if r.H < 22 {
			strip = 7
		}
		if r.H < 20 {
			foot = 1
		}
		upper, p.wait = r.SplitV(r.H - 4 - strip - foot)
		p.wait, p.lens = p.wait.SplitV(4)
		p.lens, p.gaps = p.lens.SplitV(glass)
		p.gaps, p.race = p.gaps.SplitV(strip - glass)
		p.race, p.runs = p.race.SplitV(1)
		p.raceLine, p.runsLine = true, true
	}
	p.text, p.now = upper.SplitH(r.W - nowWidth(r.W))
	return p
}

// nowWidth is the width of the now panel. Big figures need 48 columns, small
// ones with their context below 36.
func nowWidth(w int) int {
	if w >= wideW {
		return 50
	}
	return 40
}
