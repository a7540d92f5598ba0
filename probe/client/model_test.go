package client_test

import (
	"context"
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
)

// A note says that another model answered than the one that was asked for.
func TestOtherModelIsNoted(t *testing.T) {
	for _, tt := range []struct{ answered, code string }{
		{"m", ""}, {"m-2026-11-22", metrics.NoteModelAlias}, {"mid", metrics.NoteOtherModel},
	} {
		event := fmt.Sprintf(`{"model":%q,"choices":[{"delta":{"content":"a"}}]}`, tt.answered)
		target := targetAt(streaming(t, event, event, "[DONE]").URL)
		e := newEngine(t, client.Options{})
		v := ended(e.StartQuiet(context.Background(), target, metrics.Workload{Prompt: "x"}))
		codes := ""
		for _, n := range v.Notes {
			codes += n.Code
		}
		testkit.That(t, codes == tt.code && v.Model == tt.answered, "%q for %q: notes %q", v.Model, target.Model, codes)
	}
}
