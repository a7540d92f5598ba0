package explain

import (
	"slices"

	"tokscope/metrics"
	cell "tokscope/ui/draw"
	"tokscope/ui/lens"
)

// plan is where everything goes.
type plan struct {
	compact bool // no boxes: the essentials in rows

	state, knobs, figures cell.Rect
	timeline              cell.Rect
	tour                  cell.Rect // empty when none is on
	lens                  cell.Rect // empty when it is off, or one of the slots
	slots                 []slot
}

// slot is a place for a panel.
type slot struct {
	r     cell.Rect
	panel Panel
}

// Sizes at which the layout changes.
const (
	compactW, compactH = 72, 18  // below one of them: essentials
	tableW             = 115     // from here on: the knobs as a table, words above, positions below
	bigW, bigH         = 110, 44 // from here on: figures in numerals that the last row of a hall can read
	panelW             = 36      // least width of a panel
	panelH             = 10      // least height where there are two rows of panels
	tourW              = 42      // least width of the tour
	tourMost           = 64      // its greatest: longer lines are hard to read
)

// order is the priority of panels where not all fit.
var order = [...]Panel{Step, Roofline, KV, Batch, Client, WhatIf}

// widths are the panels' shares of the width of their row.
var widths = [Panels]int{Step: 47, Roofline: 38, KV: 34, Batch: 39, Client: 35, WhatIf: 45, Seesaw: 44, Lens: 44, Text: 44}

// layout divides r for v. Of v only the size of its tour and the choice of a
// panel and a lens count.
func (s *Screen) layout(r cell.Rect, v *View) plan {
	if r.W < compactW || r.H < compactH {
		s.lensIs = LensNone
		return plan{compact: true}
	}
	p := plan{slots: s.slots[:0]}
	body := r
	p.state, body = body.SplitV(1)
	rows := 2
	if v.Explain.Tour.On && r.H < 30 {
		rows = 1
	}
	p.knobs, body = body.SplitV(rows)
	if r.W >= bigW && r.H >= bigH {
		p.figures, body = body.SplitV(5)
	} else {
		p.figures, body = body.SplitV(1)
	}
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
	p.slots = s.panels(p.slots, body, v)
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
	}
	return min(9+(h-38)/6, 16)
}

// panels divides r into places for panels, in one row or two.
func (s *Screen) panels(slots []slot, r cell.Rect, v *View) []slot {
	cols, rows := min(max(r.W/panelW, 1), 3), 1
	if r.H >= 2*panelH {
		rows = 2
	}
	var chosen [len(order) + 1]Panel
	list := s.choose(chosen[:0], v, cols*rows)
	if rows == 2 && s.lensIs == LensBoard { // all uses side by side need the width
		var part cell.Rect
		part, r = r.SplitV(min((r.H+1)/2, lens.BoardRows))
		slots, rows = append(slots, slot{part, Lens}), 1
		list = without(list, Lens)
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
			slots = append(slots, slot{at, p})
		}
		list = list[n:]
	}
	return slots
}

// choose is the n panels to show: in their order, but the one that was chosen
// or that the lesson is about always among them.
func (s *Screen) choose(list []Panel, v *View, n int) []Panel {
	must := s.shown(v)
	if n >= len(order) && must < Seesaw {
		list = append(list, order[:]...)
		if s.lensIs == LensTile { // in the place of what says the least to a user
			list[slices.Index(list, KV)] = Lens
			if must == KV {
				list[slices.Index(list, Roofline)] = KV
			}
		}
		return list
	}
	if n == 1 {
		return append(list, must)
	}
	// the step, then the one that must be there, then what else there is room for
	list = append(list, Step)
	if must != Step {
		list = append(list, must)
	}
	if s.lensIs == LensTile && len(list) < n {
		list = append(list, Lens)
	}
	for _, p := range [...]Panel{Batch, Client, Roofline, KV, WhatIf} {
		if len(list) < min(n, len(order)) && p != must {
			list = append(list, p)
		}
	}
	return list
}

// without is list without p.
func without(list []Panel, p Panel) []Panel {
	if i := slices.Index(list, p); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// shown is the panel that is there in any case: the chosen one, else the one
// that the lesson is about.
func (s *Screen) shown(v *View) Panel {
	if p := v.Panel % Panels; p != Auto && v.has(p) {
		return p
	}
	if p := v.focus(); p != Auto && v.has(p) {
		return p
	}
	return Batch
}

// hidden reports whether p has something to show and found no room in the last
// frame.
func (s *Screen) hidden(v *View, p Panel) bool {
	if p == Auto || !v.has(p) || p == Text && !s.textCut {
		return false
	}
	for _, at := range s.slots {
		if at.panel == p {
			return false
		}
	}
	return true
}

// turning is where NextPanel shows another one: in the place of the panel that
// must be there; where a lens has taken the cache's, in that of the roofline.
func (s *Screen) turning(v *View) Panel {
	if must := s.shown(v); s.lensIs != LensTile || len(s.slots) < len(order) || must == KV {
		return must
	}
	return Roofline
}

// NextPanel puts one that found no room in the last frame into the place of the
// one that must be there: the next of them (by 1) or the one before (-1). It
// reports whether there is a choice.
func (s *Screen) NextPanel(v *View, by int) bool {
	if !s.switches {
		return false
	}
	p := s.shown(v)
	for range Panels {
		p = Panel((int(p) + int(Panels) + by) % int(Panels))
		if s.hidden(v, p) {
			v.Panel = p
			return true
		}
	}
	return false
}

// Switches reports whether the last frame had no room for all panels.
func (s *Screen) Switches() bool { return s.switches }

// marked reports whether the lesson is about that part.
func marked(v *View, name string) bool {
	t := &v.Explain.Tour
	return t.On && t.Lesson.Focus == name
}

// speaksOf reports whether the lesson tells to turn the knob.
func speaksOf(v *View, k metrics.Knob) bool {
	if t := &v.Explain.Tour; t.On {
		for _, n := range t.Lesson.Knobs {
			if n == k {
				return true
			}
		}
	}
	return false
}
