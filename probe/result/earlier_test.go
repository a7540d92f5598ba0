package result_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// The documents and lines of the file were written on 27 November 2026, when reasons
// were words alone. They are read with all their figures, and with their reasons. A
// figure that came later is null.
func TestDocumentsOfEarlierVersions(t *testing.T) {
	data := testkit.Must(os.ReadFile("testdata/earlier.ndjson"))(t)
	types := map[string]any{result.ResultSchema: result.Document{}, result.SweepSchema: result.Sweep{},
		result.DepthSchema: result.Depth{}, result.RaceSchema: result.Race{}, "step": session.SweepLine{}, "end": endLine{}}
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		var was map[string]any
		testkit.OK(t, json.Unmarshal(line, &was))
		kind, _ := was["schema"].(string)
		if kind == "" {
			kind, _ = was["type"].(string)
		}
		seen[kind] = true
		v := reflect.New(reflect.TypeOf(types[kind])).Interface()
		testkit.OK(t, result.Unmarshal(line, v), kind)
		say := result.SayOf(metrics.Why.Text)
		again := testkit.Must(say.Append(nil, v))(t)
		for _, words := range []string{"connection reused", "the server does not report it"} {
			testkit.That(t, kind != "end" || bytes.Contains(line, []byte(words)) == strings.Contains(string(again), words),
				"%s: the reason %q is lost", kind, words)
		}
		var is map[string]any
		testkit.OK(t, json.Unmarshal(again, &is))
		result.WithoutTexts(was)
		result.WithoutTexts(is)
		withoutNew(is, was)
		testkit.Same(t, is, was, kind)
	}
	testkit.Is(t, len(seen), len(types), "of … kinds there are", seen)
}

// endLine is the last line of a request.
type endLine struct {
	Type    string         `json:"type"`
	ID      int            `json:"id"`
	Request result.Request `json:"request"`
}

// withoutNew removes from is the nulls that was does not have.
func withoutNew(is, was any) {
	switch is := is.(type) {
	case map[string]any:
		was, _ := was.(map[string]any)
		for name, v := range is {
			if old, had := was[name]; !had && v == nil {
				delete(is, name)
			} else {
				withoutNew(v, old)
			}
		}
	case []any:
		was, _ := was.([]any)
		for i := range min(len(is), len(was)) {
			withoutNew(is[i], was[i])
		}
	}
}
