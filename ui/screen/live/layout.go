package live

import (
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// plan holds the place of every part. It depends on the size and on the modes
// that the person has switched on, never on a value, so that nothing jumps.
type plan struct {
	compact bool // no boxes

	said, text, now, lens, scope, race, runs draw.Rect
	answer, means                            draw.Rect // the response's head and the definitions, where both fit

	raceLine, runsLine, lensLine bool // one row each instead of a box
}

// Sizes at which the layout changes.
const (
	compactW, compactH = 72, 17  // below one of them: no boxes, and no row for session and lens
	saidH              = 22      // from here on: a row for the conclusion; the heights below are those under it
	tallH              = 29      // from here on: boxes for race and session, big figures
	roomyH             = 43      // from here on: more rows for the session
	wideW              = 99      // from here on: the wide now panel; a terminal of 100 columns has it
	besideW            = 112     // from here on: race and session side by side
	hugeW, hugeH       = 160, 42 // from here on: now and session share a column
	vastW, vastH       = 240, 60 // from here on: a third column for response and definitions
	allFactsH          = 26      // rows of the text from which on the now panel has all facts
	textMost           = 110     // columns of text there: longer lines are hard to read
	answerRowsMost     = 18      // rows of the response there
)

// layout divides r. The lens takes its room from the scope, which is readable
// at half its height.
func layout(r draw.Rect, lens bool) plan {
	if r.W < compactW || r.H < compactH {
		return bareLayout(r)
	}
	var p plan
	if r.W > say.ShortConclusion && r.H >= saidH {
		p.said, r = r.SplitV(1)
	}
	glass := 0
	if lens {
		if glass = 1; r.H >= tallH+lensPanelRows {
			glass = lensPanelRows
		}
		p.lensLine = glass == 1
	}
	huge := r.H >= hugeH && r.W >= hugeW
	scope, foot := scopeHeight(r.H, huge)
	upper, low := r.SplitV(r.H - scope - foot)
	p.lens, p.scope = low.SplitV(glass)
	p.scope, p.race = p.scope.SplitV(scope - glass)
	p.text, p.now = upper.SplitH(r.W - nowWidth(r.W))
	switch {
	case huge:
		p.text, p.now = upper.SplitH(r.W - min(r.W*2/5, 110))
		if r.W >= vastW && r.H >= vastH {
			p.text, p.now = upper.SplitH(min((r.W-80)/2+10, textMost))
			p.now, p.answer = p.now.SplitH(p.now.W - min(p.now.W*2/5, 82))
			p.answer, p.means = p.answer.SplitV(min(answerRowsMost, p.answer.H/2))
		}
		facts := 15
		if upper.H >= allFactsH {
			facts = 17
		}
		p.now, p.runs = p.now.SplitV(min(facts, upper.H-5))
	case r.H >= tallH:
		if p.raceLine = r.W < besideW; p.raceLine {
			p.race, p.runs = p.race.SplitV(1)
		} else {
			p.race, p.runs = p.race.SplitH(r.W - 60)
		}
	default: // boxes of race and session do not fit
		p.race, p.runs = p.race.SplitV(1)
		p.raceLine, p.runsLine = true, true
	}
	return p
}

// scopeHeight is the height of lens and scope in h rows, and of what is below them.
func scopeHeight(h int, huge bool) (scope, foot int) {
	switch {
	case huge && h >= 2*tallH:
		return 38, 5
	case huge:
		return 22, 5
	case h >= 2*tallH:
		return 28, 11
	case h >= roomyH:
		return 18, 7
	case h >= 34:
		return 18, 5
	case h >= tallH:
		return 13, 5
	case h >= 22:
		return 12, 2
	case h >= 20:
		return 11, 2
	}
	return 11, 1
}

// bareLayout divides r where there is no room for boxes: the figures, the text below its
// title, the scope and the race, as many of them as there are rows.
func bareLayout(r draw.Rect) plan {
	now, scope, race := 0, 0, 0
	switch {
	case r.H >= 16:
		now, scope, race = 3, 8, 1
	case r.H >= 12:
		now, scope = 3, 5
	case r.H >= 9:
		now, scope = 3, 3
	case r.H >= 6:
		now, scope = 2, 2
	case r.H >= 4:
		now = 2
	}
	p := plan{compact: true, raceLine: true, runsLine: true}
	p.now, p.text = r.SplitV(now)
	p.text, p.scope = p.text.SplitV(p.text.H - scope - race)
	p.scope, p.race = p.scope.SplitV(scope)
	return p
}

// nowWidth is the width of the now panel. Big figures need 49 columns inside: two
// of four digits beside each other are one number where less than three columns
// separate them. Small ones with their context below need 36.
func nowWidth(w int) int {
	if w >= wideW {
		return 53
	}
	return 40
}
