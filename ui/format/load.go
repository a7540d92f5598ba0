package format

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"tokscope/metrics/loadstat"
)

// LoadSentence returns the sentence that the screen shows about a load:
//
//	64 users: 65.2 tok/s per user, 4,110 tok/s aggregate; 1 user: 149
//
// The figures are those of v.Live, the last one that of v.Alone. It says so
// where they are not steady yet, estimated, or not known, and never shows a
// number that is none. While users still have to leave, the figures are called
// those of all that are there; on hold, where they only fall, it shows none.
func LoadSentence(v *loadstat.View) string {
	return LoadSentenceWithin(v, math.MaxInt)
}

// LoadSentenceWithin is LoadSentence in fewer words if it is longer than
// width characters. It is LoadSentence itself when no form is short enough.
func LoadSentenceWithin(v *loadstat.View, width int) string {
	if v == nil || !v.Began.Known() || v.Sent == 0 && !v.Running {
		return "no load yet"
	}
	now := present(v)
	brief := strings.Replace(now, "not steady yet", "not steady", 1)
	long := now + aloneClause(v)
	for _, s := range [...]string{long, brief + aloneClause(v), strings.Replace(brief, " tok/s aggregate", " aggregate", 1) + aloneClause(v), now, shorter.Replace(now)} {
		if utf8.RuneCountInString(s) <= width {
			return s
		}
	}
	return long
}

// shorter removes what is shown elsewhere, for very narrow places. The
// unknown figure itself is visible beside the sentence.
var shorter = strings.NewReplacer(" (tokens estimated)", " (estimated)", ", aggregate not known yet", "", ", per user not known yet", "")

// present is the part of the sentence about the present users.
func present(v *loadstat.View) string {
	p := &v.Live
	who := Plural(p.Users, "user", "users")
	closed := p.Asked <= 0
	switch {
	case v.Running && v.Holding:
		if !closed {
			who = Exact(p.Asked) + " requests/s"
		}
		return fmt.Sprintf("%s on hold, %s under way", who, Plural(v.InFlight, "request", "requests"))
	case !closed:
		who = fmt.Sprintf("%s requests/s asked for, %s under way", Exact(p.Asked), Count(p.Users))
	case v.Running && v.Target > 0 && v.Users > v.Target:
		who = fmt.Sprintf("%s users, falling to %s", Count(v.Users), Count(v.Target))
	}
	var b strings.Builder
	b.WriteString(who + ": ")
	switch {
	case p.Total.OK && p.Speed.OK:
		fmt.Fprintf(&b, "%s per user, %s aggregate", Rate(p.Speed.V), Rate(p.Total.V))
	case p.Total.OK:
		fmt.Fprintf(&b, "%s aggregate, per user not known yet", Rate(p.Total.V))
	case p.Speed.OK:
		fmt.Fprintf(&b, "%s per user, aggregate not known yet", Rate(p.Speed.V))
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

// aloneClause writes the speed of one user alone.
func aloneClause(v *loadstat.View) string {
	p := &v.Live
	if p.Users == 1 && p.Asked == 0 && v.Users <= 1 {
		return ""
	}
	a := v.One()
	switch {
	case a == nil:
		return "; 1 user: not measured"
	case a == v.Alone:
		return "; 1 user: " + Number(a.Speed.V)
	}
	return "; 1 user: " + Number(a.Speed.V) + " (settling)"
}
