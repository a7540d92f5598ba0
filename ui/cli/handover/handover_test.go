package handover

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/uitest/golden"
)

func TestHandovers(t *testing.T) {
	hot := 0.7
	slos := testkit.Must(slo.Parse("ttft=500ms,speed>=20,gap=1s"))(t)
	base := Load{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, URL: "https://llm.example.com/openai/v1",
			Model: "org/model-8b"},
		SweepPlan: loadstat.SweepPlan{Work: metrics.Workload{MaxTokens: 200, Temperature: &hot},
			Input: metrics.FixedLength(1000),
			Users: []int{1, 8, 64}, Duration: 20 * time.Second, SLOs: slos},
	}
	var b bytes.Buffer
	testkit.OK(t, PrintHandover(&b, Handovers(base)))
	golden.File(t, "testdata/handover-users.txt", b.String())

	open := base
	open.Users, open.Rates, open.Poisson, open.SLOs = nil, []float64{0.5, 2}, true, nil
	open.Output, open.SharedPrefix = metrics.Lengths{Low: 100, High: 400}, true
	b.Reset()
	testkit.OK(t, PrintHandover(&b, Handovers(open)))
	golden.File(t, "testdata/handover-rates.txt", b.String())
}

// What a server or a person calls a model must not become a command.
func TestHandoverQuotes(t *testing.T) {
	for _, name := range []string{"$(touch x)", "a'b; rm -rf .", "`id`", "two words", "a\nb", "\x1b[31mred"} {
		for _, h := range Handovers(Load{Endpoint: metrics.Endpoint{URL: "http://h/v1", Model: name},
			SweepPlan: loadstat.SweepPlan{Users: []int{1}, Duration: time.Second}}) {
			testkit.That(t, !strings.ContainsRune(h.Command, 0x1b), "%s with model %q: an escape in %q", h.Tool, name, h.Command)
			sh, err := exec.LookPath("sh")
			if err != nil {
				t.Logf("no shell here: %s was not tried in one", h.Tool)
				continue
			}
			// The tool becomes echo: the shell must see the name as one word.
			shell := "vllm() { printf '<%s>' \"$@\"; }; guidellm() { vllm \"$@\"; }; aiperf() { vllm \"$@\"; }\n" + h.Command
			out, err := exec.Command(sh, "-c", shell).CombinedOutput()
			testkit.Is(t, err, nil, h.Tool, "with model", name, out)
			testkit.That(t, h.Tool == "GuideLLM" || strings.Contains(string(out), "<--model><"),
				"%s with model %q: %s", h.Tool, name, out)
			testkit.That(t, !strings.Contains(string(out), "uid="), "%s with model %q ran a command: %s", h.Tool, name, out)
		}
	}
}
