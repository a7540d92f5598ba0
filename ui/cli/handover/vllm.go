package handover

import (
	"fmt"
	"math"
	"strings"

	"tokscope/metrics/loadstat"
)

// vllmBench is `vllm bench serve`, run once for each step in a shell loop.
func vllmBench(l *Load) loadstat.Handover {
	h := loadstat.Handover{Tool: "vLLM", Checked: "0.33.0, by running the line against tokscope serve"}
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
	c.model(l.Endpoint.Model)
	c.raw("--tokenizer", tokenizer)
	c.raw("--seed", `"`+newSeed+`"`)
	same := true
	if l.File != "" {
		head = toJSONL(l.File, "prompt", "prompts-vllm.jsonl") + "\n" + head
		c.flag("--dataset-name", "custom")
		c.flag("--dataset-path", "prompts-vllm.jsonl")
		c.flag("--disable-shuffle")
		c.flag("--skip-chat-template")
		c.flag("--custom-output-len", fmt.Sprint(mean(l.Output)))
		h.Notes = append(h.Notes,
			"draws further prompts at random where a step has more requests than the file has prompts, in place of rotation",
			"reads a file only with its extra bench: pip install 'vllm[bench]'")
		if l.Output.Varies() {
			h.Notes = append(h.Notes, fmt.Sprintf("%sall answers are bounded by the mean of %s", notSame, l.Output))
		}
	} else {
		same = vllmLengths(l, &c, &h)
	}
	if len(l.Rates) > 0 {
		c.raw("--request-rate", steps)
		if !l.Poisson {
			c.flag("--burstiness", "1000")
			h.Notes = append(h.Notes,
				"draws the time between requests from a gamma distribution; burstiness 1000 is nearly even")
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
			h.Notes = append(h.Notes, "ends a step after a number of requests, not after a time: eight per user")
		}
		if note := l.startAtOnce(l.requests(l.mostUsers())); note != "" {
			h.Notes = append(h.Notes, note)
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
	h.Notes = notSameFirst(append(append(l.commonNotes(same), h.Notes...),
		tokenizerNote, "takes the key from OPENAI_API_KEY"))
	h.Command = l.tokenizerLine() + head + "\n" + c.b.String() + "\ndone"
	return h
}

// vllmLengths adds the flags of random text. It reports whether vLLM draws
// prompts as tokscope does.
func vllmLengths(l *Load, c *command, h *loadstat.Handover) bool {
	c.flag("--dataset-name", "random")
	shared, rest := l.parted()
	if l.SharedPrefix {
		c.flag("--random-prefix-len", fmt.Sprint(shared))
		if note := l.sharedNote(shared); note != "" {
			h.Notes = append(h.Notes, note)
		}
	}
	input, inRatio, inLow, inHigh, same := spreadEvenly(rest)
	output, outRatio, outLow, outHigh, sameOut := spreadEvenly(l.Output)
	c.flag("--random-input-len", fmt.Sprint(input))
	c.flag("--random-output-len", fmt.Sprint(output))
	if inRatio > 0 || outRatio > 0 {
		c.flag("--random-range-ratio", fmt.Sprintf(`{"input": %s, "output": %s}`, digits(inRatio, 6), digits(outRatio, 6)))
		h.Notes = append(h.Notes,
			"takes a ratio for input and one for output; older versions take one number for both and refuse the line")
	}
	if !same {
		h.Notes = append(h.Notes, notEven("prompts", l.Input, inLow+shared, inHigh+shared))
	}
	if !sameOut {
		h.Notes = append(h.Notes, notEven("answers", l.Output, outLow, outHigh))
	}
	return same
}

// toJSONL is a shell line that writes each prompt of the file as an object
// with the text in that field. It skips blank lines and trims the others, as
// tokscope does.
func toJSONL(file, field, to string) string {
	return fmt.Sprintf(`jq -cR 'gsub("^\\s+|\\s+$"; "") | select(. != "") | {%s: .}' < %s > %s`, field, quote(file), to)
}
