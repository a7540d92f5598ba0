package screen

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// The header names the model that was asked for, and another one that answered
// as a warning.
func TestEndpointNamesTheModel(t *testing.T) {
	run := metrics.Stream{State: metrics.Done, Endpoint: metrics.Endpoint{URL: "u", Model: "no-such"}, Model: "mid"}
	for _, tt := range []struct {
		name string
		e    metrics.Endpoint
		want []string
	}{
		{"another model", metrics.Endpoint{Name: "n", URL: "u", Model: "no-such"},
			[]string{"n", "no-such", "answered by mid"}},
		{"chosen since", metrics.Endpoint{Name: "n", URL: "u", Model: "big"}, []string{"n", "big"}},
		{"another API", metrics.Endpoint{Name: "n", URL: "u", API: "messages", Model: "no-such"},
			[]string{"n messages", "no-such"}},
		{"another endpoint", metrics.Endpoint{Name: "n", URL: "v", Model: "no-such"}, []string{"n", "no-such"}},
		{"none was named", metrics.Endpoint{Name: "n", URL: "u"}, []string{"n", "mid"}},
	} {
		var st Status
		st.Endpoint(tt.e, Served(&run, tt.e))
		var have []string
		for _, p := range st.Parts {
			have = append(have, p.Text)
			testkit.Is(t, p.Role == themes.Warn, p.Text == "answered by mid", tt.name, p.Text, "has role", p.Role)
		}
		testkit.That(t, len(have) == len(tt.want) && have[len(have)-1] == tt.want[len(have)-1],
			"%s: %q, want %q", tt.name, have, tt.want)
	}
	running := run
	running.State = metrics.Decoding
	if name := Served(&running, metrics.Endpoint{Name: "n", URL: "v"}); name != "" {
		t.Errorf("a request that runs elsewhere names the model %q", name)
	}
	alias := run
	alias.Model = "no-such-2026-01-01"
	var st Status
	st.Endpoint(alias.Endpoint, Served(&alias, alias.Endpoint))
	testkit.Is(t, len(st.Parts), 2, "an alias is in the header", st.Parts)
}
