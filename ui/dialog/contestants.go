package dialog

import (
	"errors"
	"slices"
	"strings"

	"tokscope/metrics"
)

// races are races on the embedded endpoint, with what each shows in a few words:
// the list cuts long ones.
var races = []struct{ targets, about string }{
	{"llama-3.1-8b@h100 llama-3.1-8b-q4@m3max", "a data center and a laptop"},
	{"llama-3.1-8b@h100 llama-3.1-8b@h100+cold", "kept and new connections"},
	{"llama-3.1-8b@h100 llama-3.1-8b@h200 llama-3.1-8b@a100", "one model on three machines"},
	{"llama-3.1-8b@h100 llama-3.1-8b-fp8@h100", "one model in two precisions"},
}

// errOneTarget says what is missing of a race.
var errOneTarget = errors.New("a race needs a second target")

// NewContestants returns the picker for the contestants of a race, with the present
// ones selected: two targets or more. It lists ready races and accepts typed ones. e is the endpoint in
// use: it may race itself.
func NewContestants(now []string, e metrics.Endpoint) *Picker[[]string] {
	d := newPicker[[]string](list{title: "contestants", hint: "or type two to six targets: groq#MODEL work+direct",
		width: 98}, nil)
	d.prefers = true
	d.extra = func(s string) (item, bool) {
		targets := strings.Fields(s)
		if len(targets) < 2 {
			return offer(s, "", nil, nil, errOneTarget)
		}
		return offer(s, "as typed", targets, targets, nil)
	}
	add := func(targets []string, about string) {
		it := item{name: about, detail: targets, group: strings.Join(targets, " "), value: targets}
		if !slices.ContainsFunc(d.items, func(x item) bool { return x.group == it.group }) {
			d.add(it, slices.Equal(targets, now))
		}
	}
	if len(now) > 1 {
		add(now, "the present ones")
	}
	if e.Kind != metrics.EndpointEmbedded && e.Name != "" {
		name := e.Name
		if e.Kind == metrics.EndpointURL || e.Kind == metrics.EndpointLoopback {
			name = e.URL
		}
		add([]string{name, name + "+cold"}, "kept and new connections")
		add([]string{name, name + "+direct"}, "through and past the proxy")
	}
	for _, r := range races {
		add(strings.Fields(r.targets), r.about)
	}
	return d.open()
}
