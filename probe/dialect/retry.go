package dialect

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"tokscope/metrics"
)

// refusals lists the fields that a server may refuse and how to continue
// without each, the narrowest first. try returns false if the field was not
// sent or nothing is left to try.
var refusals = []struct {
	fields []string
	code   string
	text   string // "": the first field is refused
	try    func(p *Params) bool
}{
	{[]string{"include_obfuscation"}, "obfuscation_refused", "",
		func(p *Params) bool { return set(&p.NoObfuscation, false) }},
	{[]string{"continuous_usage_stats"}, "continuous_usage_refused",
		"usage on every chunk refused by the server; asked again without it",
		func(p *Params) bool { return set(&p.ContinuousUsage, false) }},
	{[]string{"timings_per_token"}, "timings_refused", "", func(p *Params) bool { return set(&p.Timings, false) }},
	{[]string{"return_progress"}, "progress_refused", "", func(p *Params) bool { return set(&p.Progress, false) }},
	{[]string{"return_token_ids"}, "token_ids_refused", "", func(p *Params) bool { return set(&p.TokenIDs, false) }},
	{[]string{"logprobs"}, "logprobs_refused", "logprobs refused by the server; asked again without them",
		func(p *Params) bool { return set(&p.Logprobs, false) }},
	{[]string{"stream_options", "include_usage"}, "usage_refused",
		"usage refused by the server; asked again without it: token counts are estimates", func(p *Params) bool {
			sent := p.IncludeUsage || p.NoObfuscation
			p.IncludeUsage, p.ContinuousUsage, p.NoObfuscation = false, false, false
			return sent
		}},
	{[]string{"max_tokens", "max_completion_tokens"}, "", "", swapMax},
	{[]string{"temperature"}, "temperature_refused", "the temperature is refused by the server; asked again with its own",
		func(p *Params) bool { return set(&p.NoTemperature, true) }},
	{[]string{"seed"}, "seed_refused", "the seed is refused by the server; asked again without it",
		func(p *Params) bool { return set(&p.NoSeed, true) }},
}

// set sets a field. It returns false if that changes nothing.
func set(field *bool, to bool) bool {
	was := *field
	*field = to
	return was != to
}

// swapMax switches once to the other name of the output bound.
func swapMax(p *Params) bool {
	if p.swapped || p.MaxField == "" {
		return false
	}
	p.swapped = true
	if p.MaxField == "max_tokens" {
		p.MaxField = "max_completion_tokens"
	} else {
		p.MaxField = "max_tokens"
	}
	return true
}

// refusalWords mark a message as the refusal of a field, not of its value.
// "max_tokens is too large" is no reason to rename the field.
var refusalWords = []string{"unsupported", "not support", "unrecognized",
	"unrecognised", "unknown", "unexpected", "extra input", "extra field", "extra_forbidden",
	"not permitted", "not allowed", "forbidden", "deprecated", "not valid", "invalid parameter",
	"additional propert", "use 'max", "use `max", "instead", "only be used",
	"only valid", "not available", "not implemented", "does not exist", "unavailable"}

// Retry reports whether a request refused with status and body is worth
// another try: the server names one of the optional fields as unknown. next
// are the parameters without it, or with the other name of the output's
// bound. note describes the change for a person. Each field is dropped at
// most once, so a loop over Retry ends.
func Retry(p Params, status int, body []byte) (next Params, note metrics.Note, ok bool) {
	note.At = metrics.NoStamp
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
	default:
		return p, note, false
	}
	e := errorOf(body)
	words := e.words()
	if !hold(words, refusalWords...) {
		return p, note, false
	}
	// A field named outside the prose is certainly the refused one.
	for _, where := range []string{e.names, words} {
		for _, r := range refusals {
			if !mentions(where, r.fields) {
				continue
			}
			next = p
			if !r.try(&next) {
				continue
			}
			switch note.Code, note.Text = r.code, r.text; {
			case note.Code == "":
				note.Code = next.MaxField
				note.Text = p.MaxField + " refused by the server; asked again with " + next.MaxField
			case note.Text == "":
				note.Text = r.fields[0] + " refused by the server; asked again without it"
			}
			return next, note, true
		}
	}
	return p, note, false
}

var wordPattern = regexp.MustCompile(`[a-z_]+`)

// mentions reports whether text contains one of the fields as a whole word.
func mentions(text string, fields []string) bool {
	return slices.ContainsFunc(wordPattern.FindAllString(strings.ToLower(text), -1),
		func(word string) bool { return slices.Contains(fields, word) })
}
