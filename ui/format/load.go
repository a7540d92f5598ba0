package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics/loadstat"
)

// LoadSentence returns the sentence that the screen shows about a load:
//
//	64 users: 65.2 tok/s per user, 4,110 tok/s aggregate; 1 user: 149
//
// The figures are those of v.Live, the last one that of v.Alone. It says so
// where they are not steady yet, estimated, or not known, and never shows a
// number that is none. While users join or leave it has their present and their
// future number. The aggregate belongs to the window, in which another number may
// have run; see meanClause. On hold, where figures only fall, it shows none.
// Of a stopping load it first says what is left of it, see stoppingClause. It
// writes of an open loop that stops or has ended in the past tense.
func LoadSentence(v *loadstat.View) string {
	return LoadSentenceWithin(v, math.MaxInt)
}

// LoadSentenceWithin is LoadSentence in fewer words if it is longer than
// width characters. Where no form is short enough it is LoadSentence itself, or
// the shortest form on a queue or a stopping load.
func LoadSentenceWithin(v *loadstat.View, width int) string {
	if v == nil || !v.Began.Known() || v.Sent == 0 && !v.Running {
		return "no load yet"
	}
	if v.Running && v.Ending {
		stops, was := stoppingClause(v), *v
		was.Running, was.Sent = false, max(v.Sent, 1)
		forms, _ := loadForms(&was)
		for _, s := range forms {
			if s = stops + "; " + s; ansi.StringWidth(s) <= width {
				return s
			}
		}
		return stops
	}
	forms, rest := loadForms(v)
	for _, s := range forms {
		if ansi.StringWidth(s) <= width {
			return s
		}
	}
	return rest
}

// stoppingClause says of a stopping load how many requests are left: as the panel
// counts them, where the server reports its queue.
//
//	no more requests arrive: 36 running, 961 waiting
//	no more requests start: 12 under way
func stoppingClause(v *loadstat.View) string {
	s := "no more requests start: "
	if v.Live.Asked > 0 {
		s = "no more requests arrive: "
	}
	if waiting := int(v.Waiting.V); v.Waiting.OK && waiting > 0 {
		return s + Count(max(v.InFlight-waiting, 0)) + " running, " + Count(waiting) + " waiting"
	}
	return s + Count(v.InFlight) + " under way"
}

// loadForms returns the forms of the sentence on a load that has begun and is not
// stopping, longest first, and the one where none fits.
func loadForms(v *loadstat.View) (forms []string, rest string) {
	now := present(v)
	if queue, waits := queueClause(v); queue+waits != "" {
		figures := now[strings.Index(now, ": ")+2:]
		short, _, _ := strings.Cut(waits, ":")
		return []string{queue + waits + "; " + figures, queue + waits, queue + short, queue}, queue
	}
	if queue, short := queueWas(v); queue != "" {
		if failed, _ := allFailed(v); failed != "" || v.Live.Total.OK || v.Live.Speed.OK {
			forms = append(forms, queue+"; "+now[strings.Index(now, ": ")+2:])
		}
		return append(forms, queue, short), short
	}
	if short, last := allFailed(v); short != "" { // there is nothing to compare with one user
		return []string{now, strings.TrimSuffix(now, last)}, now
	}
	brief := strings.Replace(now, "not steady yet", "not steady", 1)
	long := now + aloneClause(v)
	bare := strings.Replace(brief, " tok/s aggregate", " aggregate", 1)
	forms = []string{long, brief + aloneClause(v), bare + aloneClause(v), now, shorter.Replace(now)}
	mean := meanClause(v)
	if v.Live.Asked > 0 || v.Live.Ramp != nil || mean != "" {
		forms = append(forms, brief, bare, strings.Replace(bare, " asked for", " asked", 1))
	}
	if mean != "" {
		forms = append(forms, strings.Replace(bare, " running on average", " on average", 1))
		if v.Live.Asked > 0 { // the sentence has no other count
			bare = strings.Replace(bare, mean, "", 1)
		} else if _, with, ok := strings.Cut(bare, " per user, "); ok { // no aggregate without what it belongs to
			with = with[strings.Index(with, mean)+len(mean):]
			bare, _, _ = strings.Cut(bare, " per user, ")
			bare += " per user" + with
		}
		forms = append(forms, bare)
	}
	if v.Live.Ramp != nil { // never steady
		forms = append(forms, strings.TrimSuffix(bare, ", not steady"))
	}
	return forms, long
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
	waits := v.Backlog > 0
	early := p.Outrun()
	if !v.Running || p.Asked <= 0 || v.Holding || !p.Arrived.OK || !grows && !waits && !early {
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

// queueWas is queueClause of an open loop that has ended, and a shorter form.
//
//	at 40 req/s: 4.62 ended a second while 40.0 arrived; the queue grew by 35.4 a second
//	at 40 req/s: 4.62 ended a second; the queue grew by 35.4 a second
//
// Where no request of this rate had ended, it says nothing of a queue.
func queueWas(v *loadstat.View) (long, short string) {
	p := &v.Live
	more, grows := p.Growth()
	if v.Running || p.Asked <= 0 || !p.Arrived.OK || !grows && !p.Outrun() {
		return "", ""
	}
	long = openName(p) + ": "
	if p.Requests+p.Failed == 0 {
		long += "none had ended"
		return long + " while " + Number(p.Arrived.V) + " a second arrived", long
	}
	long += Known(p.EndRate(), Number) + " ended a second"
	long, short = long+" while "+Number(p.Arrived.V)+" arrived", long
	if grows {
		grew := "; the queue grew by " + Number(more) + " a second"
		return long + grew, short + grew
	}
	return long, short
}

// openName names the rate of a point of an open loop that has ended: "at 40 req/s".
func openName(p *loadstat.Point) string {
	if p.Ramp != nil {
		return "at " + rampEnds(p.Ramp) + " req/s on a ramp"
	}
	return "at " + Exact(p.Asked) + " req/s"
}

// shorter removes what is shown elsewhere, for very narrow places. The
// unknown figure itself is visible beside the sentence.
var shorter = strings.NewReplacer(" (tokens estimated)", " (estimated)", ", aggregate not known yet",
	"", ", per user not known yet", "", ", aggregate not known", "", ", per user not known", "")

// rampEnds is the load at the begin and the end of a point: "14.5–16".
func rampEnds(r *loadstat.Ramp) string {
	return Span(r.From, r.To, Asked)
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
	case !closed && !v.Running:
		who = openName(p)
	case p.Ramp != nil:
		who = Number(p.Asked) + " req/s on a ramp"
	case !closed:
		who = Exact(p.Asked) + " req/s asked for"
	case falling(v):
		who = fmt.Sprintf("%s users, falling to %s", Count(v.Users), Count(v.Target))
	case rising(v):
		who = fmt.Sprintf("%s, rising to %s", Plural(v.Started(), "user", "users"), Count(v.Target))
	}
	mean := meanClause(v)
	if !closed && v.Running && mean == "" {
		who += ", " + Count(v.InFlight) + " under way" // as the panel beside it counts
	}
	if failed, last := allFailed(v); failed != "" {
		return who + ": " + failed + last
	}
	yet := ""
	if v.Running {
		yet = " yet"
	}
	var b strings.Builder
	b.WriteString(who + ": ")
	switch {
	case p.Total.OK && p.Speed.OK:
		fmt.Fprintf(&b, "%s per user, %s aggregate%s", Rate(p.Speed.V), Rate(p.Total.V), mean)
	case p.Total.OK:
		fmt.Fprintf(&b, "%s aggregate%s, per user not known%s", Rate(p.Total.V), mean, yet)
	case p.Speed.OK:
		fmt.Fprintf(&b, "%s per user, aggregate not known%s", Rate(p.Speed.V), yet)
	default:
		b.WriteString("not measured" + yet)
	}
	if p.Estimated && (p.Total.OK || p.Speed.OK) {
		b.WriteString(" (tokens estimated)")
	}
	if !p.Steady && (p.Total.OK || p.Speed.OK) {
		b.WriteString(", not steady")
		if p.Ramp == nil {
			b.WriteString(yet)
		}
	}
	return b.String()
}

// falling and rising report whether the users of a closed loop are more than
// requested, or fewer have sent a request. The users of a ramp are neither.
func falling(v *loadstat.View) bool {
	return v.Running && v.Live.Asked <= 0 && v.Live.Ramp == nil && v.Target > 0 && v.Users > v.Target
}

func rising(v *loadstat.View) bool {
	return v.Running && v.Live.Asked <= 0 && v.Live.Ramp == nil && v.Started() < v.Target
}

// meanFarOff is the part of the users by which the mean number of running requests
// differs where the sentence has both.
const meanFarOff = 0.2

// meanClause says how many requests ran in the window on average, for the aggregate
// belongs to these. It is "" where the number of users says it: in a closed loop that
// does not change, with about as many running. It is "" without an aggregate too.
//
//	" with 9.81 running on average"
func meanClause(v *loadstat.View) string {
	p := &v.Live
	users := float64(p.Users)
	if !p.Running.OK || !p.Total.OK || p.Asked <= 0 && !falling(v) &&
		!rising(v) && math.Abs(p.Running.V-users) <= meanFarOff*users {
		return ""
	}
	return " with " + Number(p.Running.V) + " running on average"
}

// allFailed says of a load without a token in its window that every request failed,
// and apart from that how the last one did; "" where one ended well, or none
// failed. Where requests ended well before the window, it counts those of the
// window.
//
//	all 7 requests failed
//	, the last with HTTP 429
func allFailed(v *loadstat.View) (failed, last string) {
	p := &v.Live
	if p.Speed.OK || p.Total.V > 0 {
		return "", ""
	}
	switch {
	case v.Done == 0 && v.Failed == 1 && v.Sent == 1:
		failed = "the request failed"
	case v.Done == 0 && v.Failed > 0 && v.Failed == v.Sent:
		failed = "all " + Count(v.Failed) + " requests failed"
	case v.Done == 0 && v.Failed > 0:
		failed = Count(v.Failed) + " of " + Plural(v.Sent, "request", "requests") + " failed, none ended well"
	case p.Requests == 0 && p.Failed > 0:
		failed = Plural(p.Failed, "request", "requests") + " of the window failed, none ended well"
	default:
		return "", ""
	}
	which := ", the last"
	if v.Sent == 1 {
		which = ""
	}
	switch f := v.LastFault; {
	case f == nil:
	case f.Status != 0:
		last = which + " with HTTP " + strconv.Itoa(f.Status)
	default:
		last = which + ": " + faultWords(f)
	}
	return failed, last
}

// aloneClause writes the speed of one user alone.
func aloneClause(v *loadstat.View) string {
	p := &v.Live
	if p.Users == 1 && p.Asked == 0 && v.Users <= 1 {
		return ""
	}
	a := v.One()
	switch {
	case a == nil && p.Asked > 0: // a rate, not users, was asked for
		return ""
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
