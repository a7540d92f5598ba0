package explain

import (
	"slices"

	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/lens"
)

type plan struct {
	compact bool // no boxes: the essentials in rows

	state, knobs, figures draw.Rect
	timeline              draw.Rect
	tour                  draw.Rect // empty without a tour
	lens                  draw.Rect // empty when it is off, or in a slot
}

type slot struct {
	r     draw.Rect
	panel Panel
}

// Sizes at which the layout changes.
const (
	compactW, compactH = 72, 18  // below one of them: essentials
	tableW             = 115     // from here on: the knobs as a table, words above, positions below
	bigW, bigH         = 110, 44 // from here on: figures in numerals that the last row of a hall can read
	optionsH           = 26      // from here on: rows of their own for the options
	panelW             = 36      // least width of a panel
	panelH             = 10      // least height where there are two rows of panels
	tourW              = 42      // least width of the tour
	tourMost           = 64      // its greatest: longer lines are hard to read
)

// order is the priority of panels where not all fit.
var order = [...]Panel{Step, Roofline, KV, Batch, Client, WhatIf}

// widths are the panels' shares of the width of their row.
var widths = [Panels]int{Step: 47, Roofline: 38, KV: 34,
	Batch: 39, Client: 35, WhatIf: 45, Seesaw: 44, Lens: 44, Text: 44}

// layout divides r for v, with the places of panels in s.slots. It depends only on the size of v's tour and the
// chosen panel and lens.
func (s *picture) layout(r draw.Rect, v *View) plan {
	s.slots = s.slots[:0]
	if !v.Max && (r.W < compactW || r.H < compactH) || r.W < panelW || r.H < panelH {
		s.lensIs = LensNone
		return plan{compact: true}
	}
	var p plan
	body := r
	p.state, body = body.SplitV(1)
	if v.Max {
		s.lensIs = s.lensAs(r, v)
		p.figures, body = body.SplitV(1)
		s.slots = append(s.slots, slot{body, s.shown(v)})
		return p
	}
	rows := format.Either(v.Explain.Tour.On && r.H < 30, 1, 2)
	if rows == 2 && r.H >= optionsH && optionsShown(v) {
		rows = format.Either(r.W < tableW, 4, 3)
	}
	p.knobs, body = body.SplitV(rows)
	rows = format.Either(draw.Width(s.canvas.broken())+3 > r.W, 2, 1) // it says what to do
	if r.W >= bigW && r.H >= bigH {
		rows = 5
	}
	p.figures, body = body.SplitV(rows)
	switch s.lensIs = s.lensAs(r, v); s.lensIs {
	case LensLine:
		p.lens, body = body.SplitV(1)
	case LensBox:
		p.lens, body = body.SplitV(lens.Rows)
	}
	p.timeline, body = body.SplitV(timelineHeight(r.H, v.Explain.Tour.On))
	if v.Explain.Tour.On {
		w := min(max(r.W*2/5, tourW), tourMost)
		body, p.tour = body.SplitH(body.W - w)
	}
	s.panels(body, v)
	return p
}

// timelineHeight is the height of the timeline's box in a screen of h rows.
func timelineHeight(h int, tour bool) int {
	switch {
	case h < 24 && tour:
		return 6
	case h < 24:
		return 7
	case h < 34:
		return 8
	case h >= 60:
		return 3 * h / 10
	}
	return min(9+(h-38)/6, 16)
}

// panels divides r into places for panels, in one row or two.
func (s *picture) panels(r draw.Rect, v *View) {
	cols, rows := min(max(r.W/panelW, 1), 3), format.Either(r.H >= 2*panelH, 2, 1)
	var chosen [len(order) + 1]Panel
	list := s.choose(chosen[:0], v, cols*rows)
	if rows == 2 && s.lensIs == LensBoard { // all lenses side by side need the width
		var part draw.Rect
		part, r = r.SplitV(min((r.H+1)/2, lens.BoardRows))
		s.slots, rows = append(s.slots, slot{part, Lens}), 1
		list = slices.DeleteFunc(list, func(p Panel) bool { return p == Lens })
	}
	for row := range rows {
		part := r
		if row == 0 && rows == 2 {
			part, r = r.SplitV((r.H + 1) / 2)
		}
		n := min(cols, len(list))
		sum := 0
		for _, p := range list[:n] {
			sum += widths[p]
		}
		for i, p := range list[:n] {
			at := part
			if i < n-1 {
				at, part = part.SplitH(part.W * widths[p] / max(sum, 1))
			}
			sum -= widths[p]
			s.slots = append(s.slots, slot{at, p})
		}
		list = list[n:]
	}
}

// choose is the n panels to show, in order of priority. The chosen panel, or
// the one of the lesson, is always among them.
func (s *picture) choose(list []Panel, v *View, n int) []Panel {
	must := s.shown(v)
	if n >= len(order) && must < Seesaw {
		list = append(list, order[:]...)
		if s.lensIs == LensTile { // it replaces the panel that says the least to a user
			list[slices.Index(list, KV)] = Lens
			if must == KV {
				list[slices.Index(list, Roofline)] = KV
			}
		}
		return list
	}
	lens := format.Either(s.lensIs == LensTile, Lens, must)
	all := [...]Panel{Step, must, lens, Batch, Client, Roofline, KV, WhatIf}
	for _, p := range all[format.Either(n == 1, 1, 0):] {
		if len(list) < n && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// shown is the panel that always gets a place: the chosen one, else the one
// of the lesson.
func (s *picture) shown(v *View) Panel {
	for _, p := range [...]Panel{v.Panel % Panels, v.focus()} {
		if p != Auto && v.has(p) {
			return p
		}
	}
	return Batch
}

// hidden reports whether p has content but no place in the last frame.
func (s *picture) hidden(v *View, p Panel) bool {
	if p == Auto || !v.has(p) || p == Text && !s.textCut && !v.Max {
		return false
	}
	return !slices.ContainsFunc(s.slots, func(at slot) bool { return at.panel == p })
}

// turning is the place that NextPanel changes: the one of the required panel.
// Where a lens has taken the cache's place, it is the one of the roofline.
func (s *picture) turning(v *View) Panel {
	if must := s.shown(v); s.lensIs != LensTile || len(s.slots) < len(order) || must == KV {
		return must
	}
	return Roofline
}

// NextPanel gives the next hidden panel, if there is one, the place of the required one.
func (s *picture) NextPanel(v *View) {
	if !s.switches && !v.Max {
		return
	}
	shown := s.shown(v)
	for i := range Panels {
		if p := (shown + 1 + i) % Panels; s.hidden(v, p) {
			v.Panel = p
			return
		}
	}
}

// border is that of a part: it stands out where the lesson is about that part.
func (p *canvas) border(name string) themes.Role {
	t := &p.v.Explain.Tour
	return format.Either(t.On && t.Lesson.Focus == name, themes.BorderFocus, themes.Border)
}

// Limits of the picture, with their reasons.
const (
	// columnTime is the wall time of one column of the timeline. The eye can
	// still follow 40 columns a second.
	columnTime = 0.025

	// typicalMost is the largest width of a typical step, in columns: enough
	// for its words. Several steps then stay visible in slow time.
	typicalMost = 16

	// gapFrom is the width of a typical step, in columns, from which a blank
	// column separates steps. Below it the blank would hide more than it shows.
	gapFrom = 2.4

	// aheadShare of the width is left for the running step in slow motion.
	aheadShare = 10

	// flashFor is how long a preemption is highlighted, in wall seconds.
	flashFor = 1.2

	// trailSteps is how many steps the roofline shows.
	trailSteps = 48

	// rowSample is how many steps decide which parts of a step have a row: so
	// many that rows do not change from prompt to prompt.
	rowSample = 1024

	// slippedFrom is the delay of this machine behind its model, in seconds,
	// from which it is reported. The next step makes up for less.
	slippedFrom = 0.05
)

// gapShare is the height of a gap in ms, 0 to 1.
func gapShare(ms float64) float64 { return draw.GapShare(ms, draw.GapMin/4, 0.05) }

// limit returns the sign of what limits a part of a step: shape and color.
func (p *canvas) limit(name string) (rune, themes.Role) {
	switch name {
	case "bandwidth":
		return p.Glyphs.Block, themes.Decode
	case "compute":
		return p.Glyphs.Shade, themes.Prefill
	}
	return p.Glyphs.MidShade, themes.Queue
}

// glass is the workload lens: the chosen one, or all side by side in a lesson
// about them. It judges what the engine measured since the last change, in
// the engine's time. It compares this with the model's predictions.
type glass struct {
	panel lens.Panel
	board lens.Board
	seen  uint64 // version of the figures used; 0 before any
	as    LensAs
	now   slo.LensFigures
	past  slo.LensFigures
}

// LensAs is how a lens is shown.
type LensAs uint8

const (
	LensNone  LensAs = iota
	LensLine         // a row below the figures
	LensTile         // in the place of a panel that says less to a user
	LensBox          // a box in its own row of the screen, as on Live
	LensBoard        // all lenses side by side, as a panel
)

// lensAs is how the lens of v is shown in r. A lesson about lenses shows it
// without a choice, and so does the choice of that panel.
func (s *picture) lensAs(r draw.Rect, v *View) LensAs {
	switch {
	case r.W < compactW || r.H < compactH:
		return LensNone
	case s.shown(v) == Lens:
		return LensBoard
	case v.Look.Lens == "":
		return LensNone
	case r.W >= bigW && r.H >= bigH:
		return LensBox
	case r.H-3-timelineHeight(r.H, v.Explain.Tour.On)-1 >= 2*panelH: // two rows of panels
		return LensTile
	}
	return LensLine
}

// look brings the lens up to date with the figures that are shown.
func (s *picture) look(p *canvas, as LensAs) {
	if as == LensNone {
		return
	}
	l, n := &s.lens, &s.now
	if l.seen != n.version || l.as != as {
		l.seen, l.as = n.version, as
		l.now, l.past = slo.LensOfEngine(&n.view.Figures, n.view.Knobs.Output), slo.LensFigures{}
		// during computation it belongs to the previous knobs
		if !n.view.Busy && (as == LensBox || n.view.Figures.Requests == 0) {
			l.past = slo.LensOfPrediction(&n.view.Present)
		}
	}
	if as == LensBoard {
		l.board.Update(p.v.Look.Task, l.now, l.past, p.Glyphs)
		return
	}
	l.panel.Update(p.v.Look.Lens, p.v.Look.Task, l.now, l.past, p.Glyphs)
}
