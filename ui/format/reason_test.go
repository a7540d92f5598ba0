package format

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestReasonsHaveWords checks that each reason of an unknown figure has words
// of its own, and a name in a program's files.
func TestReasonsHaveWords(t *testing.T) {
	whys := []metrics.Why{metrics.Needs(2), metrics.Needs(metrics.MinP90), metrics.Needs(metrics.MinP95), metrics.Needs(metrics.MinP99), metrics.Needs(64)}
	for w := metrics.Why(1); w.String() != ""; w++ {
		if w != metrics.WhyNeeds {
			whys = append(whys, w)
		}
	}
	testkit.Given(t, len(whys) >= 90, "found %d reasons: the search does not work", len(whys))
	names, texts := map[string]metrics.Why{}, map[string]metrics.Why{}
	for _, w := range whys {
		words := Why(w)
		testkit.That(t, len(strings.Fields(words)) >= 2, "%v has the words %q", w, words)
		if other, twice := texts[words]; twice {
			t.Errorf("%q stands for %v and %v", words, w, other)
		}
		texts[words] = w
		name, err := w.MarshalText()
		var back metrics.Why
		if err != nil || strings.ContainsRune(string(name), ' ') || back.UnmarshalText(name) != nil || back != w {
			t.Errorf("%q is named %q, %v, and read as %v", words, name, err, back)
		}
		if other, twice := names[string(name)]; twice {
			t.Errorf("%q names %q and %q", name, words, Why(other))
		}
		names[string(name)] = w
	}
}

// TestReasonsOfOthers checks words and names that no code has.
func TestReasonsOfOthers(t *testing.T) {
	if w := metrics.Foreign("of the future"); Why(w) != "of the future" || w.String() != "foreign" || w.Code() != metrics.WhyForeign {
		t.Errorf("the words of another version became %q, %v", Why(w), w)
	}
	if w := metrics.Foreign(""); w != metrics.WhyForeign {
		t.Errorf("no words became %v", w)
	}
	is(t, Why(0)+Why(1<<8-1), "")
	for _, name := range []string{"of-the-future", "needs:many", "needs:-1", "needs:99999999999"} {
		var w metrics.Why
		testkit.That(t, w.UnmarshalText([]byte(name)) != nil, "%q is read as %v", name, w)
	}
	for _, name := range []string{"", "no-stamp"} {
		w := metrics.WhyIdle
		if err := w.UnmarshalText([]byte(name)); err != nil || w.String() != name {
			t.Errorf("%q is read as %v, %v", name, w, err)
		}
	}
}
