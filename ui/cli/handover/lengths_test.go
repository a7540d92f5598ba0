package handover

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/ui/uitest/golden"
)

func lengths(t *testing.T, text string) metrics.Lengths {
	t.Helper()
	l := testkit.Must(metrics.ParseLengths(text))(t)
	return l
}

// drawnLoad is a load whose prompts and answers are drawn like that.
func drawnLoad(t *testing.T, in, out string) Load {
	t.Helper()
	return Load{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, URL: "https://llm.example.com/v1", Model: "m"},
		SweepPlan: loadstat.SweepPlan{Input: lengths(t, in), Output: lengths(t, out), Users: []int{1, 8},
			Duration: 20 * time.Second},
	}
}

func TestHandoverOfDrawnLengths(t *testing.T) {
	var b bytes.Buffer
	testkit.OK(t, PrintHandover(&b, Handovers(drawnLoad(t, "200..4000", "100..400"))))
	golden.File(t, "testdata/handover-range.txt", b.String())

	for _, x := range []struct {
		tool, in, out string
		shared        bool
		want          []string // parts of the command
		differs       string   // a part of the note that says what is not the same; "" when all is
	}{
		{"vLLM", "1000", "200", false, []string{"--random-input-len 1000 ", "--random-output-len 200 "}, ""},
		{"vLLM", "200..4000", "200", false, []string{"--random-input-len 2100 ",
			`--random-range-ratio '{"input": 0.904761, "output": 0}'`}, ""},
		{"vLLM", "1000", "100..400", false, []string{"--random-output-len 250 ",
			`--random-range-ratio '{"input": 0, "output": 0.6}'`}, ""},
		// 16 to 3816 behind 184
		{"vLLM", "200..4000", "200", true, []string{"--random-prefix-len 184 ", "--random-input-len 1916 "}, ""},
		{"vLLM", "1000±200", "200", false, []string{"--random-input-len 1000 ", `{"input": 0.346, "output": 0}`},
			"prompts of 1000±200 tokens become 654..1346"},
		{"vLLM", "100,1000,10000", "200", false, []string{"--random-input-len 3700 "},
			"prompts of 100,1000,10000 tokens become 1..7399"},
		{"vLLM", "1000", "100,400", false, []string{"--random-output-len 250 "}, "answers of 100,400 tokens become 1..499"},
		{"GuideLLM", "200..4000", "200", false,
			[]string{"prompt_tokens=2100,prompt_tokens_min=200,prompt_tokens_max=4000,output_tokens=200 "}, ""},
		{"GuideLLM", "1000±200", "200", false,
			[]string{"prompt_tokens=1000,prompt_tokens_stdev=200,prompt_tokens_min=400,prompt_tokens_max=1600,output_tokens=200 "}, ""},
		{"GuideLLM", "200..4000", "200", true,
			[]string{"prefix_tokens=184,prompt_tokens=1916,prompt_tokens_min=16,prompt_tokens_max=3816,"}, ""},
		{"GuideLLM", "100,1000", "200", false,
			[]string{"prompt_tokens=550,prompt_tokens_stdev=450,prompt_tokens_min=100,prompt_tokens_max=1000,"},
			"prompts of 100,1000 tokens"},
		{"AIPerf", "1000", "200", false, []string{"--isl 1000 ", "--osl 200 "}, ""},
		{"AIPerf", "1000±200", "200", false, []string{"--isl 1000 ", "--isl-stddev 200 ", "--osl 200 "}, ""},
		{"AIPerf", "200..4000", "200", false, []string{"--isl 2100 ", "--isl-stddev 1097 "}, "prompts of 200..4000 tokens"},
		{"AIPerf", "100,1000,10000", "200", false,
			[]string{"--sequence-distribution '100,200:33.333333;1000,200:33.333333;10000,200:33.333333'"}, ""},
		{"AIPerf", "100,1000", "400±20", false, []string{"--sequence-distribution '100,400|20:50;1000,400|20:50'"}, ""},
		{"AIPerf", "100,1000", "50,400", true, []string{"--shared-system-prompt-length 84 ",
			"--sequence-distribution '16,50:25;16,400:25;916,50:25;916,400:25'"}, ""},
		{"AIPerf", "1000", "100..400", false, []string{"--osl 250 ", "--osl-stddev 87 "}, "answers of 100..400 tokens"},
		{"AIPerf", strings.Repeat("10,", 64) + "20", "200", false, []string{"--isl 10 ", "--isl-stddev 1 "},
			"come from a normal distribution"},
	} {
		l := drawnLoad(t, x.in, x.out)
		l.SharedPrefix = x.shared
		for _, h := range Handovers(l) {
			if h.Tool != x.tool {
				continue
			}
			name := x.tool + " " + x.in + " / " + x.out
			for _, want := range x.want {
				testkit.That(t, strings.Contains(h.Command, want), "%s: no %q in\n%s", name, want, h.Command)
			}
			switch differs := strings.HasPrefix(h.Notes[0], notSame); {
			case x.differs == "" && differs:
				t.Errorf("%s: %q", name, h.Notes[0])
			case x.differs != "" && (!differs || !strings.Contains(h.Notes[0], x.differs)):
				t.Errorf("%s: the first note is %q, want %q", name, h.Notes[0], x.differs)
			}
		}
	}
}

// vLLM draws from ⌊n·(1−r)⌋ to ⌈n·(1+r)⌉: that is the range, but for a token
// where its middle lies between two.
func TestEvenSpreadProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(1, 20_000).Draw(t, "low")
		high := rapid.IntRange(low, 200_000).Draw(t, "high")
		n, cut := even(low, high)
		r, err := strconv.ParseFloat(digits(cut, 6), 64) // as it is printed
		testkit.OK(t, err)
		testkit.Given(t, r >= 0 && r < 1, "ratio %v", r)
		from, to := math.Floor(float64(n)*(1-r)), math.Ceil(float64(n)*(1+r))
		slack := 0.0
		if (low+high)%2 == 1 {
			slack = 1
		}
		testkit.Given(t, math.Abs(from-float64(low)) <= slack && math.Abs(to-float64(high)) <= slack,
			"%d..%d becomes %v..%v (n %d, r %v)", low, high, from, to, n, r)
	})
}

// AIPerf refuses chances that do not add up to 100, to a part in a million.
func TestPairsAddUpToAHundred(t *testing.T) {
	for n := 2; n <= mostPairs; n++ {
		l := metrics.Lengths{}
		for i := range n {
			l.Choices = append(l.Choices, 100+i)
		}
		load := Load{SweepPlan: loadstat.SweepPlan{Input: l, Output: metrics.FixedLength(200)}}
		text := (&line{Load: &load, tool: &aiperf}).pairs()
		testkit.Given(t, text != "", "%d pairs: too many", n)
		sum := 0.0
		for p := range strings.SplitSeq(text, ";") {
			_, chance, _ := strings.Cut(p, ":")
			v := testkit.Must(strconv.ParseFloat(chance, 64))(t)
			sum += v
		}
		testkit.That(t, math.Abs(sum-100) <= 1e-4, "%d pairs add up to %v", n, sum)
	}
}

// fileLoad is a load that sends the prompts of a file in rotation.
func fileLoad(t *testing.T, path string) Load {
	t.Helper()
	l := drawnLoad(t, "1", "200")
	l.Input, l.File, l.Prompts, l.Work = metrics.Lengths{}, path, []string{"Why?", "How?"},
		metrics.Workload{Prompt: "Why?"}
	return l
}

func TestHandoverOfAFile(t *testing.T) {
	var b bytes.Buffer
	testkit.OK(t, PrintHandover(&b, Handovers(fileLoad(t, "my prompts.txt"))))
	golden.File(t, "testdata/handover-file.txt", b.String())

	l := fileLoad(t, "p.txt")
	l.Output, l.Work.System = lengths(t, "100..400"), "Be brief."
	for _, h := range Handovers(l) {
		for i, want := range []string{"system message", "100..400"} {
			testkit.That(t, strings.HasPrefix(h.Notes[i], notSame) && strings.Contains(strings.Join(h.Notes[:2], "\n"), want),
				"%s does not say first that %s is lost: %q", h.Tool, want, h.Notes)
		}
	}
	// Brought to one length, prompts are mostly prose: then that length counts.
	l.Input = lengths(t, "1000")
	for _, h := range Handovers(l) {
		testkit.That(t, !strings.Contains(h.Command, "p.txt") && strings.Contains(h.Command, "1000"),
			"%s: %s", h.Tool, h.Command)
	}
}

// The shell makes of the file what the tools read: the prompts that are sent
// here, blank lines left out.
func TestHandoverWritesTheFile(t *testing.T) {
	dir := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "it's; mine.txt"), []byte("Why?\n\n  How \"long\"?\t\r\n\\n \nlast"),
		0o600))
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Log("no shell here: nothing was tried in one")
		return
	}
	_, noJQ := exec.LookPath("jq")
	for _, h := range Handovers(fileLoad(t, "it's; mine.txt")) {
		if noJQ != nil && h.Tool != "GuideLLM" {
			t.Logf("no jq here: the line of %s was not tried", h.Tool)
			continue
		}
		cmd := exec.Command(sh, "-c", "vllm() { :; }; guidellm() { :; }; aiperf() { :; }\n"+h.Command)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", h.Tool, err, out)
		}
	}
	for name, want := range map[string]string{
		"prompts-vllm.jsonl": `{"prompt":"Why?"}` + "\n" + `{"prompt":"How \"long\"?"}` + "\n" + `{"prompt":"\\n"}` +
			"\n" + `{"prompt":"last"}` + "\n",
		"prompts-aiperf.jsonl": `{"text":"Why?"}` + "\n" + `{"text":"How \"long\"?"}` + "\n" + `{"text":"\\n"}` + "\n" +
			`{"text":"last"}` + "\n",
		"prompts-guidellm.txt": "Why?\nHow \"long\"?\n\\n\nlast",
	} {
		if noJQ != nil && strings.HasSuffix(name, ".jsonl") {
			continue
		}
		have, err := os.ReadFile(filepath.Join(dir, name))
		testkit.That(t, err == nil && strings.TrimRight(string(have), "\n") == strings.TrimRight(want, "\n"),
			"%s holds %q, %v; want %q", name, have, err, want)
	}
}
