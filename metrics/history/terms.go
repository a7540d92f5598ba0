package history

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/filter"
)

// fields are the terms of a line, and with them what entries are sorted by.
var fields = filter.List[*Entry]{
	Fields: append([]filter.Field[*Entry]{
		textOf("endpoint", func(s *Series) string { return s.Endpoint }),
		textOf("model", func(s *Series) string { return s.Model }),
		textOf("workload", func(s *Series) string { return s.Workload }),
		textOf("machine", func(s *Series) string { return s.Machine }),
		textOf("url", func(s *Series) string { return s.URL }),
		textOf("api", func(s *Series) string { return s.API }),
		textOf("protocol", func(s *Series) string { return s.Proto }),
		textOf("proxy", func(s *Series) string { return s.Proxy }),
		textOf("tier", func(s *Series) string { return s.Tier }),
		textOf("lane", func(s *Series) string { return s.Lane }),
		textOf("settings", func(s *Series) string { return s.Settings }),
		textOf("prompt", func(s *Series) string { return s.Prompt }),
		{Key: "kind", Word: func(e *Entry) string { return string(e.Kind) },
			Known: []string{string(Run), string(Probe), string(Race), string(Point), string(Watch), string(Tap),
				string(Session)}},
		{Key: "state", Word: func(e *Entry) string { return e.State.String() },
			Known: []string{"done", "failed", "truncated", "canceled"}},
		{Key: "fault", Word: func(e *Entry) string { return string(e.Fault) }},
		{Key: "group", Word: func(e *Entry) string { return e.Group }},
		{Key: "version", Word: func(e *Entry) string { return e.Version }},
		filter.YesNo("suspect", func(e *Entry) bool { return e.Suspect }),
		{Key: "connection", Shared: true, Test: connectionOf},
		{Key: "status", Test: filter.OfStatus(func(e *Entry) int { return e.Status })},
	}, numbers()...),
	Words: func(e *Entry, part string) bool {
		s := &e.Series
		return filter.Contains(s.Endpoint, part) || filter.Contains(s.Model, part) ||
			filter.Contains(s.Workload, part) || filter.Contains(s.URL, part)
	},
	SharedWords: true,
	Others:      []string{"since", "until", "sort"},
}

func textOf(key string, of func(*Series) string) filter.Field[*Entry] {
	return filter.Field[*Entry]{Key: key, Shared: true, Text: func(e *Entry) string { return of(&e.Series) }}
}

// numbers are the figures that the history keeps, the counts of an entry, and the
// numbers of a series.
func numbers() (out []filter.Field[*Entry]) {
	for id := range figure.Kept {
		f := figure.Of(id)
		out = append(out, filter.Field[*Entry]{Key: f.Name, Aliases: f.Aliases, Timed: id.Timed(),
			Number: func(e *Entry) metrics.Value { return e.Figures[id] }})
	}
	count := func(key string, shared bool, of func(*Entry) float64) {
		out = append(out, filter.Field[*Entry]{Key: key, Shared: shared,
			Number: func(e *Entry) metrics.Value { return metrics.Known(of(e), e.N) }})
	}
	out = append(out, filter.Field[*Entry]{Key: "input", Number: func(e *Entry) metrics.Value { return e.Prompt }},
		filter.Field[*Entry]{Key: "output", Number: func(e *Entry) metrics.Value { return e.Output }})
	count("stalls", false, func(e *Entry) float64 { return float64(e.Stalls) })
	count("n", false, func(e *Entry) float64 { return float64(e.N) })
	count("failed", false, func(e *Entry) float64 { return float64(e.Failed) })
	count("users", true, func(e *Entry) float64 { return float64(e.Series.Users) })
	count("rate", true, func(e *Entry) float64 { return e.Series.Rate })
	count("max_tokens", true, func(e *Entry) float64 { return float64(e.Series.MaxTokens) })
	count("input_tokens", true, func(e *Entry) float64 { return float64(e.Series.InputTokens) })
	return out
}

// connectionOf tests whether each request had a new connection.
func connectionOf(value string) (func(*Entry) bool, error) {
	if value != "cold" && value != "warm" {
		return nil, fmt.Errorf("connection is one of cold, warm")
	}
	return func(e *Entry) bool { return e.Series.Cold == (value == "cold") }, nil
}
