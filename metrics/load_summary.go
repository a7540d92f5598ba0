package metrics

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SummaryLine is the sentence that stands on the screen for as long as there
// is a load:
//
//	64 users: 4114 tok/s in total, 65 for each; one user alone had 149
//
// The figures are those of v.Live, the last one that of v.Alone. It says so
// where they are not steady yet, estimated, or not known, and never shows a
// number that is none. While users still have to leave, the figures are called
// those of all that are there; on hold, where they only fall, it shows none.
func LoadSentence(v *View) string {
	return LoadSentenceWithin(v, math.MaxInt)
}

// SummaryWithin is SummaryLine in fewer words where it is longer than width
// characters; as it is when no way of saying it is short enough.
func LoadSentenceWithin(v *View, width int) string {
	if v == nil || !v.Began.Known() || v.Sent == 0 && !v.Running {
		return "no load yet"
	}
	now := present(v)
	long := now + aloneClause(v, "one user alone")
	for _, s := range [...]string{long, now + aloneClause(v, "one alone"), now, shorter.Replace(now)} {
		if utf8.RuneCountInString(s) <= width {
			return s
		}
	}
	return long
}

// shorter leaves out what is said elsewhere where there is very little room:
// which figure is not known yet is seen beside it.
var shorter = strings.NewReplacer(" (tokens estimated)", " (estimated)", ", in total not known yet", "", ", for each not known yet", "")

// present is the part of the sentence about the users there are.
func present(v *View) string {
	p := &v.Live
	who := count(p.Users, "user")
	closed := p.Asked <= 0
	switch {
	case v.Running && v.Holding:
		if !closed {
			who = figure(p.Asked) + " requests/s"
		}
		return fmt.Sprintf("%s on hold, %s under way", who, count(v.InFlight, "request"))
	case !closed:
		who = fmt.Sprintf("%s requests/s asked for, %d under way", figure(p.Asked), p.Users)
	case v.Running && v.Target > 0 && v.Users > v.Target:
		who = fmt.Sprintf("%d users on the way to %d", v.Users, v.Target)
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
		b.WriteString(", not steady")
		if v.Running {
			b.WriteString(" yet")
		}
	}
	return b.String()
}

// aloneClause says what one user alone had; who are the words for them.
func aloneClause(v *View, who string) string {
	p := &v.Live
	if p.Users == 1 && p.Asked == 0 && v.Users <= 1 {
		return ""
	}
	a := v.One()
	switch {
	case a == nil:
		return "; " + who + " was not measured"
	case a == v.Alone:
		return "; " + who + " had " + figure(a.Speed.V)
	}
	return "; " + who + " had " + figure(a.Speed.V) + ", not steady"
}

// One is what one user alone had: Alone, else the last point at one user that
// was not steady; nil when there is none with a speed.
func (v *View) One() *Point {
	if v.Alone != nil && v.Alone.Speed.OK {
		return v.Alone
	}
	for i := len(v.Path) - 1; i >= 0; i-- {
		if a := &v.Path[i]; a.Users == 1 && a.Asked == 0 && a.Speed.OK {
			return a
		}
	}
	return nil
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
