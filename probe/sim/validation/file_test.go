package validation

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// fileRow is a line of a file of rows. Unknown values are null.
type fileRow struct {
	ID, Group, Figure, Unit, Model, Machine, Software, Parallel string

	Notes   string
	Version string          `json:"software_version"`
	Weights string          `json:"precision_weights"`
	KV      string          `json:"precision_kv"`
	Load    json.RawMessage `json:"users_or_rate"` // users, or "2 req/s"
	Value   float64
	Devices int
	In      int `json:"in_tokens"`
	Out     int `json:"out_tokens"`
}

// TestRowsOfAFile plays the rows of the file that TOKSCOPE_ROWS names and prints
// medians, 90th percentiles and bias by group and figure. It never prints a single
// deviation. Rows that name something unknown are listed and left out. Without the
// variable it plays an example of made-up rows.
func TestRowsOfAFile(t *testing.T) {
	path := os.Getenv("TOKSCOPE_ROWS")
	example := path == ""
	if example {
		path = "testdata/example.jsonl"
	}
	text := testkit.Must(os.ReadFile(path))(t)
	sums, left := playFile(t, text)
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		s := sums[key]
		slices.Sort(s)
		size := make([]float64, len(s))
		for i, e := range s {
			size[i] = math.Abs(e)
		}
		slices.Sort(size)
		at := func(list []float64, q float64) float64 { return 100 * list[int(q*float64(len(list)-1)+.5)] }
		t.Logf("%-60s n %3d  median %5.1f %%  p90 %5.1f %%  bias %+5.1f %%",
			key, len(s), at(size, .5), at(size, .9), at(s, .5))
	}
	for _, l := range left {
		t.Logf("left out: %s", l)
	}
	if example {
		if len(left) != 2 || !strings.HasPrefix(left[0], "six: model") || !strings.HasPrefix(left[1], "seven: throughput") {
			t.Errorf("left out: %v, want the row of an unknown model, and one that does not say which tokens", left)
		}
		testkit.Is(t, len(sums["made up, TPOT"]), 1, "rows of TPOT")
		for key, s := range sums {
			if math.Abs(s[0]) > 1 {
				t.Errorf("%s is off by %+.0f %%: a unit is read wrong", key, 100*s[0])
			}
		}
		testkit.Is(t, len(sums), 5, "kinds of figures")
	}
}

// playFile returns the deviations by group and figure, and the rows left out
// with the reason.
func playFile(t *testing.T, text []byte) (sums map[string][]float64, left []string) {
	sums = map[string][]float64{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r fileRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			left = append(left, fmt.Sprintf("line %d: not a row", n))
			continue
		}
		got, err := r.play(t)
		if err != nil {
			left = append(left, fmt.Sprintf("%s: %v", cmp.Or(r.ID, strconv.Itoa(n)), err))
			continue
		}
		key := r.Group + ", " + r.Figure
		sums[key] = append(sums[key], got/r.Value-1)
	}
	testkit.OK(t, lines.Err())
	return sums, left
}

// softwareOf are the stacks by words of their names; the first that is part of
// the name counts.
var softwareOf = []struct{ word, stack string }{
	{"sglang", "sglang"}, {"vllm", "vllm"}, {"trtllm-serve", "trtllm"}, {"trtllm-bench", "bench"},
	{"bench", "bench"}, {"tensorrt", "trtllm"}, {"trt", "trtllm"}, {"nim", "nim"},
	{"llama.cpp", "llama.cpp"}, {"ollama", "ollama"}, {"mlx", "mlx"},
}

// editions are the last words of names that do not change a model's shape.
var editions = []string{"instruct", "thinking", "base", "chat", "hf", "it", "0528", "0324", "2507", "0905",
	"bf16", "fp8", "fp4", "nvfp4", "mxfp4", "int4", "awq", "gguf"}

// target returns the row's setup as typed: model-precision@NxMachine+options.
func (r *fileRow) target() (string, error) {
	machine := strings.ToLower(strings.ReplaceAll(r.Machine, " ", "-"))
	machine = strings.TrimPrefix(machine, "nvidia-")
	h, ok := physics.Machine(machine)
	for !ok && strings.Contains(machine, "-") { // "h100-sxm-80gb" is an h100
		machine = machine[:strings.LastIndex(machine, "-")]
		h, ok = physics.Machine(machine)
	}
	if !ok {
		return "", fmt.Errorf("machine %q", r.Machine)
	}
	name := strings.ToLower(strings.ReplaceAll(r.Model, " ", "-"))
	name = name[strings.LastIndex(name, "/")+1:]
	m, ok := physics.ModelOf(name)
	for !ok && slices.Contains(editions, name[strings.LastIndex(name, "-")+1:]) {
		name = name[:strings.LastIndex(name, "-")]
		m, ok = physics.ModelOf(name)
	}
	if !ok {
		return "", fmt.Errorf("model %q", r.Model)
	}
	weights := strings.NewReplacer("q4_k_m", "q4", "q4_0", "q4", "q8_0", "q8", "bf16", "bf16", "fp16", "bf16", "f16",
		"bf16",
		"fp4", "nvfp4", "nvfp4", "nvfp4", "mxfp4", "mxfp4").Replace(strings.ToLower(r.Weights))
	id := m.Key
	if weights != "" {
		if _, ok := physics.PrecisionOf(weights); !ok {
			return "", fmt.Errorf("precision %q", r.Weights)
		}
		id += "-" + weights
	}
	id += fmt.Sprintf("@%dx%s", max(r.Devices, 1), h.Key)
	parallel := strings.ToLower(r.Parallel)
	switch {
	case r.Devices < 2:
	case strings.Contains(parallel, "dp") || strings.Contains(parallel, "dep"):
		id += "+ep"
	case strings.Contains(parallel, "pp") && !strings.Contains(parallel, "pp1"):
		id += "+pp"
	}
	if kv := strings.ToLower(r.KV); kv != "" {
		id += "+kv-" + strings.NewReplacer("bf16", "bf16", "fp16", "bf16", "f16", "bf16").Replace(kv)
	}
	return id, nil
}

// play returns the row's figure, simulated.
func (r *fileRow) play(t *testing.T) (float64, error) {
	id, err := r.target()
	if err != nil {
		return 0, err
	}
	c, _, err := sim.ParseID(nil, id)
	if err != nil {
		return 0, err
	}
	if c.Stack, err = r.stack(); err != nil {
		return 0, err
	}
	if strings.Contains(r.Notes, "_K_XL") && c.Model.Linear != nil {
		// Unsloth leaves attention and states of hybrid models in a higher precision
		// (unsloth.ai/docs/models/qwen3.5/gguf-benchmarks, 2026). 8 bits are an estimate.
		c.Precision.Attn = max(c.Precision.Attn, 1.0625)
	}
	s, err := physics.New(c)
	if err != nil {
		return 0, err
	}
	w, err := r.workload()
	if err != nil {
		return 0, err
	}
	if s.Longest() < w.Prompt+w.Output {
		return 0, fmt.Errorf("%d + %d tokens do not fit", w.Prompt, w.Output)
	}
	o := engine.Options{Config: engine.Config{Setup: s, Mode: sim.UsualMode(&c.Stack)}, MaxQueue: 1 << 20}
	if c.Stack.Key == "bench" {
		o.MaxSeqs, o.Budget = benchLimits(s, &w)
	}
	res := run(t, o, w)
	ttft, tpot := res.TTFT, res.TPOT
	if w.Users > 1 && w.Requests == 0 {
		ttft, tpot = settled(res.Done[w.Users:])
	}
	scale, prompts, err := r.unit()
	if err != nil {
		return 0, err
	}
	switch strings.ToLower(r.Figure) {
	case "tpot":
		return tpot * scale, nil
	case "ttft, one user", "ttft under load":
		return ttft * scale, nil
	case "ttft under load, median":
		firsts := make([]float64, len(res.Done))
		for i, q := range res.Done {
			firsts[i] = q.TTFT()
		}
		slices.Sort(firsts)
		return firsts[len(firsts)/2] * scale, nil
	case "prefill":
		return float64(w.Prompt) / (ttft - s.Stack.Request), nil
	case "tok/s per user":
		return 1 / tpot, nil
	}
	if prompts {
		scale *= float64(res.Prompts+res.Tokens) / float64(res.Tokens)
	}
	return res.Throughput * scale, nil
}

// stack returns the software as it was in the row's version, today's if that is
// unknown.
func (r *fileRow) stack() (physics.Stack, error) {
	name := strings.ToLower(r.Software)
	i := slices.IndexFunc(softwareOf, func(s struct{ word, stack string }) bool { return strings.Contains(name, s.word) })
	if i < 0 {
		return physics.Stack{}, fmt.Errorf("software %q", r.Software)
	}
	st, _ := physics.StackOf(softwareOf[i].stack)
	if m := microBatch.FindStringSubmatch(r.Notes); m != nil {
		st.Pass, _ = strconv.Atoi(m[1])
	}
	var v [3]int
	if n, _ := fmt.Sscanf(r.Version, "%d.%d.%d", &v[0], &v[1], &v[2]); n < 2 {
		return st, nil
	}
	switch {
	case st.Key == "vllm" && slices.Compare(v[:], []int{0, 18}) < 0:
		st = ownStacks["vllm2025"]()
	case st.Key == "vllm":
		st = ownStacks["vllm2026"]()
	case st.Key == "sglang" && slices.Compare(v[:], []int{0, 5, 10}) < 0:
		st = ownStacks["sglang2025"]()
	}
	return st, nil
}

// unit returns what a simulated figure is multiplied by, and whether a throughput
// counts prompts too. A throughput says which tokens it counts, and is of all devices
// unless it says of one.
func (r *fileRow) unit() (scale float64, prompts bool, err error) {
	unit, figure := strings.ToLower(r.Unit), strings.ToLower(r.Figure)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(unit, w) })
	}
	switch figure {
	case "tpot", "ttft, one user", "ttft under load", "ttft under load, median":
		scale = map[string]float64{"ms": 1e3, "s": 1}[unit]
	case "prefill", "tok/s per user":
		if strings.HasPrefix(unit, "tok/s") {
			scale = 1
		}
	case "throughput":
		if prompts = has("total tok/s"); prompts || has("output tok/s") {
			scale = 1
		}
		if has("per gpu", "per device") {
			scale /= float64(max(r.Devices, 1))
		}
	default:
		return 0, false, fmt.Errorf("figure %q: not played", r.Figure)
	}
	if scale == 0 || !(r.Value > 0) {
		return 0, false, fmt.Errorf("%s of %v %q: want ms or s, tok/s, or output or total tok/s, of all devices or per GPU",
			r.Figure, r.Value, r.Unit)
	}
	return scale, prompts, nil
}

// workload returns who asks: a number is users, "2 req/s" a rate, "100 burst" a
// burst.
func (r *fileRow) workload() (w engine.Workload, err error) {
	if r.In < 1 {
		return w, fmt.Errorf("no length of the prompt")
	}
	w.Prompt, w.Output = r.In, max(r.Out, 2)
	word := strings.Trim(string(r.Load), `"`)
	n := 1.0
	if word != "" && word != "null" {
		if n, err = strconv.ParseFloat(strings.Fields(word)[0], 64); err != nil || !(n > 0) {
			return w, fmt.Errorf("load %q", word)
		}
	}
	switch { // the deviation of the lengths over their mean
	case strings.Contains(r.Notes, "ShareGPT"):
		w.Vary = 1
	case strings.Contains(r.Notes, "means of the printed totals"):
		w.Vary = .54 // any length up to twice the mean
	case strings.Contains(r.Notes, "range ratio 0.8"), strings.Contains(r.Notes, "+-15 %"):
		w.Vary = .07
	}
	switch {
	case strings.Contains(word, "burst"), strings.Contains(word, "once"):
		w.Burst, w.Requests = true, int(n)
	case strings.Contains(word, "/s"), n != math.Trunc(n):
		w.Rate, w.Requests = n, 300
	default:
		w.Users = int(n)
		if m := requests.FindStringSubmatch(r.Notes); m != nil {
			sent := m[1] + m[2]
			w.Requests, err = strconv.Atoi(sent)
			w.LockStep = true // a client that sends so many starts its users together
		}
	}
	return w, err
}

// microBatch is llama.cpp's n_ubatch in the notes of a row.
var microBatch = regexp.MustCompile(`micro-batch (\d+)`)

// requests is how many of them a closed loop sends, in the notes of a row.
var requests = regexp.MustCompile(`\b(\d+) requests|requests (\d+)`)
