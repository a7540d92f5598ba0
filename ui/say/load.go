package say

import (
	"math"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
)

// Load returns the sentence that the screen shows about a load:
//
//	64 users: 65.2 tok/s per user, 4,110 tok/s aggregate; 1 user: 149
//
// What more users changed stands before it in the place of that of one user, as soon as it
// shows, see insight.
// Failures of the whole load go first, see Failed; where no request ended well, nothing
// else is said. The figures are those of v.Live, the last one that of v.Alone. It says so
// where they are not steady yet, estimated, or not known, and never shows a
// number that is none. While users join or leave it has their present and their
// future number. The aggregate belongs to the window, in which another number may
// have run; see meanRunning. On hold, where figures only fall, it shows none.
// Of a stopping load it first says what is left of it, see stoppingClause. It
// writes of an open loop that stops or has ended in the past tense.
func Load(v *loadstat.View) Sentence {
	if v == nil || !v.Began.Known() || v.Sent == 0 && !v.Running {
		return Sentence{{Text: "no load yet"}}
	}
	failed, p := Failed(v.Failed, v.Done+v.Failed, v.Faults), &v.Live
	switch {
	case failed == nil:
		return loadNow(v)
	case v.Done == 0 && !p.Speed.OK && !(p.Total.V > 0) && p.Asked <= 0 && !v.Ending:
		return failed
	}
	return failed.then("; ", loadNow(v).after(2))
}

// loadNow is what the load does and what is measured of it.
func loadNow(v *loadstat.View) Sentence {
	if v.Running && v.Ending {
		was := *v
		was.Running = false
		return Sentence{{Text: stoppingClause(v)}}.then("; ", loadNow(&was).after(1))
	}
	if silent := silence(v); silent != "" {
		return Sentence{{Text: silent}}
	}
	if queue := queueGrows(v); queue != nil {
		return queue.then("; ", loadFigures(v).after(3))
	}
	if queue := queueGrew(v); queue != nil {
		if v.Live.Total.V > 0 || v.Live.Speed.OK {
			queue = queue.then("; ", loadFigures(v).after(2))
		}
		return queue
	}
	if said := insight(v); said != nil {
		return said.then("; ", append(speeds(&v.Live), estimated(&v.Live)).after(len(said)))
	}
	s := Sentence{{Text: loadWho(v)}}
	if !v.Running || !v.Holding {
		s = s.then(": ", loadFigures(v))
	}
	if waits := longWaits(v); waits != nil {
		return waits.then("; ", s.after(2))
	}
	return append(s, Clause{Text: aloneClause(v), Rank: 3})
}

// stoppingClause says of a stopping load how many requests are left: as the panel
// counts them, where the server reports its queue.
//
//	no more requests arrive: 36 running, 961 waiting
//	no more requests start: 12 under way
func stoppingClause(v *loadstat.View) string {
	s := format.Either(v.Live.Asked > 0, "no more requests arrive: ", "no more requests start: ")
	if waiting := int(v.Waiting.V); v.Waiting.OK && waiting > 0 {
		return s + format.Count(max(v.InFlight-waiting, 0)) + " running, " + format.Count(waiting) + " waiting"
	}
	return s + format.Count(v.InFlight) + " under way"
}

// queueGrows says of a running open loop that its queue grows, or that arrivals
// wait because all users are busy; nil where neither is so.
//
//	12.0 req/s arrive, 8.40 end: the queue grows by 3.60 a second
//	12.0 req/s arrive, 12.0 end; 37 wait: all 16 users are busy
//
// Before a request of this rate has ended it says what is under way:
//
//	60.0 req/s arrive, 1.20 end so far: 765 under way
func queueGrows(v *loadstat.View) Sentence {
	p := &v.Live
	more, grows, early := p.Growth()
	if !v.Running || p.Asked <= 0 || v.Holding || !p.Arrived.OK || !grows && v.Backlog <= 0 && !early {
		return nil
	}
	s := format.Number(p.Arrived.V) + " req/s arrive, "
	switch done := p.EndRate(); {
	case early && p.Requests+p.Failed == 0:
		s += "none has ended yet"
	case early:
		s += format.Known(done, format.Number) + " end so far"
	default:
		s += format.Known(done, format.Number) + " end"
	}
	s += format.If(grows, ": the queue grows by "+format.Number(more)+" a second") +
		format.If(early, ": "+format.Count(v.InFlight)+" under way")
	wait := v.Backlog > 0
	return Sentence{{Text: s}, {Text: format.If(wait, "; "+format.Count(v.Backlog)+" wait"), Rank: 1},
		{Text: format.If(wait, ": all "+format.Count(v.Users)+" users are busy"), Rank: 2}}
}

// queueGrew is queueGrows of an open loop that has ended:
//
//	at 40 req/s: 4.62 ended a second while 40.0 arrived; the queue grew by 35.4 a second
//
// Where no request of this rate had ended, it says nothing of a queue.
func queueGrew(v *loadstat.View) Sentence {
	p := &v.Live
	more, grows, early := p.Growth()
	switch {
	case v.Running || p.Asked <= 0 || !p.Arrived.OK || !grows && !early:
		return nil
	case p.Requests+p.Failed == 0:
		return Sentence{{Text: openName(p) + ": none had ended while " + format.Number(p.Arrived.V) + " a second arrived"}}
	}
	return Sentence{{Text: openName(p) + ": " + format.Known(p.EndRate(), format.Number) + " ended a second"},
		{Text: " while " + format.Number(p.Arrived.V) + " arrived", Rank: 1},
		{Text: format.If(grows, "; the queue grew by "+format.Number(more)+" a second")}}
}

// openName names the rate of a point of an open loop that has ended: "at 40 req/s".
func openName(p *loadstat.Point) string {
	if p.Ramp != nil {
		return "at " + rampEnds(p.Ramp) + " req/s on a ramp"
	}
	return "at " + format.Exact(p.Asked) + " req/s"
}

// rampEnds is the load at the begin and the end of a point: "14.5–16".
func rampEnds(r *loadstat.Ramp) string {
	return format.Span(r.From, r.To, format.Asked)
}

// Slice writes the load of a slice of a ramp: "14.5–16 users", "1–1.50
// requests/s". open: it is a rate.
func Slice(r *loadstat.Ramp, open bool) string {
	return rampEnds(r) + format.Either(open, " requests/s", " users")
}

// loadWho names the present users, or the rate that was asked for.
func loadWho(v *loadstat.View) string {
	p := &v.Live
	who := format.Plural(p.Users, "user", "users")
	closed := p.Asked <= 0
	switch {
	case v.Running && v.Holding:
		if !closed {
			who = format.Exact(p.Asked) + " req/s"
		}
		return who + " on hold, " + format.Plural(v.InFlight, "request", "requests") + " under way"
	case p.Ramp != nil && closed && !v.Running:
		who = rampEnds(p.Ramp) + " users on a ramp"
	case p.Ramp != nil && closed:
		who += " on a ramp"
	case !closed && !v.Running:
		who = openName(p)
	case p.Ramp != nil:
		who = format.Number(p.Asked) + " req/s on a ramp"
	case !closed:
		who = format.Exact(p.Asked) + " req/s asked for"
	case falling(v):
		who = format.Count(v.Users) + " users, falling to " + format.Count(v.Target)
	case rising(v):
		who = format.Plural(v.Started(), "user", "users") + ", rising to " + format.Count(v.Target)
	}
	if !closed && v.Running && meanRunning(v) == "" {
		who += ", " + format.Count(v.InFlight) + " under way" // as the panel beside it counts
	}
	return who
}

// loadFigures is what is measured of the present users. An unknown figure goes first,
// for it is visible beside the sentence. The aggregate of users goes with the number that
// it belongs to.
func loadFigures(v *loadstat.View) Sentence {
	p := &v.Live
	yet := format.If(v.Running, " yet")
	var s Sentence
	switch {
	case !p.Speed.OK && !(p.Total.V > 0) && p.Requests == 0 && p.Failed > 0:
		return Sentence{{Text: "none of " + format.Count(p.Failed) + " in this window ended well"}}
	case !p.Total.OK && !p.Speed.OK:
		return Sentence{{Text: "not measured" + yet}}
	case !p.Total.OK:
		s = Sentence{{Text: format.Rate(p.Speed.V) + " per user"}, {Text: ", aggregate not known" + yet, Rank: 4}}
	case !p.Speed.OK:
		why := format.Either(p.Speed.Why == metrics.WhyAtOnce, "answers came all at once", "per user not known"+yet)
		s = Sentence{{Text: format.Rate(p.Total.V) + " aggregate"}, {Text: ", " + why, Rank: 4}}
	default:
		s = speeds(p)
		if mean := meanRunning(v); mean != "" {
			s = append(s, Clause{Text: " with " + mean + " running on average", Brief: " with " + mean + " on average",
				Rank: format.Either(p.Asked > 0, 2, 1)}) // with a rate the aggregate is that of the rate
		}
	}
	return append(s, estimated(p), Clause{Text: format.If(!p.Steady, ", not steady")})
}

// longWaits says that at least half of the running requests have no token for twice as
// long as one user waited, and longer than a second; nil otherwise. TTFT has none of them
// before their first token:
//
//	7 of 8 requests have no token yet, the longest for 20 s; 1 user waited 1.76 s
func longWaits(v *loadstat.View) Sentence {
	one := v.One()
	if !v.Running || v.Holding || one == nil || !one.TTFT.P50.OK {
		return nil
	}
	n, longest := 0, 0.0
	for i := range v.Lanes {
		switch l := &v.Lanes[i]; l.State {
		case loadstat.LaneNoToken, loadstat.LaneWaiting, loadstat.LanePrefill:
			if wait, ok := v.Now.Sub(l.Since); ok && wait.Seconds() > max(1, 2*one.TTFT.P50.V/1000) {
				n, longest = n+1, max(longest, wait.Seconds())
			}
		}
	}
	if n == 0 || 2*n < v.InFlight {
		return nil
	}
	of := format.Plural(v.InFlight, "request", "requests")
	return Sentence{{Text: format.Count(n) + " of " + of + " have no token yet"},
		{Text: ", the longest for " + string(format.AppendElapsed(nil, math.Floor(longest)))},
		{Text: "; 1 user waited " + format.Ms(one.TTFT.P50.V), Rank: 1}}
}

// silence says that no request of the load has had a token, or a byte, for a second and
// more; "" otherwise:
//
//	0 of 4 requests got a byte in 11 s
func silence(v *loadstat.View) string {
	since, ok := v.Now.Sub(v.Began)
	if !ok || since < time.Second || v.Chunks > 0 || v.Sent == 0 || v.Done > 0 || v.Live.Total.V > 0 {
		return ""
	}
	return "0 of " + format.Plural(v.Sent, "request", "requests") + " got a " +
		format.Either(v.Heard > 0, "token", "byte") + " in " + string(format.AppendElapsed(nil, math.Floor(since.Seconds())))
}

// speeds are both speeds, which are known.
func speeds(p *loadstat.Point) Sentence {
	return Sentence{{Text: format.Rate(p.Speed.V) + " per user"},
		{Text: ", " + format.Rate(p.Total.V) + " aggregate", Brief: ", " + format.Number(p.Total.V) + " aggregate", Rank: 1}}
}

// estimated marks speeds whose tokens the server did not count.
func estimated(p *loadstat.Point) Clause {
	return Clause{Text: format.If(p.Estimated, " (tokens estimated)"), Brief: format.If(p.Estimated, " (estimated)")}
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

// meanRunning is how many requests ran in the window on average, for the aggregate
// belongs to these. It is "" where the number of users says it: in a closed loop that
// does not change, with about as many running. It is "" without an aggregate too.
func meanRunning(v *loadstat.View) string {
	p := &v.Live
	users := float64(p.Users)
	if !p.Running.OK || !p.Total.OK || p.Asked <= 0 && !falling(v) &&
		!rising(v) && math.Abs(p.Running.V-users) <= meanFarOff*users {
		return ""
	}
	return format.Number(p.Running.V)
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
		return "; 1 user: " + format.Number(a.Speed.V)
	}
	return "; 1 user: " + format.Number(a.Speed.V) + " (settling)"
}

// LoadCut says which requests a cut of v ends: all of a stopping load, else those
// of the leaving users.
func LoadCut(v *loadstat.View) string {
	n, of := v.InFlight, ""
	if !v.Ending {
		n = pick.Count(v.Lanes, func(l *loadstat.Lane) bool { return l.Leaving })
		of = format.Either(n == 1, " of a leaving user", " of leaving users")
	}
	cut := format.Plural(n, "request", "requests") + of + format.Either(n == 1, " was", " were") + " cut"
	return format.Either(n == 0, "no request was under way", cut)
}

// Breaks writes what loadstat.Meeting says is missed, for a mark in a chart: "ttft
// breaks", "too many fail".
func Breaks(name string) string {
	return format.Either(name == loadstat.Failures, "too many fail", name+" breaks")
}

// BreaksFirst is Breaks in a sentence that ends with the load: "ttft breaks first",
// "too many requests fail".
func BreaksFirst(name string) string {
	return format.Either(name == loadstat.Failures, "too many requests fail", name+" breaks first")
}

// Unsteady writes the reason why a window is not steady: "5 requests
// measured, 8 needed". It is "" for a steady window. An unknown code is written as it
// is.
func Unsteady(u loadstat.Unsteady) string {
	n, of := u.N, u.Of
	switch u.Code {
	case loadstat.UnsteadyNoUser:
		return "no user"
	case loadstat.UnsteadyLeaving:
		return format.Plural(int(n), "user", "users") + " still leaving"
	case loadstat.UnsteadyBefore:
		return format.Plural(int(n), "request", "requests") + " from before the change still running"
	case loadstat.UnsteadyCold:
		return format.Plural(int(n), "user", "users") + " of " + format.Whole(of) + " without a first chunk yet"
	case loadstat.UnsteadyNoneEnded:
		return "no request sent at this rate has ended yet"
	case loadstat.UnsteadyShort:
		return "measuring " + format.PartOf(n, of, withDecimals(1))
	case loadstat.UnsteadyFew:
		return format.Plural(int(n), "request", "requests") + " measured, " + format.Whole(of) + " needed"
	case loadstat.UnsteadyNoTokens:
		return "no tokens in the window"
	case loadstat.UnsteadyThroughput:
		return "throughput still drifting: " + format.Change(n) + " between halves of the window"
	case loadstat.UnsteadyTTFT:
		return "TTFT still drifting: " + format.If(n > 0, "+") + format.Whole(n) + " ms between halves of the window"
	case loadstat.UnsteadyQueue:
		return "requests pile up: " + format.Whole(n) + " under way, " + format.Whole(of) + " before"
	case loadstat.UnsteadyHold:
		return "on hold"
	case loadstat.UnsteadyRamp:
		return "the load changes: a ramp is never steady"
	case loadstat.UnsteadyShards:
		return format.Whole(n) + " of " + format.Whole(of) + " shards measured nothing"
	}
	return string(u.Code)
}

// Answers says what is unusual of the answers of p: how many have no pace, and how many
// waited for an end marker.
func Answers(p *loadstat.Point) []string {
	of := " of " + format.Plural(p.TTFT.N, "answer", "answers")
	return format.Written(
		format.If(p.AtOnce > 0, format.Count(p.AtOnce)+of+
			" came all at once: left out of per-user speed, TPOT and gaps"),
		format.If(p.LeftOpen > 0, format.Count(p.LeftOpen)+of+" had no end marker and left the connection open: "+
			"each then waited in silence, so the aggregate is too low"))
}

// courses says what a curve does.
var courses = map[loadstat.Course]string{
	loadstat.Falls: " falls", loadstat.Rises: " rises", loadstat.Stays: " stays",
}

// LoadTitle says what the curves of a load over its users do, or what they are where that
// is not certain:
//
//	per-user falls, aggregate rises
//	more users add nothing: requests queue, TTFT 124 ms → 4.71 s
//	speed over users
func LoadTitle(v *loadstat.View) Sentence {
	t, ok := v.Trend()
	each, all := courses[t.Speed], courses[t.Total]
	switch {
	case !ok || each == "" && all == "":
		return Sentence{{Text: "speed over users"}}
	case t.Full != nil:
		head := format.Either(t.Full == t.From, "more users", "more than "+format.Plural(t.Full.Users, "user", "users"))
		return append(Sentence{{Text: head + " add nothing"}}, queueing(&t, ": ")...)
	case each == all:
		return Sentence{{Text: "per-user and aggregate" + each[:len(each)-1]}}
	}
	each, all = format.If(each != "", "per-user"+each), format.If(all != "", "aggregate"+all)
	return Sentence{{Text: format.Join(", ", each, all)}}
}

// queueing says behind joint that requests wait for their first token; nil where they do
// not.
func queueing(t *loadstat.Trend, joint string) Sentence {
	if !t.Queues {
		return nil
	}
	return Sentence{{Text: joint + "requests queue", Rank: 1}, {Text: ", TTFT " +
		format.Ms(t.Full.TTFT.P50.V) + " → " + format.Ms(t.To.TTFT.P50.V), Rank: 2}}
}

// insight says what the present users changed against fewer of them; nil where the curves
// do not show it. What is suspected, for its window is not steady, is said as such with
// the evidence:
//
//	from 1 to 64 users: 25x the tokens, 2.6x slower per user, TTFT +35 ms
//	from 1 to 8 users: no more tokens, requests queue, TTFT 124 ms → 4.71 s
//	from 1 to 64 users: 24x the tokens; not certain yet: 5 requests measured, 64 needed
func insight(v *loadstat.View) Sentence {
	t, ok := v.Suspect()
	if !ok {
		if t, ok = v.Trend(); !ok || t.To.Users != v.Live.Users || v.Holding || falling(v) || rising(v) {
			return nil
		}
	}
	var said Sentence
	add := func(text string) {
		said = append(said, Clause{Text: format.If(len(said) > 0, ", ") + text, Rank: len(said)})
	}
	tokens := t.To.Total.V / t.From.Total.V
	switch t.Total {
	case loadstat.Rises, loadstat.Falls:
		add(format.Times(tokens, 0, tokens) + " the tokens")
	case loadstat.Stays:
		add("no more tokens")
	}
	switch slower := t.From.Speed.V / t.To.Speed.V; t.Speed {
	case loadstat.Falls:
		add(format.Times(slower, 0, slower) + " slower per user")
	case loadstat.Rises:
		add(format.Times(1/slower, 0, 1/slower) + " faster per user")
	case loadstat.Stays:
		add("as fast per user")
	}
	switch more := t.To.TTFT.P50.V - t.From.TTFT.P50.V; {
	case t.Queues && t.Full == t.From:
		said = append(said, queueing(&t, format.If(len(said) > 0, ", "))...)
	case t.TTFT == loadstat.Rises:
		add("TTFT +" + format.Ms(more))
	case t.TTFT == loadstat.Falls:
		add("TTFT −" + format.Ms(-more))
	}
	if len(said) == 0 {
		return nil
	}
	said[0].Text = "from " + format.Count(t.From.Users) + " to " + format.Plural(t.To.Users, "user", "users") +
		": " + said[0].Text
	if why := Unsteady(t.To.Why); t.Suspected {
		said = append(said, Clause{Text: "; not certain yet"}, Clause{Text: format.If(why != "", ": "+why), Rank: len(said)})
	}
	return said
}
