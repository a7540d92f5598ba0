package say

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
)

// TestRaceVaried checks what is said of a field that varies: what the answers say of it,
// and nothing that they do not say.
func TestRaceVaried(t *testing.T) {
	view := func(vary string, edit ...func(a, b *racestat.Lane)) *racestat.View {
		lanes, field, err := racestat.ParseContest("groq --vary " + vary).Lanes()
		testkit.OK(t, err)
		v := racestat.View{Lanes: lanes, Vary: field, Band: 1.03, Ended: racestat.EndPairs, Rounds: make([]racestat.Round, 13),
			Verdicts: []racestat.Verdict{raceVerdict(figure.TTFT, racestat.Decided, 1, 0.5, 0.8)}}
		for i := range v.Lanes {
			v.Lanes[i].Requests = 13
		}
		for _, f := range edit {
			f(&v.Lanes[0], &v.Lanes[1])
		}
		return &v
	}
	tiers := func(a, b string) func(x, y *racestat.Lane) {
		return func(x, y *racestat.Lane) {
			x.Asked.Tier, y.Asked.Tier, x.Served.Tier, y.Served.Tier = "default", "priority", a, b
		}
	}
	is(t, RaceVaried(view("extra.top_k=1,2")), "extra.top_k of the request alone; the answers do not say whether the server used it")
	is(t, RaceVaried(view("tier=default,priority")), "tier of the request alone; the answers do not say whether the server used it")
	is(t, RaceVaried(view("tier=default,priority", tiers("default", "priority"))), "tier of the request alone; the answers say A default, B priority")
	is(t, RaceVaried(view("tier=default,priority", tiers("default", "default"))), "tier of the request alone; the answers say A default, B default")
	is(t, RaceVaried(view("tier=default,priority", tiers("", "priority"))), "tier of the request alone; the answers say A –, B priority")
	is(t, RaceVaried(view("extra.bogus=1,2", func(a, b *racestat.Lane) {
		a.Faults, b.Faults = []metrics.FaultCount{{N: 13}}, []metrics.FaultCount{{N: 13}}
	})), "extra.bogus of the request alone")
	is(t, RaceVaried(&racestat.View{Lanes: make([]racestat.Lane, 2)}), "")

	is(t, RaceVaried(view("api=chat,responses")), "the API alone: the same prompt, bound and sampling, as far as each API has them")
	hidden := func(a, b int) *racestat.View {
		return view("api=chat,responses", func(x, y *racestat.Lane) { x.Hidden, y.Hidden = a, b })
	}
	is(t, RaceHidden(hidden(0, 12)),
		"thinking that was not sent, or as a summary, is left out of tokens and TPOT of B in 12 of 13 answers, not of the others: compare the total")
	is(t, RaceHidden(hidden(13, 12))+RaceHidden(hidden(0, 0)), "")

	down := func(n int) func(a, b *racestat.Lane) { return func(_, b *racestat.Lane) { b.Otherwise = n } }
	won := view("tier=default,priority", tiers("default", "default"), down(13))
	is(t, RaceSentence(won), "tier=priority (served as default in 13 of 13 answers) is 1.6x faster to the first token than tier=default (1.2–2.0).")
	won.Verdicts[0].State = racestat.Undecided
	is(t, RaceSentence(won), "tier=priority was served as default in 13 of 13 answers. TTFT: not decided in 13 pairs.")
	mixed := view("tier=default,priority", tiers("default", "priority"), down(2))
	is(t, RaceSentence(mixed), "tier=priority (served otherwise in 2 of 13 answers) is 1.6x faster to the first token than tier=default (1.2–2.0).")
	other := view("model=a,b", func(a, b *racestat.Lane) {
		a.Endpoint.Model, b.Endpoint.Model, a.Model, b.Model = "a", "b", "a", "a"
	})
	is(t, RaceSentence(other), "model=b (answered by a) is 1.6x faster to the first token than model=a (1.2–2.0).")
	is(t, RaceVaried(other), "model of the request alone; the answers say A a, B a")
	is(t, RaceSentence(view("tier=default,priority")), "tier=priority is 1.6x faster to the first token than tier=default (1.2–2.0).")
}
