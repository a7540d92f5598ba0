package say

import (
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

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
