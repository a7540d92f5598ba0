package metrics

import "slices"

// Conditions are what must be equal for the figures of two requests to be
// pooled or compared: the endpoint, the model that was asked for and the one that
// answered, the service, what was asked, and the connection. Unknown parts have their zero value.
type Conditions struct {
	Endpoint     Endpoint // without what does not change figures: Kind, Note, Ready, Price, Badge
	Answered     string   // the model's name in the answer
	Served       Service  // of the answer
	Asked        Asked
	Concurrency  int  // at least 1
	Connected    bool // Reused is known
	Reused       bool // warm
	Proto, Proxy string
}

// Asked is what a request asks for, as far as figures depend on it.
type Asked struct {
	System, Prompt         string
	Messages, Tools        Raw
	InputTokens, MaxTokens int
	Tempered, Seeded       bool // temperature, seed were asked for
	Temperature            float64
	Seed                   int
}

// Asked returns what w asks for.
func (w *Workload) Asked() Asked {
	a := Asked{System: w.System, Prompt: w.Prompt, Messages: w.Messages, Tools: w.Tools,
		InputTokens: w.InputTokens, MaxTokens: w.MaxTokens}
	if w.Temperature != nil {
		a.Tempered, a.Temperature = true, *w.Temperature
	}
	if w.Seed != nil {
		a.Seeded, a.Seed = true, *w.Seed
	}
	return a
}

// ConditionsOf returns the conditions of s, as far as they are known.
func ConditionsOf(s *Stream) Conditions {
	c := Conditions{
		Endpoint: Endpoint{Name: s.Endpoint.Name, URL: s.Endpoint.URL, Model: s.Endpoint.Model,
			Settings: s.Endpoint.Settings}, Answered: s.Model,
		Served: s.Served.Service,
		Asked:  s.Work.Asked(), Concurrency: max(s.Work.Concurrency, 1),
		Proto: s.Conn.Proto, Proxy: s.Conn.Proxy,
	}
	if s.Marks.GotConn.Known() || s.Conn.Reused {
		c.Connected, c.Reused = true, s.Conn.Reused
	}
	return c
}

// Fit reports whether c and d are equal in everything that both know.
func (c Conditions) Fit(d Conditions) bool {
	if c.Answered == "" || d.Answered == "" {
		c.Answered, d.Answered = "", ""
	}
	if c.Served == (Service{}) || d.Served == (Service{}) {
		c.Served, d.Served = Service{}, Service{}
	}
	if !c.Connected || !d.Connected {
		c.Connected, d.Connected, c.Reused, d.Reused = false, false, false, false
	}
	if c.Proto == "" || d.Proto == "" {
		c.Proto, d.Proto, c.Proxy, d.Proxy = "", "", "", ""
	}
	return c == d
}

// Request returns the part of c that is not the connection.
func (c Conditions) Request() Conditions {
	c.Connected, c.Reused, c.Proto, c.Proxy = false, false, "", ""
	return c
}

// complete reports whether all of c is known.
func (c *Conditions) complete() bool { return c.Answered != "" && c.Connected && c.Proto != "" }

// RunGroup holds the runs of equal conditions.
type RunGroup struct {
	Conditions Conditions
	Runs       []Run // in the order of the session
}

// GroupRuns divides runs by their conditions, in the order of the first run of
// each. Every run is in one group. A run whose conditions are known in part,
// because it failed, joins the only group that it fits; else it has a group
// with others like it. Two runs that ended well share a group only if their
// conditions are equal.
func GroupRuns(runs []Run) []RunGroup {
	of := make([]int, len(runs)) // the group of each run, -1: not yet
	var all []Conditions
	place := func(i int, c Conditions) {
		if of[i] = slices.Index(all, c); of[i] < 0 {
			of[i] = len(all)
			all = append(all, c)
		}
	}
	for i := range runs {
		of[i] = -1
		if c := ConditionsOf(&runs[i].Stream); c.complete() || runs[i].Stream.State == Done {
			place(i, c)
		}
	}
	whole := len(all)
	for i := range runs {
		if of[i] >= 0 {
			continue
		}
		c, fits := ConditionsOf(&runs[i].Stream), -1
		for g := range whole {
			if all[g].Fit(c) {
				if fits >= 0 {
					fits = -1
					break
				}
				fits = g
			}
		}
		if fits >= 0 {
			of[i] = fits
		} else {
			place(i, c)
		}
	}
	groups, at := []RunGroup{}, make([]int, len(all))
	for i := range runs {
		g := of[i]
		if at[g] == 0 {
			groups = append(groups, RunGroup{Conditions: all[g]})
			at[g] = len(groups)
		}
		into := &groups[at[g]-1]
		into.Runs = append(into.Runs, runs[i])
	}
	return groups
}
