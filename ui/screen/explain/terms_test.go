package explain

import (
	"slices"
	"testing"

	"tokscope/metrics/serving"
)

// stepOf is a step with these terms: a name and seconds, in turn.
func stepOf(m *serving.Machine, terms ...any) (st serving.EngineStep) {
	for i := 0; i < len(terms); i += 2 {
		st.Terms[st.NumTerms] = serving.StepTerm{Name: terms[i].(string), Seconds: terms[i+1].(float64)}
		st.NumTerms++
	}
	st.Machine = m
	return st
}

// TestRowsShowWhatMatters: where rows are few, the least parts share one. What
// an option adds keeps its row however short it is, what is long is never "the
// rest", and what only another machine had has no row.
func TestRowsShowWhatMatters(t *testing.T) {
	now, before := &serving.Machine{Name: "now"}, &serving.Machine{Name: "before"}
	for _, c := range []struct {
		what string
		st   serving.EngineStep
		n    int
		want []string
	}{
		{"experts on two devices", stepOf(now, "projections", 2.17, "experts", 15.7, "KV read", 0.21, "exchange", 0.08, "kernels", 7.9, "engine", 0.3, "activations", 0.1), 6,
			[]string{"weights", "experts", "exchange", "kernels", "engine", "the rest"}},
		{"a pipeline", stepOf(now, "projections", 176.0, "KV read", 0.25, "prompt attention", 4.3, "exchange", 0.081, "kernels", 6.0, "engine", 0.4, "activations", 6.1), 5,
			[]string{"weights", "exchange", "kernels", "activations", "the rest"}},
		{"fixed times", stepOf(now, "projections", 0.63, "experts", 5.1, "KV read", 0.17, "prompt attention", 0.01, "all-reduce", 0.76, "kernels", 11.0, "engine", 0.3), 5,
			[]string{"weights", "experts", "all-reduce", "kernels", "the rest"}},
		{"a draft head", stepOf(now, "projections", 5.24, "KV read", 0.42, "draft", 0.01, "kernels", 1.11, "engine", 0.38, "activations", 0.1), 4,
			[]string{"weights", "draft model", "kernels", "the rest"}},
		{"experts on the CPU", stepOf(now, "projections", 5.0, "experts", 3.0, "CPU experts", 0.1, "KV read", 0.4, "kernels", 1.0, "activations", 0.1), 4,
			[]string{"weights", "experts", "CPU experts", "the rest"}},
		{"linear attention", stepOf(now, "projections", 5.0, "experts", 3.0, "states", 0.1, "KV read", 0.4, "kernels", 1.0, "activations", 0.1), 4,
			[]string{"weights", "experts", "linear states", "the rest"}},
		{"enough rows", stepOf(now, "projections", 5.0, "KV read", 0.4, "kernels", 1.0), 6, []string{"weights", "KV read", "kernels"}},
	} {
		old := stepOf(before, "projections", 9.0, "all-reduce", 5.0, "engine", 5.0)
		steps := []serving.EngineStep{old, old, c.st, c.st}
		of := sharesOf(steps, now)
		var got []string
		for _, r := range rowsOf(nil, &c.st, &of, c.n) {
			got = append(got, groups[r.group].name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
