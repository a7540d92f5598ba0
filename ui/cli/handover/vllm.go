package handover

import (
	"fmt"
	"math"
)

// vllm is `vllm bench serve`, run once for each step in a shell loop.
var vllm = tool{
	name: "vLLM", checked: "0.33.0", indent: "    ",
	slos:  map[string]string{"ttft": "ttft", "tpot": "tpot", "total": "e2el"},
	exact: func(l *line) bool { return spreadEvenly(l.rest()).exact },
	command: func(l *line) string {
		server, path := l.place()
		in, out := spreadEvenly(l.rest()), spreadEvenly(l.Output)
		goodput, _ := l.limits("%s:%s", " ")
		each := `"$((users * 8 > 40 ? users * 8 : 40))"`
		if n := l.arrivals(); n > 0 {
			each = fmt.Sprint(n)
		}
		return rows(
			when(l.File != "", l.toJSONL("prompt", "prompts-vllm.jsonl")),
			when(l.open(), "for rate in "+l.steps(" ")+"; do"),
			when(!l.open(), "for users in "+l.steps(" ")+"; do"),
			"  vllm bench serve",
			"--backend openai-chat",
			"--base-url "+quote(server),
			"--endpoint "+quote(path+"/chat/completions"),
			"--model "+l.model(),
			`--tokenizer "$TOKENIZER"`,
			`--seed "`+newSeed+`"`,
			when(l.File != "",
				"--dataset-name custom",
				"--dataset-path prompts-vllm.jsonl",
				"--disable-shuffle",
				"--skip-chat-template",
				fmt.Sprint("--custom-output-len ", mean(l.Output))),
			when(l.File == "",
				"--dataset-name random",
				when(l.SharedPrefix, fmt.Sprint("--random-prefix-len ", l.prefix())),
				fmt.Sprint("--random-input-len ", in.middle),
				fmt.Sprint("--random-output-len ", out.middle),
				when(in.ratio > 0 || out.ratio > 0, "--random-range-ratio "+
					quote(`{"input": `+digits(in.ratio, 6)+`, "output": `+digits(out.ratio, 6)+`}`))),
			when(l.open(), "--request-rate $rate", when(!l.Poisson, "--burstiness 1000")),
			when(!l.open(), "--max-concurrency $users"),
			when(!l.open() && l.mostUsers() > 1,
				"--ramp-up-strategy linear", "--ramp-up-start-rps $users", `--ramp-up-end-rps "$((users * 10))"`),
			"--num-prompts "+each,
			l.temperature("--temperature "),
			"--percentile-metrics ttft,tpot,itl,e2el",
			"--metric-percentiles 50,95,99",
			when(goodput != "", "--goodput "+goodput),
			"done")
	},
	notes: func(l *line) string {
		in, out := spreadEvenly(l.rest()), spreadEvenly(l.Output)
		return rows(
			when(l.File != "", "draws further prompts at random where a step has more requests "+
				"than the file has prompts, in place of rotation",
				"reads a file only with its extra bench: pip install 'vllm[bench]'", l.meanAnswers()),
			when(l.File == "", l.sharedNote(),
				when(in.ratio > 0 || out.ratio > 0, "takes a ratio for input and one for output; "+
					"older versions take one number for both and refuse the line"),
				in.note("prompts", l.Input, l.prefix()), out.note("answers", l.Output, 0)),
			when(l.open() && !l.Poisson,
				"draws the time between requests from a gamma distribution; burstiness 1000 is nearly even"),
			when(l.Requests == 0, "ends a step after a number of requests, not after a time"+
				when(!l.open(), ": eight per user")),
			l.cannot(), tokenizerNote, "takes the key from OPENAI_API_KEY")
	},
}

// arrivals is the number of requests of a step where it does not follow from its
// users: the requested one, or that of an open loop; 0 else.
func (l *line) arrivals() int {
	if l.Requests > 0 || !l.open() {
		return l.Requests
	}
	return max(int(math.Ceil(l.Rates[len(l.Rates)-1]*l.Duration.Seconds())), 1)
}
