package handover

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/sanitize"
)

// guidellm is GuideLLM, which takes all steps of a kind in one profile.
func guidellm(l *Load) loadstat.Handover {
	h := loadstat.Handover{Tool: "GuideLLM", Checked: "0.8.1, by running the line against tokscope serve"}
	var c command
	c.start("guidellm run")
	target := l.Endpoint.URL
	if server, path := l.place(); path == "/v1" {
		target = server
	} else {
		h.Notes = append(h.Notes,
			"may need \"api_routes\" in --backend, because the path of this endpoint is "+sanitize.Line(path, 100))
	}
	backend := `{"kind":"openai_http","target":` + jsonText(target)
	if l.Endpoint.Model != "" {
		backend += `,"model":` + jsonText(l.Endpoint.Model)
	}
	if l.File != "" {
		backend += fmt.Sprintf(`,"max_tokens":%d`, mean(l.Output))
	}
	backend += `,"request_format":"/v1/chat/completions","extras":{"body":{"ignore_eos":false`
	if l.Work.Temperature != nil {
		backend += `,"temperature":` + trim(*l.Work.Temperature)
	}
	c.flag("--backend", backend+"}}}")
	switch {
	case len(l.Rates) > 0 && l.Poisson:
		c.flag("--profile", "kind=poisson")
		c.flag("--override", "profile.rate", list(l.Rates, ","))
	case len(l.Rates) > 0:
		c.flag("--profile", "kind=constant")
		c.flag("--override", "profile.rate", list(l.Rates, ","))
	default:
		profile := "kind=concurrent"
		if note := l.startSpread(); note != "" {
			profile += ",rampup_duration=" + trim(l.answer())
			h.Notes = append(h.Notes, note)
		}
		c.flag("--profile", profile)
		c.flag("--override", "profile.streams", list(l.Users, ","))
	}
	c.raw("--tokenizer", `"kind=huggingface_auto,model=$TOKENIZER"`)
	c.raw("--seed", `"kind=static,value=`+newSeed+`"`)
	same, head := true, ""
	data := "kind=text_file,path=prompts-guidellm.txt"
	if l.File != "" {
		head = "sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d' < " + quote(l.File) + " > prompts-guidellm.txt\n"
		h.Notes = append(h.Notes, "ends a step when each prompt of the file was sent once, if that is sooner")
		if l.Output.Varies() {
			h.Notes = append(h.Notes, fmt.Sprintf("%sall answers are bounded by the mean of %s", notSame, l.Output))
		}
	} else {
		data, same = guidellmLengths(l, &h)
	}
	c.flag("--data", data)
	if l.Requests > 0 {
		c.flag("--constraint", fmt.Sprintf("kind=max_requests,count=%d", l.Requests))
	} else {
		c.flag("--constraint", "kind=max_duration,seconds="+seconds(l.Duration))
	}
	pairs, left := l.sloLimits(map[string]string{"ttft": "ttft_ms", "tpot": "tpot_ms", "total": "e2el_ms"})
	if len(pairs) > 0 {
		c.flag("--metrics", `{"kind":"generative","slo":{`+jsonPairs(pairs)+`}}`)
	}
	h.Notes = append(append(l.commonNotes(same), h.Notes...),
		"ignore_eos is off, as in tokscope: answers may end early; a strict API may refuse the field",
		tokenizerNote, `takes a key as "api_key" in --backend; its "ITL" is tokscope's TPOT`)
	if len(left) > 0 {
		h.Notes = append(h.Notes, "cannot express "+strings.Join(left, ", "))
	}
	h.Notes = notSameFirst(h.Notes)
	h.Command = l.tokenizerLine() + head + c.b.String()
	return h
}

// guidellmLengths returns the source of synthetic text. It reports whether
// GuideLLM draws prompts as tokscope does.
func guidellmLengths(l *Load, h *loadstat.Handover) (data string, same bool) {
	data = "kind=synthetic_text"
	shared, rest := l.parted()
	if l.SharedPrefix {
		data += fmt.Sprintf(",prefix_tokens=%d", shared)
		if note := l.sharedNote(shared); note != "" {
			h.Notes = append(h.Notes, note)
		}
	}
	input, same := synthetic("prompt_tokens", rest)
	output, sameOut := synthetic("output_tokens", l.Output)
	for _, x := range []struct {
		what  string
		l     metrics.Lengths
		exact bool
	}{{"prompts", l.Input, same}, {"answers", l.Output, sameOut}} {
		if !x.exact {
			h.Notes = append(h.Notes,
				fmt.Sprintf("%sit cannot choose from a list: %s of %s tokens come from "+
					"a bounded normal distribution of that mean and deviation", notSame, x.what, x.l))
		}
	}
	return data + input + output, same
}

// jsonPairs writes pairs of a name and a number, "name:1", as fields of an
// object.
func jsonPairs(pairs []string) string {
	fields := make([]string, len(pairs))
	for i, p := range pairs {
		name, v, _ := strings.Cut(p, ":")
		fields[i] = jsonText(name) + ":" + v
	}
	return strings.Join(fields, ",")
}

// jsonText is s as a JSON string of plain characters.
func jsonText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
