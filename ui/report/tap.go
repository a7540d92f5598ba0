package report

import (
	"cmp"

	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Tap is the summary of a session behind a tap: whose time it was, the slowest turn, and what
// became of the rest.
func Tap(v *turn.View, about turn.Tapped) *Doc {
	d := &Doc{}
	t := &v.Totals
	if len(v.Turns) == 0 {
		d.lead(say.TapNone(v, &about, false))
		return d
	}
	d.lead(say.TapSession(t))
	d.fact("slowest", say.TapSlowest(v))
	agents := 0
	for i := range v.Conversations {
		agents = max(agents, v.Conversations[i].Agent)
	}
	d.fact("turns", format.Join("; ",
		format.If(agents > 0, format.Count(t.OfAgents)+" by "+format.Plural(agents, "subagent", "subagents")),
		say.TapFailures(t), format.If(t.Retries > 0, format.Plural(t.Retries, "retry", "retries"))))
	d.fact("besides", say.TapOthers(v))
	cached := format.If(t.Cached.OK, ", "+format.Percent(t.Cached.V)+" from the cache")
	d.fact("tokens", format.Join("; ", format.If(t.In.OK, format.Whole(t.In.V)+" in"+cached),
		format.If(t.Out.OK, format.Whole(t.Out.V)+" out")))
	d.fact("cost", say.TapCost(&t.Bill), say.TapDearest(v))
	for i := range v.Turns {
		d.fact("cache", say.TapLost(v, &v.Turns[i]))
	}
	d.fact("served", pick.Each(t.Services, say.TapServed)...)
	d.fact("limits", append(say.RateLimits(&v.Limits.LimitForecasts), say.TapLimitTurns(&v.Limits))...)
	d.fact("patience", say.TapPatience(&about.Agent))
	added, unchanged := say.TapPassed(v.Turns)
	d.fact("the tap", added, unchanged, say.TapTransport(v))
	d.Note(format.If(t.Client > 0, say.TapPermission))
	return d
}

// TapAgents lists the clients that a tap knows.
func TapAgents(all []turn.Agent) *Doc {
	t := &Table{Cols: words("command", "client", "tried", "how")}
	var differs []string
	for _, a := range all {
		for _, how := range a.How {
			t.row(a.Command, a.Title, cmp.Or(format.Join(", ", a.Version, a.Tried), "not tried"), how)
		}
		differs = append(differs, format.If(a.Differs != "", a.Title+": "+a.Differs))
	}
	d := &Doc{}
	d.table(t)
	d.Note(differs...)
	return d
}

// TapsRunning lists taps that run, and the command that shows each.
func TapsRunning(all []turn.Tapped) *Doc {
	t := &Table{Cols: words("client", "upstream", "shown with")}
	for _, a := range all {
		t.row(cmp.Or(a.Agent.Command, "any client"), a.Upstream, "tokscope replay "+a.File)
	}
	d := &Doc{}
	d.table(t)
	return d
}
