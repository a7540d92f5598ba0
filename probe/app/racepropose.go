package app

import (
	"cmp"
	"context"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/probe/endpoint"
)

// Machines of the embedded endpoint that are proposed against the one in use: a laptop, and
// for a laptop a data center.
const demoLaptop, demoCenter = "llama-3.1-8b-q4@m3max", "llama-3.1-8b@h100"

// RacePropose returns the endpoint in use against what shows a difference: of the embedded
// one another machine, else the endpoint that was measured last before it, else another of
// its models, else itself over new connections. It reads the history, and asks the endpoint
// for its models until ctx ends: without either where it has ended.
func (s *Race) RacePropose(ctx context.Context) (racestat.Contest, racestat.Proposal) {
	e := s.Endpoint()
	name := e.Name
	switch e.Kind {
	case metrics.EndpointEmbedded:
		name = cmp.Or(e.Model, demoCenter)
		other := demoLaptop
		if name == demoLaptop {
			other = demoCenter
		}
		return racestat.Contest{Targets: []string{name, other}}, racestat.DemoMachines
	case metrics.EndpointURL, metrics.EndpointLoopback:
		name = s.typed(&e)
	}
	here := withModel(name, e.Model)
	same := racestat.Contest{Targets: []string{here, here + "+cold"}}
	if ctx.Err() != nil {
		return same, racestat.SameCold
	}
	if other := s.lastOther(&e); other != "" {
		return racestat.Contest{Targets: []string{here, other}}, racestat.LastOther
	}
	if models, err := s.Models(ctx, e); err == nil && len(models) > 0 {
		if m := likeModel(models, cmp.Or(e.Model, models[0])); m != "" {
			return racestat.Contest{Targets: []string{here, withModel(name, m)}}, racestat.OtherModel
		}
	}
	return same, racestat.SameCold
}

// typed is what leads to e when it is typed: its name, else its URL, else the address of its
// requests, which says the API.
func (s *Race) typed(e *metrics.Endpoint) string {
	for _, text := range []string{e.Name, e.URL} {
		if t, err := s.o.Resolver.Resolve(text); err == nil && t.Same(e) {
			return text
		}
	}
	return (&endpoint.Target{Endpoint: *e}).Typed()
}

// withModel is a target with a model, "" for its default.
func withModel(target, model string) string {
	if model != "" {
		target += "#" + model
	}
	return target
}

// lastOther is the last endpoint of the history but e that answered well and can be asked
// without running a program of the person's; "" for none.
func (s *Race) lastOther(e *metrics.Endpoint) string {
	for _, last := range s.entries() {
		of := &last.Series
		there := metrics.Endpoint{Name: of.Endpoint, URL: of.URL, API: of.API, Model: of.Model}
		if there.Same(e) || last.State != metrics.Done {
			continue
		}
		target := s.typed(&there)
		if p, ok := s.o.Resolver.Profiles[of.Endpoint]; ok {
			if !p.APIKeyCmd.Empty() {
				continue
			}
			target = of.Endpoint
		} else if !strings.Contains(of.URL, of.Endpoint) { // not a host, so a provider
			target = of.Endpoint
		}
		target = withModel(target, of.Model)
		if l, err := lane(&s.o, target, "", ""); err == nil && l.Target.API == of.API && !l.Target.Same(e) {
			return target
		}
	}
	return ""
}

// likeModel is the model whose name has most in common with that of now, but now; "" for none.
func likeModel(models []string, now string) (best string) {
	most := -1
	for _, m := range models {
		if m == now || !endpoint.Chats(m) {
			continue
		}
		same := 0
		for same < min(len(m), len(now)) && m[same] == now[same] {
			same++
		}
		if same > most {
			best, most = m, same
		}
	}
	return best
}
