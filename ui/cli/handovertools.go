package cli

import (
	"fmt"
	"math"
	"strings"

	"tokscope/ui/safe"
)

// vllmBench is `vllm bench serve`, once for each step in a loop of the shell.
func vllmBench(l *Load) Handover {
	h := Handover{Tool: "vLLM", Checked: "vllm/benchmarks/serve.py at commit 009e6d4"}
	server, path := l.place()
	c := command{indent: "  "}
	steps, head := "$users", "for users in "+list(l.Users, " ")+"; do"
	if len(l.Rates) > 0 {
		steps, head = "$rate", "for rate in "+list(l.Rates, " ")+"; do"
	}
	c.start("vllm bench serve")
	c.flag("--backend", "openai-chat")
	c.flag("--base-url", server)
	c.flag("--endpoint", path+"/chat/completions")
	if l.Endpoint.Model != "" {
		c.flag("--model", l.Endpoint.Model)
	}
	c.flag("--dataset-name", "random")
	input := l.Input
	if l.Shared {
		own := min(16, input) // what differs, so that the requests are not all the same
		c.flag("--random-prefix-len", fmt.Sprint(input-own))
		input = own
	}
	c.flag("--random-input-len", fmt.Sprint(input))
	c.flag("--random-output-len", fmt.Sprint(l.Output.Mean()))
	if len(l.Rates) > 0 {
		c.raw("--request-rate", steps)
		if !l.Poisson {
			c.flag("--burstiness", "1000")
			h.Notes = append(h.Notes, "draws the time between requests from a gamma distribution; burstiness 1000 is nearly even")
		}
		n := l.Requests
		if n == 0 {
			n = int(math.Ceil(l.Rates[len(l.Rates)-1] * l.Duration.Seconds()))
			h.Notes = append(h.Notes, "ends a step after a number of requests, not after a time")
		}
		c.flag("--num-prompts", fmt.Sprint(max(n, 1)))
	} else {
		c.raw("--max-concurrency", steps)
		if l.Requests > 0 {
			c.flag("--num-prompts", fmt.Sprint(l.Requests))
		} else {
			c.raw("--num-prompts", `"$((users * 8 > 40 ? users * 8 : 40))"`)
			h.Notes = append(h.Notes, "ends a step after a number of requests, not after a time: eight for each user")
		}
	}
	if l.Work.Temperature != nil {
		c.flag("--temperature", trim(*l.Work.Temperature))
	}
	c.flag("--percentile-metrics", "ttft,tpot,itl,e2el")
	c.flag("--metric-percentiles", "50,95,99")
	pairs, left := l.sloLimits(map[string]string{"ttft": "ttft", "tpot": "tpot", "total": "e2el"})
	if len(pairs) > 0 {
		c.flag("--goodput", pairs...)
	}
	if len(left) > 0 {
		h.Notes = append(h.Notes, "cannot express "+strings.Join(left, ", "))
	}
	if !l.Output.Fixed() {
		h.Notes = append(h.Notes, fmt.Sprintf("its --random-range-ratio would spread the input as well: all outputs are bounded by the mean of %s", l.Output))
	}
	h.Notes = append(append(l.commonNotes(), h.Notes...), "takes the key from OPENAI_API_KEY; --tokenizer names a tokenizer when the model's name is none")
	h.Command = head + "\n" + c.b.String() + "\ndone"
	return h
}

// guidellm is GuideLLM, which has all steps of a kind in one profile.
func guidellm(l *Load) Handover {
	h := Handover{Tool: "GuideLLM", Checked: "its documentation for 0.7.2 at commit 1db9852; until 0.6 the command was `guidellm benchmark`"}
	var c command
	c.start("guidellm run")
	target := l.Endpoint.URL
	if server, path := l.place(); path == "/v1" {
		target = server
	} else {
		h.Notes = append(h.Notes, "may need \"api_routes\" in --backend, because the path of this endpoint is "+safe.Line(path, 100))
	}
	backend := `{"kind":"openai_http","target":` + jsonText(target)
	if l.Endpoint.Model != "" {
		backend += `,"model":` + jsonText(l.Endpoint.Model)
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
	data := "kind=synthetic_text"
	input := l.Input
	if l.Shared {
		own := min(16, input)
		data += fmt.Sprintf(",prefix_tokens=%d", input-own)
		input = own
	}
	data += fmt.Sprintf(",prompt_tokens=%d,output_tokens=%d", input, l.Output.Mean())
	if !l.Output.Fixed() {
		data += fmt.Sprintf(",output_tokens_min=%d,output_tokens_max=%d", l.Output.Min, l.Output.Max)
	}
	c.flag("--data", data)
	if l.Requests > 0 {
		c.flag("--constraint", fmt.Sprintf("kind=max_requests,count=%d", l.Requests))
	} else {
		c.flag("--constraint", "kind=max_duration,seconds="+seconds(l.Duration))
	}
	h.Notes = append(append(l.commonNotes(), h.Notes...),
		"is told not to force the full output length (ignore_eos), as this program does not do so either; a strict API may refuse the field",
		`takes a key as "api_key" in --backend; its "ITL" is the TPOT of this program`)
	if len(l.SLOs) > 0 {
		h.Notes = append(h.Notes, "has no objectives on its command line: "+sloText(l.SLOs)+" is left out")
	}
	h.Command = c.b.String()
	return h
}

// aiperf is NVIDIA's AIPerf, which sweeps over lists.
func aiperf(l *Load) Handover {
	h := Handover{Tool: "AIPerf", Checked: "its docs/cli-options.md at commit 003fc0f"}
	server, path := l.place()
	var c command
	c.start("aiperf profile")
	if l.Endpoint.Model != "" {
		c.flag("--model", l.Endpoint.Model)
	} else {
		h.Notes = append(h.Notes, "must be given --model")
	}
	c.flag("--url", server)
	c.flag("--endpoint-type", "chat")
	if path != "/v1" {
		c.flag("--endpoint", path+"/chat/completions")
	}
	c.flag("--streaming")
	input := l.Input
	if l.Shared {
		own := min(16, input)
		if input > own {
			c.flag("--shared-system-prompt-length", fmt.Sprint(input-own))
		}
		input = own
	}
	c.flag("--isl", fmt.Sprint(input))
	c.flag("--osl", fmt.Sprint(l.Output.Mean()))
	if !l.Output.Fixed() {
		dev := float64(l.Output.Max-l.Output.Min) / math.Sqrt(12)
		c.flag("--osl-stddev", fmt.Sprintf("%.0f", dev))
		h.Notes = append(h.Notes, fmt.Sprintf("draws lengths from a normal distribution: here with the deviation that %s has", l.Output))
	}
	if len(l.Rates) > 0 {
		c.flag("--request-rate", list(l.Rates, ","))
		pattern := "constant"
		if l.Poisson {
			pattern = "poisson"
		}
		c.flag("--arrival-pattern", pattern)
	} else {
		c.flag("--concurrency", list(l.Users, ","))
	}
	if l.Requests > 0 {
		c.flag("--request-count", fmt.Sprint(l.Requests))
	} else {
		c.flag("--benchmark-duration", seconds(l.Duration))
	}
	if l.Work.Temperature != nil {
		c.flag("--extra-inputs", "temperature:"+trim(*l.Work.Temperature))
	}
	most := 1
	for _, n := range l.Users {
		most = max(most, n)
	}
	c.flag("--num-dataset-entries", fmt.Sprint(max(l.requests(most), 100)))
	pairs, left := l.sloLimits(map[string]string{"ttft": "time_to_first_token", "tpot": "inter_token_latency", "total": "request_latency"})
	if len(pairs) > 0 {
		c.flag("--goodput", strings.Join(pairs, " "))
	}
	if len(left) > 0 {
		h.Notes = append(h.Notes, "cannot express "+strings.Join(left, ", "))
	}
	h.Notes = append(append(l.commonNotes(), h.Notes...),
		`takes a key with --api-key "$OPENAI_API_KEY"; its "inter token latency" is the TPOT of this program`)
	h.Command = c.b.String()
	return h
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
