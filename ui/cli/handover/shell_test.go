package handover

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// ran runs a command line in a shell where the tools print their arguments,
// each in angle brackets, and date counts up.
func ran(t *testing.T, line string, env ...string) (string, error) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "clock"), []byte("100"), 0o600); err != nil {
		t.Fatal(err)
	}
	const tools = `date() { n=$(cat clock); echo $((n + 1)) > clock; echo $n; }
vllm() { printf '<%s>' "$@"; echo; }; guidellm() { vllm "$@"; }; aiperf() { vllm "$@"; }
`
	cmd := exec.Command(sh, "-c", tools+line)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Random text of one seed is the same text: every step and every run must
// have another one, or a prefix cache has the prompts.
func TestHandoverSeedsDiffer(t *testing.T) {
	for _, h := range Handovers(drawnLoad(t, "1000", "200")) {
		testkit.That(t, strings.Contains(h.Command, "$(date +%s)"), "%s: its seed is fixed:\n%s", h.Tool, h.Command)
	}
	h := Handovers(drawnLoad(t, "1000", "200"))[0]
	out, err := ran(t, h.Command)
	testkit.That(t, err == nil && strings.Contains(out, "<--seed><100>") && strings.Contains(out, "<--seed><101>"),
		"vLLM's two steps do not have two seeds: %v\n%s", err, out)
}

// A tool that holds fewer prompts than it sends repeats them.
func TestHandoverHasAPromptForEveryRequest(t *testing.T) {
	for _, x := range []struct {
		name string
		load func(*Load)
		want []string
	}{
		{"a number of requests", func(l *Load) { l.Duration, l.Requests = 0, 300 }, []string{"--request-count 300",
			"--num-dataset-entries 300"}},
		{"fewer requests than users", func(l *Load) { l.Duration, l.Requests = 0, 5 }, []string{"--request-count 8",
			"--num-dataset-entries 8"}},
		{"20 s of 8 users at 400 tok/s", func(*Load) {}, []string{"--request-count 320", "--num-dataset-entries 320",
			"--benchmark-duration 20"}},
		{"20 s of 5 requests per second", func(l *Load) { l.Users, l.Rates = nil, []float64{1, 5} },
			[]string{"--request-count 100", "--num-dataset-entries 100"}},
		{"the same at random", func(l *Load) { l.Users, l.Rates, l.Poisson = nil, []float64{1, 5}, true },
			[]string{"--request-count 140", "--num-dataset-entries 140"}},
	} {
		l := drawnLoad(t, "1000", "200")
		x.load(&l)
		for _, h := range Handovers(l) {
			for _, want := range x.want {
				testkit.That(t, l.Requests > 0 == strings.Contains(strings.Join(h.Notes, "\n"), "sends just these requests"),
					"%s, %s: %q", h.Tool, x.name, h.Notes)
				testkit.That(t, h.Tool != "AIPerf" || strings.Contains(h.Command, want),
					"%s: no %q in\n%s", x.name, want, h.Command)
			}
		}
	}
}

// Every line names a tokenizer, the one of the model or a folder, which the
// environment replaces; and a model, which it asks for where it is not known.
func TestHandoverTokenizerAndModel(t *testing.T) {
	for _, x := range []struct{ model, env, want string }{
		{"org/model-8b", "", "org/model-8b"}, {"llama-3.1-8b@h100", "", "tokenizer"}, {"org/model-8b", "TOKENIZER=/some dir",
			"/some dir"},
	} {
		l := drawnLoad(t, "1000", "200")
		l.Endpoint.Model = x.model
		for _, h := range Handovers(l) {
			out, err := ran(t, h.Command, x.env)
			if err != nil || !strings.Contains(out, "<"+x.want+">") &&
				!strings.Contains(out, "<kind=huggingface_auto,model="+x.want+">") {
				t.Errorf("%s, %+v: %v\n%s", h.Tool, x, err, out)
			}
		}
	}
	l := drawnLoad(t, "1000", "200")
	l.Endpoint.Model = ""
	for _, h := range Handovers(l) {
		if h.Tool == "GuideLLM" {
			continue // takes the first one of the endpoint
		}
		if out, err := ran(t, h.Command, "MODEL="); err == nil || !strings.Contains(out, "set it to the name of the model") {
			t.Errorf("%s without a model: %v\n%s", h.Tool, err, out)
		}
		if out, err := ran(t, h.Command, "MODEL=m 1"); err != nil || !strings.Contains(out, "<--model><m 1>") {
			t.Errorf("%s: %v\n%s", h.Tool, err, out)
		}
	}
}

// A step of one user, or an open loop, has no users that start together.
func TestHandoverOfOneUserHasNoStart(t *testing.T) {
	l := drawnLoad(t, "1000", "200")
	for _, alone := range []Load{{SweepPlan: loadstat.SweepPlan{Users: []int{1}}},
		{SweepPlan: loadstat.SweepPlan{Rates: []float64{2}}}} {
		alone.Endpoint, alone.Output, alone.Duration = l.Endpoint, metrics.FixedLength(200), time.Second
		for _, h := range Handovers(alone) {
			if text := strings.Join(h.Notes, "\n"); strings.Contains(text, "starts ") || strings.Contains(h.Command, "ramp") {
				t.Errorf("%s for %v users: %s", h.Tool, alone.Users, text)
			}
		}
	}
}
