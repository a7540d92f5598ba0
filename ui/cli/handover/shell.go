package handover

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/format"
)

// Expansions of the shell in a command line.
const (
	// newSeed differs in every run and in every step. Random text of one seed
	// is the same text, and a prefix cache of the server would have it.
	newSeed = "$(date +%s)"
	// tokenizer is the variable that tokenizerLine sets.
	tokenizer = `"$TOKENIZER"`
	// unknownModel stops the shell with words unless MODEL is set.
	unknownModel = `"${MODEL:?set it to the name of the model}"`
)

// tokenizerFolder is the default tokenizer of a model whose name is not that
// of a repository.
const tokenizerFolder = "tokenizer"

// tokenizerLine sets TOKENIZER unless the environment does: to the model's
// name where that is one of Hugging Face, else to a folder.
func (l *Load) tokenizerLine() string {
	name := tokenizerFolder
	if strings.Contains(l.Endpoint.Model, "/") && l.Endpoint.Kind != metrics.EndpointEmbedded {
		name = l.Endpoint.Model
	}
	return "TOKENIZER=${TOKENIZER:-" + quote(name) + "}\n"
}

// tokenizerNote says where the tokenizer of a command line comes from.
const tokenizerNote = "TOKENIZER is a name of Hugging Face or a folder; go -C docs/rigs " +
	"run ./handover -tokenizer DIR in tokscope's source makes one that counts like tokscope serve"

// model adds --model. Where the model is not known, the shell asks for MODEL.
func (c *command) model(name string) {
	if name == "" {
		c.raw("--model", unknownModel)
		return
	}
	c.flag("--model", name)
}

// A fast endpoint, for what depends on the time of an answer: in s, and in
// tokens per second and user.
const (
	fastTTFT  = 0.3
	fastSpeed = 100
	// fastest is the speed up to which a dataset of a step that is bounded by
	// time holds a prompt for every request.
	fastest = 400
)

// answer is the time of one answer of a fast endpoint, in s: the time over
// which tokscope spreads the users of its first step.
func (l *Load) answer() float64 { return fastTTFT + l.Output.Expected()/fastSpeed }

// mostUsers is the largest number of users of a step; 0 in an open loop.
func (l *Load) mostUsers() int {
	if len(l.Users) == 0 {
		return 0
	}
	return slices.Max(l.Users)
}

// mostRequests is the number of requests that a step can send: the requested
// one, else what the duration allows an endpoint of the fastest speed. A
// schedule of random arrivals has four deviations of room.
func (l *Load) mostRequests() int {
	n := float64(l.Requests)
	switch {
	case l.Requests > 0:
	case len(l.Rates) > 0:
		n = slices.Max(l.Rates) * l.Duration.Seconds()
		if l.Poisson {
			n += 4 * math.Sqrt(n)
		}
	default:
		n = float64(l.mostUsers()) * l.Duration.Seconds() * fastest / max(l.Output.Expected(), 1)
	}
	return max(int(math.Ceil(n)), l.mostUsers(), 1)
}

// startAtOnce is the note on a tool that starts all users of a step in the
// same moment, "" where no step has more than one. requests is the number of
// requests of the largest step.
func (l *Load) startAtOnce(requests int) string {
	n := l.mostUsers()
	if n < 2 {
		return ""
	}
	return fmt.Sprintf("starts all users at once, tokscope one by one: "+
		"at %s, %s of %s requests (%s) meet, and equal answers keep users in step",
		format.Plural(n, "user", "users"), format.Count(n),
		format.Count(requests), format.Percent(float64(n)/float64(requests)))
}

// startSpread is the note on a tool that was given a time to start its users
// in, "" where no step has more than one.
func (l *Load) startSpread() string {
	if l.mostUsers() < 2 {
		return ""
	}
	return fmt.Sprintf("starts the users of a step over %s s, about one answer, "+
		"as tokscope does; without that setting all start at once", trim(l.answer()))
}
