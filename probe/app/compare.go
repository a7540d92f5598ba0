package app

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	stored "tokscope/probe/history"
	"tokscope/probe/session"
)

// Forms of a side of a comparison, other than the name of a file.
const (
	baselinePrefix = "baseline:"
	historyPrefix  = "history:"
	stdinName      = "-"
)

// ReadSample reads a side of a comparison: a saved result, "-" for standard input,
// "baseline:NAME" or "history:FILTER". It may wait for a pipe. configPath and
// stateDir are those of the flags, "" for the usual ones. The error names the next
// step.
func ReadSample(name, configPath, stateDir string, stdin io.Reader,
	env func(string) string) (*comparison.Sample, error) {
	baseline, isBaseline := strings.CutPrefix(name, baselinePrefix)
	filter, isHistory := strings.CutPrefix(name, historyPrefix)
	switch {
	case isBaseline || isHistory:
	case name == stdinName:
		return session.ReadSample(stdin, name)
	default:
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%w: name a saved result, baseline:NAME or history:FILTER", err)
		}
		defer func() { _ = f.Close() }()
		return session.ReadSample(f, name)
	}
	changed := map[string]string{}
	if stateDir != "" {
		changed["state-dir"] = stateDir
	}
	store, err := storeOf(configPath, changed, env)
	if err != nil {
		return nil, err
	}
	if isBaseline {
		return baselineSample(store, name, baseline)
	}
	return historySample(store, name, history.Query{Filter: filter, Sort: "at"}, comparison.KindHistory)
}

// storeOf opens the history that the configuration names.
func storeOf(configPath string, changed map[string]string, env func(string) string) (*stored.Store, error) {
	_, settings, err := Configuration(configPath, changed, env)
	if err != nil {
		return nil, err
	}
	return OpenHistory(settings, env)
}

// baselineSample returns the requests of a baseline.
func baselineSample(store *stored.Store, source, name string) (*comparison.Sample, error) {
	all, err := store.Baselines()
	if err != nil {
		return nil, err
	}
	var names []string
	for i := len(all) - 1; i >= 0; i-- { // the one that was set last
		b := &all[i]
		if b.Name == name {
			return historySample(store, source,
				history.Query{Series: &b.Series, From: b.From, To: b.To, Sort: "at"}, comparison.KindBaseline)
		}
		names = append(names, b.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no baseline is called %q: the history has none yet", clip(name))
	}
	slices.Sort(names)
	return nil, fmt.Errorf("no baseline is called %q: known are %s", clip(name), strings.Join(slices.Compact(names), ", "))
}

// historySample returns the requests that match a query.
func historySample(store *stored.Store, source string,
	q history.Query, kind comparison.Kind) (*comparison.Sample, error) {
	v, err := store.View(q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if len(v.Entries) == 0 {
		return nil, fmt.Errorf("%s matches none of %d requests in the history: widen the filter", source, v.All)
	}
	return sampleOf(v.Entries, source, kind), nil
}

// sampleOf groups entries, which ascend in time, by how they were made.
func sampleOf(entries []history.Entry, source string, kind comparison.Kind) *comparison.Sample {
	s := &comparison.Sample{Source: source, Kind: kind, From: entries[0].At, To: entries[len(entries)-1].At}
	for i := range entries {
		e := &entries[i]
		s.Of(setupOf(e)).Add(e)
		s.Machines = pick.Once(s.Machines, e.Series.Machine)
		s.Versions = pick.Once(s.Versions, e.Version)
		target := metrics.Endpoint{Name: e.Series.Endpoint, URL: e.Series.URL}
		if !slices.Contains(s.Endpoints, target) {
			s.Endpoints = append(s.Endpoints, target)
		}
	}
	return s
}

// setupOf returns how an entry was made. The history keeps neither the source of
// stamps nor that of counts.
func setupOf(e *history.Entry) comparison.Setup {
	s := &e.Series
	setup := comparison.Setup{
		Model: cmp.Or(s.Model, e.Answered), Workload: s.Workload, Settings: s.Settings,
		InputTokens: s.InputTokens, MaxTokens: s.MaxTokens,
		Connection: "reused", Proto: s.Proto, Proxy: cmp.Or(s.Proxy, "none"),
		Users: s.Users, Rate: s.Rate, Each: comparison.EachRequest,
	}
	if s.Cold {
		setup.Connection = "cold"
	}
	if s.Prompt != "" {
		setup.Prompt = "history:" + s.Prompt // keyed: no other source has it
	}
	if e.Kind == history.Point {
		setup.Each = comparison.EachPoint
	}
	return setup
}
