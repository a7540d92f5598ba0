package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	stored "tokscope/probe/history"
)

// TestReadSampleFromHistory: a baseline and a filter are samples in groups of equal
// setups; points of a load are not mixed with requests.
func TestReadSampleFromHistory(t *testing.T) {
	dir := t.TempDir()
	store := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	began := time.Now().Add(-time.Hour).UTC()
	series := history.Series{Machine: "here", Endpoint: "groq", URL: "https://x/v1", Model: "m", Workload: "chat",
		MaxTokens: 40, Users: 1}
	var all []history.Entry
	for i := range 20 {
		e := history.Entry{ID: strings.Repeat("0", 30) + string(rune('a'+i/10)) + string(rune('0'+i%10)),
			At: began.Add(time.Duration(i) * time.Minute), Kind: history.Probe, Series: series, State: metrics.Done, N: 1,
			Version: "v1"}
		e.Figures[history.TTFT] = metrics.Known(100+100*float64(i/10), 1)
		if i == 19 {
			e.Kind = history.Point
		}
		all = append(all, e)
	}
	testkit.OK(t, store.Append(all...))
	testkit.Must(store.SetBaseline("usual", series, began, began.Add(10*time.Minute)))(t)
	env := func(string) string { return "" }
	read := func(name string) (*comparison.Sample, error) { return ReadSample(name, "", dir, nil, env) }
	a, err := read("baseline:usual")
	if err != nil || a.N() != 10 || a.Kind != comparison.KindBaseline || len(a.Groups) != 1 || a.Machines[0] != "here" {
		t.Fatalf("%+v, %v", a, err)
	}
	b, err := read("history:endpoint:groq since:51m")
	if err != nil || len(b.Groups) != 2 || b.Groups[0].Requests != 9 || len(b.Groups[0].Values(history.TTFT)) != 9 {
		t.Fatalf("%+v, %v", b, err)
	}
	c := comparison.Compare(a, b, nil)
	testkit.That(t, len(c.Pairs) == 1 && c.Pairs[0].Row(history.TTFT).State == comparison.Higher && len(c.OnlyB) == 1,
		"%+v", c)
	for name, want := range map[string]string{
		"baseline:other":        `no baseline is called "other": known are usual`,
		"history:endpoint:x":    "matches none of 20 requests",
		"history:ttft>>":        "history:ttft>>: ",
		filepath.Join(dir, "x"): "name a saved result, baseline:NAME or history:FILTER",
		dir:                     "cannot be read",
	} {
		if s, err := read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "file"), []byte("{}"), 0o600))
	if _, err := read(filepath.Join(dir, "file")); err == nil || !strings.Contains(err.Error(),
		"not a result of tokscope") {
		t.Error(err)
	}
}
