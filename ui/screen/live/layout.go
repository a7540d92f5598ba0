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
		scope, race := 22, 5
		if r.H >= 2*tallH {
			scope = 38
		}
		upper, p.lens = r.SplitV(r.H - scope - race)
		p.lens, p.scope = p.lens.SplitV(glass)
		p.scope, p.race = p.scope.SplitV(scope - glass)
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
		return p
	case r.H >= tallH:
		scope, foot := 18, 5
		switch {
		case r.H >= 2*tallH:
			scope, foot = 28, 11
		case r.H >= roomyH:
			scope, foot = 18, 7
		case r.H < 34:
			scope = 13
		}
		upper, p.lens = r.SplitV(r.H - scope - foot)
		p.lens, p.scope = p.lens.SplitV(glass)
		p.scope, p.race = p.scope.SplitV(scope - glass)
		if p.raceLine = r.W < besideW; p.raceLine {
			p.race, p.runs = p.race.SplitV(1)
		} else {
			p.race, p.runs = p.race.SplitH(r.W - 60)
		}
	default: // boxes of race and session do not fit
		scope, foot := 12, 2
		if r.H < 22 {
			scope = 11
		}
		if r.H < 20 {
			foot = 1
		}
		upper, p.lens = r.SplitV(r.H - scope - foot)
		p.lens, p.scope = p.lens.SplitV(glass)
		p.scope, p.race = p.scope.SplitV(scope - glass)
		p.race, p.runs = p.race.SplitV(1)
		p.raceLine, p.runsLine = true, true
	}
	p.text, p.now = upper.SplitH(r.W - nowWidth(r.W))
	return p
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
