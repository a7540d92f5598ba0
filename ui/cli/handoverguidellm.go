package cli

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// guidellm is GuideLLM, which has all steps of a kind in one profile.
func guidellm(l *Load) Handover {
	h := Handover{Tool: "GuideLLM", Checked: "its documentation and source at commit ee7a774; until 0.6 the command was `guidellm benchmark`"}
	var c command
	c.start("guidellm run")
	target := l.Endpoint.URL
	if server, path := l.place(); path == "/v1" {
		target = server
	} else {
		h.Notes = append(h.Notes, "may need \"api_routes\" in --backend, because the path of this endpoint is "+sanitize.Line(path, 100))
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
		c.flag("--profile", `{"kind":"poisson","rate":[`+list(l.Rates, ",")+`]}`)
	case len(l.Rates) > 0:
		c.flag("--profile", `{"kind":"constant","rate":[`+list(l.Rates, ",")+`]}`)
	default:
		c.flag("--profile", `{"kind":"concurrent","streams":[`+list(l.Users, ",")+`]}`)
	}
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
	h.Notes = append(append(l.commonNotes(same), h.Notes...),
		"is told not to force the full output length (ignore_eos), as this program does not do so either; a strict API may refuse the field",
		`takes a key as "api_key" in --backend; its "ITL" is the TPOT of this program`)
	if len(l.SLOs) > 0 {
		h.Notes = append(h.Notes, "has no objectives on its command line: "+sloText(l.SLOs)+" is left out")
	}
	h.Notes = notSameFirst(h.Notes)
	h.Command = head + c.b.String()
	return h
}

// guidellmLengths is the source of synthetic text. It reports whether prompts
// are drawn as they are here.
func guidellmLengths(l *Load, h *Handover) (data string, same bool) {
	data = "kind=synthetic_text"
	shared, rest := l.parted()
	if l.Shared {
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
			h.Notes = append(h.Notes, fmt.Sprintf("%sit cannot choose from a list: %s of %s tokens come from a normal distribution of that mean and deviation, between the least and the most", notSame, x.what, x.l))
		}
	}
	return data + input + output, same
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
