package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// SummaryLine is the sentence that stands on the screen for as long as there
// is a load:
//
//	64 users: 4114 tok/s in total, 65 for each; one user alone had 149
//
// The figures are those of v.Live, the last one that of v.Alone. It says so
// where they are not steady yet, estimated, or not known, and never shows a
// number that is none.
func SummaryLine(v *LoadView) string {
	if v == nil || !v.Began.Known() || v.Sent == 0 && !v.Running {
		return "no load yet"
	}
	p := &v.Live
	who := count(p.Users, "user")
	if p.Asked > 0 {
		who = fmt.Sprintf("%s requests/s asked for, %d under way", figure(p.Asked), p.Users)
	}
	var b strings.Builder
	b.WriteString(who + ": ")
	switch {
	case p.Total.OK && p.Speed.OK:
		fmt.Fprintf(&b, "%s tok/s in total, %s for each", figure(p.Total.V), figure(p.Speed.V))
	case p.Total.OK:
		fmt.Fprintf(&b, "%s tok/s in total, for each not known yet", figure(p.Total.V))
	case p.Speed.OK:
		fmt.Fprintf(&b, "%s tok/s for each, in total not known yet", figure(p.Speed.V))
	default:
		b.WriteString("not measured yet")
	}
	if p.Estimated && (p.Total.OK || p.Speed.OK) {
		b.WriteString(" (tokens estimated)")
	}
	if !p.Steady && (p.Total.OK || p.Speed.OK) {
		b.WriteString(", not steady yet")
	}
	switch a := v.Alone; {
	case p.Users == 1 && p.Asked == 0:
	case a != nil && a.Speed.OK:
		b.WriteString("; one user alone had " + figure(a.Speed.V))
	default:
		b.WriteString("; one user alone was not measured")
	}
	return b.String()
}

// figure writes a speed: whole from 10 on, else with the digits that matter.
func figure(v float64) string {
	switch {
	case v >= 9.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v == 0:
		return "0"
	case v >= 0.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
