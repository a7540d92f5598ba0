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
	"slices"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
	"tokscope/probe/sim/physics"
)

// fileRow is a line of a file of rows. Unknown values are null.
type fileRow struct {
	ID, Group, Figure, Unit, Model, Machine, Software, Parallel string

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
		if len(left) != 1 || !strings.HasPrefix(left[0], "six: ") {
			t.Errorf("left out: %v, want the row of an unknown model", left)
		}
		if n := len(sums["made up, TPOT"]); n != 1 {
			t.Errorf("%d rows of TPOT, want 1", n)
		}
		for key, s := range sums {
			if math.Abs(s[0]) > 1 {
				t.Errorf("%s is off by %+.0f %%: a unit is read wrong", key, 100*s[0])
			}
		}
		if len(sums) != 5 {
			t.Errorf("%d kinds of figures, want 5", len(sums))
		}
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
	weights := strings.NewReplacer("q4_k_m", "q4", "q4_0", "q4", "q8_0", "q8", "bf16", "bf16", "fp16", "bf16", "f16", "bf16",
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
	name := strings.ToLower(r.Software)
	i := slices.IndexFunc(softwareOf, func(s struct{ word, stack string }) bool { return strings.Contains(name, s.word) })
	if i < 0 {
		return 0, fmt.Errorf("software %q", r.Software)
	}
	c.Stack, _ = physics.StackOf(softwareOf[i].stack)
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
	res := enginetest.Run(t, engine.Options{Setup: s, MaxQueue: 1 << 20}, w)
	ttft, tpot := res.TTFT, res.TPOT
	if w.Users > 1 {
		ttft, tpot = settled(res.Done[w.Users:])
	}
	unit, figure := strings.ToLower(r.Unit), strings.ToLower(r.Figure)
	switch {
	case !(r.Value > 0):
		return 0, fmt.Errorf("value %v", r.Value)
	case strings.HasPrefix(figure, "tpot"), strings.HasPrefix(figure, "itl"):
		return tpot * 1e3 / inMS(unit), nil
	case strings.Contains(figure, "ttft"):
		return ttft * 1e3 / inMS(unit), nil
	case strings.Contains(figure, "prefill"):
		return float64(w.Prompt) / (ttft - s.Stack.Request), nil
	case strings.Contains(figure, "user"):
		return 1 / tpot, nil
	case strings.Contains(figure, "throughput"):
		got := res.Throughput
		if strings.Contains(figure+unit, "total") {
			got *= float64(res.Prompts+res.Tokens) / float64(res.Tokens)
		}
		if strings.Contains(figure+unit, "per gpu") || strings.Contains(figure+unit, "per device") ||
			strings.Contains(unit, "/gpu") || strings.Contains(unit, "/device") {
			got /= float64(max(r.Devices, 1))
		}
		return got, nil
	}
	return 0, fmt.Errorf("figure %q", r.Figure)
}

// inMS returns the milliseconds of a unit of time.
func inMS(unit string) float64 {
	if unit == "s" {
		return 1e3
	}
	return 1
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
	switch {
	case strings.Contains(word, "burst"), strings.Contains(word, "once"):
		w.Burst, w.Requests = true, int(n)
	case strings.Contains(word, "/s"), n != math.Trunc(n):
		w.Rate, w.Requests = n, 300
	default:
		w.Users = int(math.Max(n, 1))
	}
	return w, nil
}
