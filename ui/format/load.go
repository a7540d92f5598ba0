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
	if queue, waits := queueClause(v); queue+waits != "" {
		rest := now[strings.Index(now, ": ")+2:]
		short, _, _ := strings.Cut(waits, ":")
		for _, s := range [...]string{queue + waits + "; " + rest, queue + waits, queue + short, queue} {
			if utf8.RuneCountInString(s) <= width {
				return s
			}
		}
		return queue
	}
	brief := strings.Replace(now, "not steady yet", "not steady", 1)
	long := now + aloneClause(v)
	bare := strings.Replace(brief, " tok/s aggregate", " aggregate", 1)
	forms := []string{long, brief + aloneClause(v), bare + aloneClause(v), now, shorter.Replace(now)}
	if v.Live.Asked > 0 || v.Live.Ramp != nil {
		forms = append(forms, brief, bare, strings.Replace(bare, " asked for", " asked", 1))
	}
	if v.Live.Ramp != nil { // never steady
		forms = append(forms, strings.TrimSuffix(bare, ", not steady"))
	}
	for _, s := range forms {
		if utf8.RuneCountInString(s) <= width {
			return s
		}
	}
	return long
}

// queueClause says of a running open loop that its queue grows, or that
// arrivals wait because all users are busy; "" where neither is so.
//
//	12.0 req/s arrive, 8.40 end: the queue grows by 3.60 a second
//	; 37 wait: all 16 users are busy
//
// Before a request of this rate has ended it says what is under way:
//
//	60.0 req/s arrive, 1.20 end so far: 765 under way
func queueClause(v *loadstat.View) (queue, waiting string) {
	p := &v.Live
	more, grows := p.Growth()
	waits := v.Running && v.Backlog > 0
	early := v.Running && p.Outrun()
	if p.Asked <= 0 || v.Holding || !p.Arrived.OK || !grows && !waits && !early {
		return "", ""
	}
	s := Number(p.Arrived.V) + " req/s arrive, "
	switch done := p.EndRate(); {
	case early && p.Requests+p.Failed == 0:
		s += "none has ended yet"
	case early:
		s += Known(done, Number) + " end so far"
	default:
		s += Known(done, Number) + " end"
	}
	if grows {
		s += ": the queue grows by " + Number(more) + " a second"
	}
	if early {
		s += ": " + Count(v.InFlight) + " under way"
	}
	if waits {
		waiting = "; " + Count(v.Backlog) + " wait: all " + Count(v.Users) + " users are busy"
	}
	return s, waiting
}

// shorter removes what is shown elsewhere, for very narrow places. The
// unknown figure itself is visible beside the sentence.
var shorter = strings.NewReplacer(" (tokens estimated)", " (estimated)", ", aggregate not known yet", "", ", per user not known yet", "")

// rampEnds is the load at the begin and the end of a point: "14.5–16".
func rampEnds(r *loadstat.Ramp) string {
	if r.From == r.To {
		return Asked(r.From)
	}
	return Asked(r.From) + "–" + Asked(r.To)
}

// Slice writes the load of a slice of a ramp: "14.5–16 users", "1–1.50
// requests/s". open: it is a rate.
func Slice(r *loadstat.Ramp, open bool) string {
	if open {
		return rampEnds(r) + " requests/s"
	}
	return rampEnds(r) + " users"
}

// present is the part of the sentence about the present users.
func present(v *loadstat.View) string {
	p := &v.Live
	who := Plural(p.Users, "user", "users")
	closed := p.Asked <= 0
	under := p.Users // the mean of a point
	if v.Running {
		under = v.InFlight // as the panel beside it counts
	}
	switch {
	case v.Running && v.Holding:
		if !closed {
			who = Exact(p.Asked) + " req/s"
		}
		return fmt.Sprintf("%s on hold, %s under way", who, Plural(v.InFlight, "request", "requests"))
	case p.Ramp != nil && closed && !v.Running:
		who = rampEnds(p.Ramp) + " users on a ramp"
	case p.Ramp != nil && closed:
		who = fmt.Sprintf("%s on a ramp", who)
	case p.Ramp != nil && !v.Running:
		who = fmt.Sprintf("%s req/s on a ramp, %s under way", rampEnds(p.Ramp), Count(under))
	case p.Ramp != nil:
		who = fmt.Sprintf("%s req/s on a ramp, %s under way", Number(p.Asked), Count(under))
	case !closed:
		who = fmt.Sprintf("%s req/s asked for, %s under way", Exact(p.Asked), Count(under))
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
		if v.Running && p.Ramp == nil {
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

// LoadCut says which requests a cut of v ends: all of a stopping load, else those
// of the leaving users.
func LoadCut(v *loadstat.View) string {
	n, of := v.InFlight, ""
	if !v.Ending {
		n, of = 0, " of leaving users"
		for i := range v.Lanes {
			if v.Lanes[i].Leaving {
				n++
			}
		}
	}
	switch {
	case n == 0:
		return "no request was under way"
	case n == 1 && !v.Ending:
		return "1 request of a leaving user was cut"
	case n == 1:
		return "1 request was cut"
	}
	return Count(n) + " requests" + of + " were cut"
}
