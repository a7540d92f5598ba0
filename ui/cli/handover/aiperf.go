package handover

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/format"
)

// aiperf is NVIDIA's AIPerf, which sweeps over lists.
var aiperf = tool{
	name: "AIPerf", checked: "0.13.0", indent: "  ",
	slos: map[string]string{"ttft": "time_to_first_token", "tpot": "inter_token_latency", "total": "request_latency"},
	exact: func(l *line) bool {
		_, _, exact := parts(l.rest())
		return exact && (l.pairs() != "" || len(l.Input.Choices) == 0)
	},
	command: func(l *line) string {
		server, path := l.place()
		goodput, _ := l.limits("%s:%s", " ")
		arrivals, pairs := format.Either(l.Poisson, "poisson", "constant"), l.pairs()
		length := func(flag string, n metrics.Lengths) string {
			return rows(fmt.Sprint(flag, " ", mean(n)), when(n.Deviation() > 0, flag+"-stddev "+digits(n.Deviation(), 0)))
		}
		return rows(
			when(l.File != "", l.toJSONL("text", "prompts-aiperf.jsonl")),
			"aiperf profile",
			"--model "+l.model(),
			"--url "+quote(server),
			"--endpoint-type chat",
			when(path != "/v1", "--endpoint "+quote(path+"/chat/completions")),
			"--streaming",
			`--tokenizer "$TOKENIZER"`,
			"--use-server-token-count",
			`--random-seed "`+newSeed+`"`,
			when(l.File != "",
				"--input-file prompts-aiperf.jsonl",
				"--custom-dataset-type single_turn",
				"--dataset-sampling-strategy sequential"),
			when(l.File == "" && l.prefix() > 0, fmt.Sprint("--shared-system-prompt-length ", l.prefix())),
			when(pairs != "", "--sequence-distribution "+quote(pairs)),
			when(pairs == "" && l.File == "", length("--isl", l.rest())),
			when(pairs == "", length("--osl", l.Output)),
			when(l.open(), "--request-rate "+l.steps(","), "--arrival-pattern "+arrivals),
			when(!l.open(), "--concurrency "+l.steps(",")),
			when(l.mostUsers() > 1, "--concurrency-ramp-duration "+trim(l.answer())),
			when(l.Requests == 0, "--benchmark-duration "+l.seconds()),
			when(l.Requests > 0 || l.File == "", fmt.Sprint("--request-count ", l.most())),
			l.temperature("--extra-inputs temperature:"),
			when(l.File == "", fmt.Sprint("--num-dataset-entries ", l.most())),
			when(goodput != "", "--goodput "+quote(goodput)))
	},
	notes: func(l *line) string {
		most := format.Count(l.most())
		return rows(
			when(l.File == "", l.sharedNote(), l.differs("prompts", l.Input)),
			l.differs("answers", l.Output),
			l.startSpread(),
			when(l.Requests > 0 && l.most() > l.Requests, "refuses fewer requests than users: each step sends "+most),
			when(l.Requests == 0 && l.File == "", "ends a step early after "+most+" requests, so that no prompt comes twice"),
			l.cannot(), tokenizerNote, "leave HF_HUB_OFFLINE unset where TOKENIZER is a folder",
			`takes a key with --api-key "$OPENAI_API_KEY"; its "inter token latency" is tokscope's TPOT`)
	},
}

// differs is the note on what AIPerf makes of these lengths, "" where it draws them
// as tokscope does.
func (l *line) differs(what string, n metrics.Lengths) string {
	const normal = "%s of %s tokens come from a normal distribution of that mean and deviation"
	switch {
	case !n.Varies() || len(n.Choices) > 0 && l.pairs() != "":
		return ""
	case len(n.Choices) > 0:
		return fmt.Sprintf(notSame+normal, what, n)
	case n.SD > 0:
		return fmt.Sprintf("does not cut the normal distribution of %s at three deviations, only at length 1", what)
	}
	return fmt.Sprintf(notSame+"it has no uniform distribution: "+normal, what, n)
}

// parts are lengths as AIPerf mixes them: some means with equal chances and
// one deviation. exact reports that they draw as l does, except that a normal
// distribution is not cut.
func parts(l metrics.Lengths) (means []int, dev float64, exact bool) {
	switch {
	case !l.Varies():
		low, _ := l.Bounds()
		return []int{low}, 0, true
	case len(l.Choices) > 0:
		return l.Choices, 0, true
	}
	return []int{mean(l)}, l.Deviation(), l.SD > 0
}

// mostPairs limits the size of a command line.
const mostPairs = 64

// pairs mixes prompts and answers as --sequence-distribution takes them, with chances
// in percent. It is "" for prompts of a file, for one pair and for too many.
func (l *line) pairs() string {
	ins, inDev, _ := parts(l.rest())
	outs, outDev, _ := parts(l.Output)
	n := len(ins) * len(outs)
	if l.File != "" || n == 1 || n > mostPairs {
		return ""
	}
	with := func(mean int, dev float64) string {
		return fmt.Sprint(mean) + format.If(dev > 0, "|"+trim(dev))
	}
	var pairs []string
	for _, a := range ins {
		for _, b := range outs {
			pairs = append(pairs, fmt.Sprintf("%s,%s:%s", with(a, inDev), with(b, outDev), digits(100/float64(n), 6)))
		}
	}
	return strings.Join(pairs, ";")
}
