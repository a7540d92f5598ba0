package dialog

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
)

// races are races on the embedded endpoint, with what each shows in a few words:
// the list cuts long ones.
var races = []struct{ contest, about string }{
	{"llama-3.1-8b@h100 llama-3.1-8b-q4@m3max", "a data center and a laptop"},
	{"llama-3.1-8b@h100 llama-3.1-8b@h100+cold", "reused vs new connection"},
	{"llama-3.1-8b@h100 llama-3.1-8b@h200 llama-3.1-8b@a100", "one model on three machines"},
	{"llama-3.1-8b@h100 llama-3.1-8b-fp8@h100", "one model in two precisions"},
	{"gpt-oss-120b@h100 --vary reasoning=low,high", "little and much reasoning"},
}

// NewContestants returns the picker for the contestants of a race, with the present
// ones selected. It lists ready races and accepts typed ones: a single target races the first
// of the present ones. e is the endpoint in use: it may race itself.
func NewContestants(now racestat.Contest, e metrics.Endpoint) *Picker[racestat.Contest] {
	d := newPicker[racestat.Contest](list{title: "contestants",
		hint: "or type targets: groq work+direct, or groq --vary tier=a,b; one alone races A", width: 98}, nil)
	d.prefers = true
	d.extra = func(s string) (item, bool) {
		c := racestat.ParseContest(s)
		if len(c.Targets) == 1 && c.Vary == "" && len(now.Targets) > 0 {
			c.Targets = []string{now.Targets[0], c.Targets[0]}
		}
		_, _, err := c.Lanes()
		return offer(s, "as typed", details(c), c, err)
	}
	add := func(c racestat.Contest, about string) {
		it := item{name: about, detail: details(c), group: c.String(), value: c}
		if !slices.ContainsFunc(d.items, func(x item) bool { return x.group == it.group }) {
			d.add(it, it.group == now.String())
		}
	}
	if _, _, err := now.Lanes(); err == nil {
		add(now, "current")
	}
	if e.Kind != metrics.EndpointEmbedded && e.Name != "" {
		name := format.Either(e.Kind == metrics.EndpointURL || e.Kind == metrics.EndpointLoopback, e.URL, e.Name)
		add(racestat.ParseContest(name+" "+name+"+cold"), "reused vs new connection")
		add(racestat.ParseContest(name+" "+name+"+direct"), "through and past the proxy")
	}
	for _, r := range races {
		add(racestat.ParseContest(r.contest), r.about)
	}
	return d.open()
}

// details are the targets of c, after what varies.
func details(c racestat.Contest) []string {
	if c.Vary == "" {
		return c.Targets
	}
	return append([]string{"--vary " + c.Vary}, c.Targets...)
}
