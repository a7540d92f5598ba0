package history

import (
	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// texts are the terms on a text of the series.
var texts = []struct {
	key string
	of  func(*Series) string
}{
	{"endpoint", func(s *Series) string { return s.Endpoint }},
	{"model", func(s *Series) string { return s.Model }},
	{"workload", func(s *Series) string { return s.Workload }},
	{"machine", func(s *Series) string { return s.Machine }},
	{"url", func(s *Series) string { return s.URL }},
	{"protocol", func(s *Series) string { return s.Proto }},
	{"proxy", func(s *Series) string { return s.Proxy }},
	{"prompt", func(s *Series) string { return s.Prompt }},
}

// words are the terms on one of some words.
var words = []struct {
	key   string
	known []string // nil: any
	of    func(*Entry) string
}{
	{"kind", []string{string(Run), string(Probe), string(Race), string(Point), string(Watch), string(Session)},
		func(e *Entry) string { return string(e.Kind) }},
	{"state", []string{"done", "failed", "truncated", "canceled"}, func(e *Entry) string { return e.State.String() }},
	{"fault", nil, func(e *Entry) string { return string(e.Fault) }},
	{"group", nil, func(e *Entry) string { return e.Group }},
	{"version", nil, func(e *Entry) string { return e.Version }},
	{"suspect", []string{"yes", "no"}, func(e *Entry) string {
		if e.Suspect {
			return "yes"
		}
		return "no"
	}},
}

// counts are the numbers of an entry besides its figures.
var counts = []struct {
	key string
	of  func(*Entry) metrics.Value
}{
	{"input", func(e *Entry) metrics.Value { return e.Prompt }},
	{"output", func(e *Entry) metrics.Value { return e.Output }},
	{"stalls", func(e *Entry) metrics.Value { return metrics.Known(float64(e.Stalls), e.N) }},
	{"n", func(e *Entry) metrics.Value { return metrics.Known(float64(e.N), e.N) }},
	{"failed", func(e *Entry) metrics.Value { return metrics.Known(float64(e.Failed), e.N) }},
}

// conditions are the numbers of a series.
var conditions = []struct {
	key string
	of  func(*Series) float64
}{
	{"users", func(s *Series) float64 { return float64(s.Users) }},
	{"rate", func(s *Series) float64 { return s.Rate }},
	{"max_tokens", func(s *Series) float64 { return float64(s.MaxTokens) }},
	{"input_tokens", func(s *Series) float64 { return float64(s.InputTokens) }},
}

// Terms returns the words before a colon, and the names of figures and counts.
func Terms() (keys, figures []string) {
	for _, t := range texts {
		keys = append(keys, t.key)
	}
	for _, w := range words {
		keys = append(keys, w.key)
	}
	keys = append(keys, "connection", "status", "since", "until", "sort")
	for f := range figure.Kept {
		figures = append(figures, f.String())
	}
	for _, c := range counts {
		figures = append(figures, c.key)
	}
	for _, c := range conditions {
		figures = append(figures, c.key)
	}
	return keys, figures
}

// number returns the figure or count of that name.
func number(name string) (of func(*Entry) metrics.Value, found bool) {
	if f, ok := kept(name); ok {
		return func(e *Entry) metrics.Value { return e.Figures[f] }, true
	}
	for _, c := range counts {
		if c.key == name {
			return c.of, true
		}
	}
	for _, c := range conditions {
		if c.key == name {
			return func(e *Entry) metrics.Value { return metrics.Known(c.of(&e.Series), e.N) }, true
		}
	}
	return nil, false
}

// ofSeries reports whether the number of that name is one of the series.
func ofSeries(name string) bool {
	for _, c := range conditions {
		if c.key == name {
			return true
		}
	}
	return false
}

// timed reports whether the number of that name is a time.
func timed(name string) bool {
	f, ok := kept(name)
	return ok && f.Timed()
}

// kept returns the figure of that name, if the history keeps it.
func kept(name string) (f figure.ID, ok bool) {
	f, ok = figure.Named(name)
	return f, ok && f < figure.Kept
}
