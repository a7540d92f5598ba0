package validation

import (
	"math"
	"testing"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// benchLimits returns the sequences and tokens of a step that trtllm-bench chooses
// for a data set of equal lengths, over the whole group. It estimates how many
// requests the cache holds and rounds up:
//
//	requests = 0.95·(memory − weights) / (cache of a token · (prompt + output))
//	tokens   = min(requests·(1 + prompt/output), 32768)
//
// It halves packed weights of 4 bits twice. It takes a latent cache for one of all
// heads, as wide as the rotated part. The page of DeepSeek R1 does not use that: it
// refers to a guide that sets the limits by hand, up to what the cache holds. So
// latent caches have their own size here. With data-parallel attention, and in a
// pipeline, the limits hold for each device. Formats that it has no size for get
// 2,048 sequences and 8,192 tokens. A step has room for a prompt besides all
// sequences (TensorRT-LLM, bench/build/tuning.py and
// bench/benchmark/utils/general.py, 2025).
func benchLimits(s *physics.Setup, w *engine.Workload) (seqs, tokens int) {
	m, n, stages := &s.Model, 1, 1.0
	if s.Sharing != physics.Tensor {
		n = s.TP
	}
	heads, width := max(s.TP, m.KVHeads), m.HeadDim
	if s.Sharing == physics.Pipeline {
		heads, stages = m.KVHeads, float64(s.TP)
	}
	if m.MLA != nil {
		heads, width = 1, (m.MLA.Latent+m.MLA.Rope)/2
	}
	size, known := map[string]float64{"bf16": 2, "fp8": 1, "nvfp4": .28}[s.Precision.Key]
	if !known {
		return 2048 * n, max(8192, w.Prompt+2048) * n
	}
	const gib = 1 << 30
	free := 0.95 * (s.Hardware.Mem*float64(s.TP) - s.Params.Total()*size/gib)
	token := float64(2*m.Layers*heads*width) * s.KVToken / m.KVBytes(1) / gib
	requests := min(free/(token*float64(w.Prompt+w.Output)), 4096) / stages
	all := min(requests*(1+float64(w.Prompt)/float64(w.Output)), 32768)
	up := func(x, step float64) int { return int(step * math.Ceil(x/step)) }
	switch {
	case requests < 256:
		seqs = max(64, up(requests, 32))
	case requests < 1024:
		seqs = up(requests, 128)
	default:
		seqs = up(requests, 256)
	}
	switch {
	case all < 4096:
		tokens = max(2048, up(all, 256))
	case all < 8192:
		tokens = up(all, 512)
	default:
		tokens = up(all, 1024)
	}
	return seqs * n, max(tokens, w.Prompt+seqs) * n
}

// The limits are those that the rules of the benchmark give by hand.
func TestLimitsOfTheBenchmark(t *testing.T) {
	for _, c := range []struct {
		id           string
		prompt, out  int
		seqs, tokens int
	}{
		// 632 GiB without 219, and 188 KiB of cache per token: 1,069 requests.
		{"qwen3-235b-a22b-fp8@8xh100+ep", 1024, 1024, 8 * 1280, 8 * 2304},
		// 1,128 GiB without 625, and 34.3 KiB of cache per token: more than 4,096 requests.
		{"deepseek-r1@8xh200+ep+kv-fp8", 1024, 1024, 8 * 4096, 8 * 8192},
		{"gpt-oss-120b@4xh100+ep+kv-bf16", 8192, 1024, 4 * 2048, 4 * 10240},
		// 80 GiB without 7.5, and 64 KiB of cache per token: 519 requests.
		{"llama-3.1-8b-fp8@h100", 2048, 128, 640, 9 * 1024},
	} {
		seqs, tokens := benchLimits(setup(t, &row{id: c.id, stack: "bench"}), &engine.Workload{Prompt: c.prompt,
			Output: c.out})
		if seqs != c.seqs || tokens != c.tokens {
			t.Errorf("%s, %d/%d: %d sequences and %d tokens, want %d and %d", c.id, c.prompt, c.out, seqs, tokens, c.seqs,
				c.tokens)
		}
	}
}
