package result

import (
	"maps"
	"math"
	"slices"

	"tokscope/metrics"
)

// Differing returns the names of the figures that differ, without the sentences
// about them: a later version may word them anew.
func Differing(a, b *metrics.Figures) (names []string) {
	x, y := numbers(a), numbers(b)
	for _, name := range slices.Sorted(maps.Keys(y)) {
		if !alike(x[name], y[name]) {
			names = append(names, name)
		}
	}
	return names
}

// rounding is the share by which sums of the same values may differ: another version
// may add them in another order.
const rounding = 1e-12

// alike reports whether two values of JSON are the same but for rounding.
func alike(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= rounding*max(math.Abs(a), math.Abs(b))
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, alike)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, alike)
	}
	return a == b
}

// numbers returns the figures by name, without reasons and texts.
func numbers(f *metrics.Figures) map[string]any {
	out, _ := Tree(f).(map[string]any)
	withoutTexts(out)
	return out
}

func withoutTexts(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "unknown")
		delete(v, "text")
		for _, x := range v {
			withoutTexts(x)
		}
	case []any:
		for _, x := range v {
			withoutTexts(x)
		}
	}
}
