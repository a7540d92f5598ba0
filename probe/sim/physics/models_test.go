package physics

import (
	"math"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	testkit.That(t, math.Abs(got-want) <= tolerance*want,
		"%s: %.4g, want %.4g within %.0f %%", what, got, want, 100*tolerance)
}

func TestCachePerToken(t *testing.T) {
	for key, want := range map[string]float64{
		"llama-2-7b": 524288, "llama-3.1-8b": 131072, "qwen3-8b": 147456, "llama-3.3-70b": 327680,
		"llama-3.1-405b": 516096, "gpt-oss-20b": 24576, "gpt-oss-120b": 36864, "deepseek-r1": 70272,
		"minimax-m2": 253952,
	} {
		m, _ := ModelOf(key)
		testkit.Is(t, m.KVBytes(2), want, key, "bytes a token")
	}
}

func TestKeysAreUniqueAndTyped(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Models {
		for _, h := range Machines {
			testkit.That(t, m.Key != h.Key, "%q is a model and a machine", m.Key)
		}
		testkit.That(t, !seen[m.Key] && m.Key == strings.ToLower(m.Key) && m.Context != 0, "model %q", m.Key)
		seen[m.Key] = true
		if m.Native != "" {
			_, ok := PrecisionOf(m.Native)
			testkit.That(t, ok, "%s: no precision %q", m.Key, m.Native)
		}
	}
	for _, h := range Machines {
		testkit.That(t, !seen[h.Key] && h.MaxTP >= 1 && h.BW > 0 && h.BF16 > 0, "machine %q", h.Key)
		seen[h.Key] = true
		testkit.That(t, h.MaxTP <= 1 || h.Flow != nil || h.Link != (Link{}), "%s comes in groups without a link", h.Key)
	}
}

// Tokens that share experts reach fewer than by chance alone, and at least those
// of one token. More tokens reach more, and very many reach all. gpt-oss-120b
// reaches about half of its experts with 32 tokens, as its timings show.
func TestActiveExperts(t *testing.T) {
	r := testkit.Rand(t, 17)
	for range comparisons() {
		e := 2 + r.IntN(500)
		m := Model{Experts: e, TopK: 1 + r.IntN(min(e, 12))}
		tokens := float64(1 + r.IntN(3000))
		a, all := m.activeExperts(tokens), float64(e)
		chance := all * (1 - math.Pow(1-float64(m.TopK)/all, tokens))
		testkit.Given(t, a >= float64(m.TopK) && a <= chance*1.0001 && m.activeExperts(tokens+1) >= a,
			"%d of %d, %v tokens: %v are active, %v by chance", m.TopK, e, tokens, a, chance)
	}
	m, _ := ModelOf("gpt-oss-120b")
	near(t, "one token", m.activeExperts(1), 4, 1e-9)
	near(t, "32 tokens", m.activeExperts(32), 0.53*128, 0.07)
	near(t, "a long prompt", m.activeExperts(8192), 128, 0.01)
}
