package handover

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// aiperf is NVIDIA's AIPerf, which sweeps over lists.
func aiperf(l *Load) loadstat.Handover {
	h := loadstat.Handover{Tool: "AIPerf", Checked: "0.13.0, by running the line against tokscope serve"}
	server, path := l.place()
	var c command
	c.start("aiperf profile")
	c.model(l.Endpoint.Model)
	c.flag("--url", server)
	c.flag("--endpoint-type", "chat")
	if path != "/v1" {
		c.flag("--endpoint", path+"/chat/completions")
	}
	c.flag("--streaming")
	c.raw("--tokenizer", tokenizer)
	c.flag("--use-server-token-count")
	c.raw("--random-seed", `"`+newSeed+`"`)
	same, head := true, ""
	if l.File != "" {
		head = toJSONL(l.File, "text", "prompts-aiperf.jsonl") + "\n"
		c.flag("--input-file", "prompts-aiperf.jsonl")
		c.flag("--custom-dataset-type", "single_turn")
		c.flag("--dataset-sampling-strategy", "sequential")
		aiperfAnswers(l, &c, &h)
	} else {
		same = aiperfLengths(l, &c, &h)
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
		if note := l.startSpread(); note != "" {
			c.flag("--concurrency-ramp-duration", trim(l.answer()))
			h.Notes = append(h.Notes, note)
		}
	}
	most := l.mostRequests()
	if l.Requests == 0 {
		c.flag("--benchmark-duration", seconds(l.Duration))
	}
	if l.Requests > 0 || l.File == "" {
		c.flag("--request-count", fmt.Sprint(most))
	}
	switch {
	case l.Requests > 0 && most > l.Requests:
		h.Notes = append(h.Notes, "refuses fewer requests than users: each step sends "+format.Count(most))
	case l.Requests == 0 && l.File == "":
		h.Notes = append(h.Notes,
			fmt.Sprintf("ends a step early after %s requests, so that no prompt comes twice", format.Count(most)))
	}
	if l.Work.Temperature != nil {
		c.flag("--extra-inputs", "temperature:"+trim(*l.Work.Temperature))
	}
	if l.File == "" {
		c.flag("--num-dataset-entries", fmt.Sprint(most))
	}
	pairs, left := l.sloLimits(map[string]string{"ttft": "time_to_first_token",
		"tpot": "inter_token_latency", "total": "request_latency"})
	if len(pairs) > 0 {
		c.flag("--goodput", strings.Join(pairs, " "))
	}
	if len(left) > 0 {
		h.Notes = append(h.Notes, "cannot express "+strings.Join(left, ", "))
	}
	h.Notes = notSameFirst(append(append(l.commonNotes(same), h.Notes...),
		tokenizerNote, `takes a key with --api-key "$OPENAI_API_KEY"; its "inter token latency" is tokscope's TPOT`))
	h.Command = l.tokenizerLine() + head + c.b.String()
	return h
}

// aiperfLengths adds the flags of synthetic text. It reports whether AIPerf
// draws prompts as tokscope does.
func aiperfLengths(l *Load, c *command, h *loadstat.Handover) bool {
	shared, rest := l.parted()
	if shared > 0 {
		c.flag("--shared-system-prompt-length", fmt.Sprint(shared))
		if note := l.sharedNote(shared); note != "" {
			h.Notes = append(h.Notes, note)
		}
	}
	ins, dev, same := parts(rest)
	outs, _, _ := parts(l.Output)
	if len(ins)*len(outs) > 1 {
		if pairs, ok := pairsOf(rest, l.Output); ok {
			c.flag("--sequence-distribution", pairs)
			normal(h, "prompts", l.Input)
			normal(h, "answers", l.Output)
			return same
		}
		same = false
		dev = rest.Deviation()
	}
	c.flag("--isl", fmt.Sprint(mean(rest)))
	if dev > 0 {
		c.flag("--isl-stddev", fmt.Sprintf("%.0f", dev))
	}
	if len(ins) > 1 {
		tooMany(h, "prompts", l.Input)
	}
	normal(h, "prompts", l.Input)
	aiperfAnswers(l, c, h)
	return same
}

// aiperfAnswers adds the limits of answers.
func aiperfAnswers(l *Load, c *command, h *loadstat.Handover) {
	c.flag("--osl", fmt.Sprint(mean(l.Output)))
	if dev := l.Output.Deviation(); dev > 0 {
		c.flag("--osl-stddev", fmt.Sprintf("%.0f", dev))
	}
	if len(l.Output.Choices) > 1 {
		tooMany(h, "answers", l.Output)
	}
	normal(h, "answers", l.Output)
}

// normal notes how AIPerf's normal distribution differs from l, if l is a
// range or a normal distribution.
func normal(h *loadstat.Handover, what string, l metrics.Lengths) {
	switch {
	case !l.Varies() || len(l.Choices) > 0:
	case l.SD > 0:
		h.Notes = append(h.Notes,
			fmt.Sprintf("does not cut the normal distribution of %s at three deviations, only at length 1", what))
	default:
		h.Notes = append(h.Notes,
			fmt.Sprintf("%sit has no uniform distribution: %s of %s tokens come "+
				"from a normal distribution of that mean and deviation", notSame, what, l))
	}
}

// tooMany notes that a list is not handed over.
func tooMany(h *loadstat.Handover, what string, l metrics.Lengths) {
	h.Notes = append(h.Notes,
		fmt.Sprintf("%s%s of %s tokens come from a normal distribution of that mean and deviation", notSame, what, l))
}
