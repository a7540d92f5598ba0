package probetest

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// MetricsPage is a page of Prometheus metrics.
type MetricsPage struct {
	Kinds   map[string]string  // "counter" and such by family
	Samples map[string]float64 // by name and labels, as they are written
}

var (
	sampleForm = regexp.MustCompile(`^([a-zA-Z_:][\w:]*)((?:` + labelsForm + `)?) (\S+)( # ` + labelsForm + ` \S+ \S+)?$`)
	edgeForm   = regexp.MustCompile(`[{,]le="([^"]+)"`)
	suffixes   = map[string][]string{"gauge": {""}, "counter": {""}, "histogram": {"_bucket", "_sum", "_count"}}
)

const labelsForm = `\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*")*\}`

// ReadMetrics reads a page of the text format, or of OpenMetrics if open. It fails t
// unless each family comes once and has its help and kind before its samples, samples
// are unique, and the buckets of a histogram rise to infinity and to its count.
func ReadMetrics(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, open bool) MetricsPage {
	t.Helper()
	body, ended := strings.CutSuffix(text, "# EOF\n")
	body, whole := strings.CutSuffix(body, "\n")
	if ended != open || !whole {
		t.Fatalf("the page ends with %q", text[max(len(text)-20, 0):])
	}
	p := MetricsPage{map[string]string{}, map[string]float64{}}
	family, edge, below := "", math.Inf(1), 0.0
	for line := range strings.SplitSeq(body, "\n") {
		if words := strings.SplitN(line, " ", 4); words[0] == "#" {
			if len(words) < 4 {
				t.Fatalf("%q has too few words", line)
			}
			if _, twice := p.Kinds[words[2]]; words[1] == "HELP" && !twice {
				family, p.Kinds[words[2]] = words[2], ""
			} else if words[1] == "HELP" || words[2] != family {
				t.Fatalf("%q within %s", line, family)
			} else if words[1] == "TYPE" {
				p.Kinds[family] = words[3]
			}
			continue
		}
		m := sampleForm.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%q is no sample", line)
		}
		kind := p.Kinds[family]
		allowed := suffixes[kind]
		if open && kind == "counter" {
			allowed = []string{"_total"}
		}
		suffix, ok := strings.CutPrefix(m[1], family)
		if !ok || !slices.Contains(allowed, suffix) && !(open && kind != "gauge" && suffix == "_created") {
			t.Fatalf("%q within %s of kind %q", line, family, kind)
		}
		if m[4] != "" && (!open || suffix != "_bucket") {
			t.Fatalf("an exemplar where none may be: %q", line)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if _, twice := p.Samples[m[1]+m[2]]; twice || err != nil {
			t.Fatalf("%q again, or %v", line, err)
		}
		p.Samples[m[1]+m[2]] = v
		switch {
		case suffix == "_bucket":
			if math.IsInf(edge, 1) { // of the series before
				edge, below = math.Inf(-1), 0
			}
			le := edgeForm.FindStringSubmatch(m[2])
			if le == nil || open && !strings.ContainsAny(le[1], ".+") {
				t.Fatalf("no edge, or one without a fraction: %q", line)
			}
			to, err := strconv.ParseFloat(le[1], 64)
			if err != nil || to <= edge || v < below {
				t.Fatalf("%q after %v up to %v", line, below, edge)
			}
			edge, below = to, v
		case suffix == "_count" && (v != below || !math.IsInf(edge, 1)):
			t.Fatalf("%q, but the last bucket has %v up to %v", line, below, edge)
		}
	}
	return p
}
