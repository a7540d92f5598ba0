package say

import (
	"cmp"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
)

// RaceOtherwise writes how a lane was served where that is not what it asked for:
// "served as default in 12 of 13 answers", "answered by llama-3.1-8b"; else "".
func RaceOtherwise(l *racestat.Lane) string {
	served := ""
	if l.Otherwise > 0 {
		last := metrics.Served{Service: l.Served}
		word := "otherwise"
		if was := last.Otherwise(l.Asked); was != (metrics.Service{}) {
			word = "as " + format.Either(was.Tier != "", l.Served.Tier, l.Served.Speed)
		}
		served = "served " + word + " in " + format.Count(l.Otherwise) + " of " +
			format.Plural(l.Answers(), "answer", "answers")
	}
	other := metrics.CompareModels(l.Endpoint.Model, l.Model) == metrics.ModelOther
	return format.Join(", ", format.If(other, "answered by "+l.Model), served)
}

// raceName is the label of a lane, with how it was served where that is not what it
// asked for.
func raceName(l *racestat.Lane) string {
	how := RaceOtherwise(l)
	return l.Label + format.If(how != "", " ("+how+")")
}

// RaceVaried writes which field varies between the lanes, and what their answers say of
// it; "" where targets race.
func RaceVaried(v *racestat.View) string {
	if v.Vary == "" {
		return ""
	}
	if v.Vary == "api" {
		return "the API alone: the same prompt, bound and sampling, as far as each API has them"
	}
	if v.Vary == "transport" {
		return "the way of Responses alone; the handshake of a WebSocket is not in TTFT"
	}
	told := pick.Each(v.Lanes, func(l *racestat.Lane) string { return l.Told(v.Vary) })
	text := v.Vary + " of the request alone"
	answered := func(l *racestat.Lane) bool { return l.Answers() > 0 }
	if pick.First(v.Lanes, answered) == nil {
		return text
	}
	if slices.Max(told) == "" {
		return text + "; the answers do not say whether the server used it"
	}
	for lane, by := range told {
		text += format.Either(lane == 0, "; the answers say ", ", ") + RaceLetter(lane) + " " + cmp.Or(by, format.Unknown)
	}
	return text
}

// RaceHidden writes which lanes have tokens without the thinking that their servers counted;
// "" where all are alike in that.
func RaceHidden(v *racestat.View) (text string) {
	alike := true
	for i, l := range pick.All(v.Lanes) {
		alike = alike && l.Hidden > 0 == (v.Lanes[0].Hidden > 0)
		text = format.Join(", ", text, format.If(l.Hidden > 0,
			RaceLetter(i)+" in "+format.Count(l.Hidden)+" of "+format.Plural(l.Answers(), "answer", "answers")))
	}
	return format.If(!alike, "thinking that was not sent, or as a summary, is left out of tokens and TPOT of "+text+
		", not of the others: compare the total")
}
