package handover

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// guidellm is GuideLLM, which takes all steps of a kind in one profile.
var guidellm = tool{
	name: "GuideLLM", checked: "0.8.1", indent: "  ",
	slos:  map[string]string{"ttft": "ttft_ms", "tpot": "tpot_ms", "total": "e2el_ms"},
	exact: func(l *line) bool { return len(l.Input.Choices) == 0 || !l.Input.Varies() },
	command: func(l *line) string {
		slos, _ := l.limits("%q:%s", ",")
		profile, steps, data := "kind=concurrent", "streams", "kind=text_file,path=prompts-guidellm.txt"
		switch {
		case l.open() && l.Poisson:
			profile, steps = "kind=poisson", "rate"
		case l.open():
			profile, steps = "kind=constant", "rate"
		case l.mostUsers() > 1:
			profile += ",rampup_duration=" + trim(l.answer())
		}
		if l.File == "" {
			data = "kind=synthetic_text" + when(l.SharedPrefix, fmt.Sprint(",prefix_tokens=", l.prefix())) +
				synthetic("prompt_tokens", l.rest()) + synthetic("output_tokens", l.Output)
		}
		return rows(
			when(l.File != "",
				"sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d' < "+quote(l.File)+" > prompts-guidellm.txt"),
			"guidellm run",
			"--backend "+quote(l.backend()),
			"--profile "+profile,
			"--override profile."+steps+" "+l.steps(","),
			`--tokenizer "kind=huggingface_auto,model=$TOKENIZER"`,
			`--seed "kind=static,value=`+newSeed+`"`,
			"--data "+data,
			when(l.Requests > 0, fmt.Sprint("--constraint kind=max_requests,count=", l.Requests)),
			when(l.Requests == 0, "--constraint kind=max_duration,seconds="+l.seconds()),
			when(slos != "", "--metrics "+quote(`{"kind":"generative","slo":{`+slos+`}}`)))
	},
	notes: func(l *line) string {
		_, path := l.place()
		chosen := func(what string, n metrics.Lengths) string {
			return when(n.Varies() && len(n.Choices) > 0, fmt.Sprintf("%sit cannot choose from a list: %s of %s tokens come "+
				"from a bounded normal distribution of that mean and deviation", notSame, what, n))
		}
		return rows(
			when(path != "/v1", `may need "api_routes" in --backend, because the path of this endpoint is `+
				cmp.Or(sanitize.Line(path, 100), "empty")),
			l.startSpread(),
			when(l.File != "", "ends a step when each prompt of the file was sent once, if that is sooner", l.meanAnswers()),
			when(l.File == "", l.sharedNote(), chosen("prompts", l.Input), chosen("answers", l.Output)),
			"ignore_eos is off, as in tokscope: answers may end early; a strict API may refuse the field",
			tokenizerNote, `takes a key as "api_key" in --backend; its "ITL" is tokscope's TPOT`, l.cannot())
	},
}

// backend is GuideLLM's backend as JSON.
func (l *line) backend() string {
	target := l.Endpoint.URL
	if server, path := l.place(); path == "/v1" {
		target = server
	}
	return `{"kind":"openai_http","target":` + jsonText(target) +
		when(l.Endpoint.Model != "", `,"model":`+jsonText(l.Endpoint.Model)) +
		when(l.File != "", fmt.Sprintf(`,"max_tokens":%d`, mean(l.Output))) +
		`,"request_format":"/v1/chat/completions","extras":{"body":{"ignore_eos":false` +
		l.temperature(`,"temperature":`) + "}}}"
}

// synthetic returns the fields of synthetic text for lengths with the field name
// "prompt_tokens" or similar.
func synthetic(name string, n metrics.Lengths) string {
	fields := fmt.Sprintf(",%s=%d", name, mean(n))
	if !n.Varies() {
		return fields
	}
	low, high := n.Bounds()
	if len(n.Choices) > 0 || n.SD > 0 {
		fields += "," + name + "_stdev=" + digits(max(n.Deviation(), 1), 0)
	}
	return fields + fmt.Sprintf(",%s_min=%d,%s_max=%d", name, low, name, high)
}

// jsonText is s as a JSON string.
func jsonText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string is always written
	return strings.TrimSuffix(b.String(), "\n")
}
