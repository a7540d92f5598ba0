package dialog

import (
	"cmp"
	"strings"

	"tokscope/metrics/slo"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// pairs are further objectives for TTFT and the speed after it, with their
// use. Reading takes about 189 ms a token, so even the last one outruns a
// reader.
var pairs = []struct{ text, about string }{
	{"ttft=500ms,tpot=20ms", "50 tok/s per user: a snappy assistant"},
	{"ttft=200ms,tpot=10ms", "100 tok/s per user: code completion"},
	{"ttft=1s,tpot=50ms", "20 tok/s per user: comfortable reading"},
	{"ttft=2s,tpot=100ms", "10 tok/s per user: twice a reader's pace"},
	{"ttft=500ms,speed>=30", "an objective on speed instead of TPOT"},
	{"", "as for batch: every completed request is good"},
}

// NewObjectives returns the picker for the objectives of goodput, with the present
// ones selected. It lists those of each workload lens and other ready ones, and
// accepts typed ones. None turns goodput off.
func NewObjectives(now []slo.Objective) *Picker[[]slo.Objective] {
	d := newPicker[[]slo.Objective](list{title: "objectives", width: 98, terms: true,
		hint: "or type a use, or objectives: ttft=500ms,tpot=20ms (" + strings.Join(slo.Names(), " ") + ")"}, nil)
	d.prefers = true
	d.extra = func(s string) (item, bool) {
		slos, err := slo.Parse(s)
		return offer(s, objectivesText(slos), []string{"as typed"}, slos, err)
	}
	current := objectivesText(now)
	add := func(slos []slo.Objective, about string) {
		name := objectivesText(slos)
		d.add(item{name: name, detail: []string{about}, value: slos}, name == current)
	}
	for _, l := range slo.Lenses() {
		if slos := l.SLOs(); len(slos) > 0 {
			add(slos, l.Key+": "+say.LensAbout(l.Key))
		}
	}
	for _, p := range pairs {
		if slos, err := slo.Parse(p.text); err == nil {
			add(slos, p.about)
		}
	}
	return d.open()
}

// objectivesText writes objectives as they are typed, "none" for an empty
// list.
func objectivesText(slos []slo.Objective) string {
	return cmp.Or(format.SLOs(slos), "none")
}
