package report

import (
	"io"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// The legends of the signs of bounds.
const (
	boundsLegend  = format.AtMost + " marks the largest possible value: the gaps inside a read are not known singly"
	waitingLegend = format.AtLeast + " marks a lower bound: it counts requests that still waited, with their wait so far"
)

// printDelay prints what tokscope's lateness affects, and what to do.
func printDelay(w io.Writer, d *metrics.Delay) {
	if text, next := say.Delay(d); text != "" {
		row(w, "late", "%s", text)
		if next != "" {
			row(w, "", "%s", next)
		}
	}
}

// points returns the points of the steps.
func (r *Sweep) points() []loadstat.Point {
	out := make([]loadstat.Point, len(r.Steps))
	for i := range r.Steps {
		out[i] = r.Steps[i].Point
	}
	return out
}

// stamps names who took the stamps of all steps.
func (r *Sweep) stamps() string { return loadstat.StampsOf(r.points(), r.Stamps) }

// quality returns who took the stamps, how late tokscope was, and what that
// affects: lines for text and Markdown.
func (r *Sweep) quality() []fact {
	text := say.Stamps(r.stamps())
	if o := r.Observer; o.N > 0 {
		text += "; " + lateness(&o)
	}
	out := []fact{{"lag", text}}
	worst := loadstat.WorstDelay(r.points())
	uncertain, waiting := false, false
	for i := range r.Steps {
		p := &r.Steps[i].Point
		if text, next := say.Delay(&p.Delay); text != "" && p.Delay == worst {
			out = append(out, fact{"late", "at " + r.Steps[i].Name() + ": " + text}, fact{"", next})
			worst = metrics.Delay{}
		}
		uncertain = uncertain || p.Gaps.Uncertain()
		waiting = waiting || p.FromIntendedAtLeast != (metrics.AtLeast{})
	}
	if uncertain {
		out = append(out, fact{"bounds", boundsLegend})
	}
	if waiting {
		out = append(out, fact{"bounds", waitingLegend})
	}
	return out
}
