package turn

import (
	"cmp"
	"slices"
	"time"

	"tokscope/metrics"
)

// Totals are the figures of a session.
type Totals struct {
	// Clock is the time on the clock in which the session was in some activity, and the four
	// behind it divide it: they sum to it. At a moment of several activities the first of the
	// four counts. What lies behind the last turn of a conversation that did not go on is in
	// none.
	Clock   time.Duration `json:"clock_ms"`
	Model   time.Duration `json:"model_ms"`   // waiting, thinking, text and tool calls of main conversations
	Network time.Duration `json:"network_ms"` // their connecting and uploading
	Client  time.Duration `json:"client_ms"`  // their tools and client, and the work of subagents
	You     time.Duration `json:"you_ms"`     // waiting for a person

	Turns    int                 // of them OfAgents are subagents'
	OfAgents int                 `json:"turns_of_agents"`
	Retries  int                 `json:"retries"`
	Failures metrics.FaultCounts `json:"failures"` // the most frequent first
	Services []ServiceCount      `json:"services"` // the same

	// Tokens as the servers counted them. N is the number of turns that tell them.
	In     metrics.Value `json:"prompt_tokens"` // cached ones too
	Cached metrics.Value `json:"cached_share"`  // of the prompt tokens of those that tell both, 0..1
	Out    metrics.Value `json:"output_tokens"`
	// Bill is at the user's own prices. Turns at prices in another currency than the first are
	// not in it.
	Bill metrics.Bill `json:"cost,omitzero"`
}

// ServiceCount counts turns for which the same model and class were asked, and the same served.
type ServiceCount struct {
	AskedModel string          `json:"asked_model,omitempty"`
	Model      string          `json:"model,omitempty"`
	Asked      metrics.Service `json:"asked,omitzero"`
	Served     metrics.Service `json:"served,omitzero"`
	N          int             `json:"n"`
	Other      bool            `json:"other"` // another model, or another class, than asked for
}

// totals returns the figures of v.
func (v *View) totals() Totals {
	none := metrics.Unknown(metrics.WhyNotReported)
	t := Totals{Turns: len(v.Turns), In: none, Cached: none, Out: none}
	t.clock(v)
	var both float64 // prompt tokens of the turns that tell cached ones
	for i := range v.Turns {
		turn := &v.Turns[i]
		s := turn.Stream()
		if v.Conversations[turn.Conversation-1].Of != 0 {
			t.OfAgents++
		}
		if turn.Retry != 0 {
			t.Retries++
		}
		if s.Fault != nil {
			t.Failures = metrics.AddFaults(t.Failures, s.Fault.Count())
		}
		if s.Model != "" || s.Served.Service != (metrics.Service{}) {
			t.Services = tally(t.Services, ServiceCount{AskedModel: turn.Model, Model: s.Model,
				Asked: turn.Service, Served: s.Served.Service,
				Other: metrics.CompareModels(turn.Model, s.Model) == metrics.ModelOther ||
					s.Served.Otherwise(turn.Service) != metrics.Service{}})
		}
		add(&t.In, s.Usage.Prompt)
		add(&t.Out, s.Usage.Completion)
		if turn.Cache.Share.OK {
			add(&t.Cached, min(s.Usage.Cached, s.Usage.Prompt))
			both += float64(s.Usage.Prompt)
		}
		t.Bill.Add(turn.Bill())
	}
	if t.Cached.OK {
		t.Cached.V /= both
	}
	return t
}

// tally counts x, which has no number, in all, the most frequent first.
func tally(all []ServiceCount, x ServiceCount) []ServiceCount {
	i := slices.IndexFunc(all, func(y ServiceCount) bool {
		x.N = y.N
		return x == y
	})
	if i < 0 {
		x.N = 0
		i, all = len(all), append(all, x)
	}
	all[i].N++
	slices.SortStableFunc(all, func(a, b ServiceCount) int { return cmp.Compare(b.N, a.N) })
	return all
}

// add adds a count, -1 for none, to a sum that is unknown without one.
func add(sum *metrics.Value, n int) {
	if n >= 0 {
		*sum = metrics.Known(sum.V+float64(n), sum.N+1)
	}
}

// clock divides the time on the clock.
func (t *Totals) clock(v *View) {
	parts := [...]*time.Duration{&t.Model, &t.Network, &t.Client, &t.You}
	partOf := [activities]int{Connect: 1, Upload: 1, ServerTool: 2, Client: 2, You: 3} // else 0
	type change struct {
		at    metrics.Stamp
		part  int
		begin int // 1, or -1 at the end
	}
	var changes []change
	put := func(part int, from, to metrics.Stamp) {
		changes = append(changes, change{from, part, 1}, change{to, part, -1})
	}
	for i := range v.Turns {
		turn := &v.Turns[i]
		if v.Conversations[turn.Conversation-1].Of != 0 {
			work := turn.working()
			put(partOf[Client], work.From, work.To)
			continue
		}
		for _, s := range turn.Spans {
			put(partOf[s.Activity], s.From, s.To)
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var running [len(parts)]int
	for i, c := range changes {
		if part := slices.IndexFunc(running[:], func(n int) bool { return n > 0 }); part >= 0 {
			d := time.Duration(c.at - changes[i-1].at)
			*parts[part] += d
			t.Clock += d
		}
		running[c.part] += c.begin
	}
}
