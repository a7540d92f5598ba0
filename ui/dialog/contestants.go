package dialog

import (
	"slices"
	"strings"

	"tokscope/metrics"
)

// Contestants is the picker for the contestants of a race. It lists ready races and
// accepts typed targets.
type Contestants struct{ picker }

// UseContestants reports the chosen targets, two or more.
type UseContestants struct{ Targets []string }

func (UseContestants) act() {}

// races are races on the embedded endpoint, with what each shows in a few words:
// the list cuts long ones.
var races = []struct{ targets, about string }{
	{"llama-3.1-8b@h100 llama-3.1-8b-q4@m3max", "a data center and a laptop"},
	{"llama-3.1-8b@h100 llama-3.1-8b@h100+cold", "kept and new connections"},
	{"llama-3.1-8b@h100 llama-3.1-8b@h200 llama-3.1-8b@a100", "one model on three machines"},
	{"llama-3.1-8b@h100 llama-3.1-8b-fp8@h100", "one model in two precisions"},
}

// NewContestants returns the picker with the present contestants selected. e is the
// endpoint in use: it may race itself.
func NewContestants(now []string, e metrics.Endpoint) *Contestants {
	d := &Contestants{}
	d.list = list{title: "contestants", hint: "or type two to six targets: groq#MODEL work+direct", width: 98}
	d.leave = Closed{}
	d.accept = func(it item) Act {
		if targets, ok := it.value.([]string); ok {
			return UseContestants{targets}
		}
		return nil
	}
	d.extra = func(s string) (item, bool) {
		targets := strings.Fields(s)
		if len(targets) < 2 {
			return item{name: s, detail: []string{"a race needs a second target"}, dim: true, mark: notReady}, true
		}
		return item{name: "as typed", detail: targets, value: targets, mark: isOffer}, true
	}
	add := func(targets []string, about string) {
		it := item{name: about, detail: targets, group: strings.Join(targets, " "), value: targets}
		if slices.ContainsFunc(d.items, func(x item) bool { return x.group == it.group }) {
			return
		}
		if slices.Equal(targets, now) {
			it.mark = isCurrent
		}
		d.items = append(d.items, it)
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
	d.refresh()
	d.seek(func(it item) bool { return it.mark == isCurrent })
	return d
}

// Type implements Dialog. Complete typed targets take precedence.
func (d *Contestants) Type(s string, pasted bool) Act {
	act := d.picker.Type(s, pasted)
	d.seek(func(it item) bool { return it.mark == isOffer })
	return act
}
