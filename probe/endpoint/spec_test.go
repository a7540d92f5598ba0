package endpoint

import (
	"errors"
	"strings"
	"testing"

	"tokscope/metrics"
)

func TestParseSpec(t *testing.T) {
	for _, c := range []struct {
		arg  string
		want Spec
	}{
		{"groq", Spec{Target: "groq"}},
		{" groq#llama-3.3-70b ", Spec{Target: "groq", Model: "llama-3.3-70b"}},
		{"groq#a/b:free+cold+direct", Spec{Target: "groq", Model: "a/b:free", Connection: metrics.ReuseCold, Direct: true}},
		{"groq+DIRECT+http2", Spec{Target: "groq", HTTP: 2, Direct: true}},
		{"https://h/v1+http1", Spec{Target: "https://h/v1", HTTP: 1}},
		{"llama-3.1-8b@h100+warm", Spec{Target: "llama-3.1-8b@h100", Connection: metrics.ReuseWarm}},
		{"cohere#command-r+", Spec{Target: "cohere", Model: "command-r+"}}, // a model's own +
		{"cohere#command-r++cold", Spec{Target: "cohere", Model: "command-r+", Connection: metrics.ReuseCold}},
		{"https://h/a+b/v1", Spec{Target: "https://h/a+b/v1"}},
		{"+cold", Spec{Connection: metrics.ReuseCold}}, // the default target
		{"groq+cold+cold", Spec{Target: "groq", Connection: metrics.ReuseCold}},
	} {
		have, err := ParseSpec(c.arg)
		if err != nil || have != c.want {
			t.Errorf("ParseSpec(%q) = %+v, %v; want %+v", c.arg, have, err, c.want)
		}
	}
	for arg, want := range map[string]string{
		"groq+colt":        "did you mean +cold?",
		"groq+cold+warm":   "+cold and +warm exclude each other",
		"groq+http1+http2": "+http1 and +http2 exclude each other",
		"groq#":            "no model follows the #",
		"groq#+cold":       "no model follows the #",
	} {
		_, err := ParseSpec(arg)
		if f, ok := errors.AsType[*metrics.Fault](err); !ok || f.Kind != metrics.FaultConfig ||
			!strings.Contains(err.Error(), want) || f.Next == "" {
			t.Errorf("ParseSpec(%q): %v, want a fault with %q and a next step", arg, err, want)
		}
	}
}

// TestSpecOfTargets checks what the endings change in a resolved target.
func TestSpecOfTargets(t *testing.T) {
	r := &Resolver{Env: func(string) string { return "" }, HTTP2: true, Flags: Flags{Model: "of-the-flag"},
		Embedded: func(id string) (bool, error) { return id == "m@box", nil }}
	x, err := r.Resolve("https://h.example.com/v1#mine+http1+direct+cold")
	if err != nil || x.Model != "mine" || x.HTTP2 || !x.Direct || x.Connection != metrics.ReuseCold ||
		x.URL != "https://h.example.com/v1" {
		t.Errorf("all endings: %+v, %v", x, err)
	}
	if x, err := r.Resolve("https://h.example.com/v1"); err != nil || x.Model != "of-the-flag" || !x.HTTP2 || x.Direct {
		t.Errorf("without endings: %+v, %v", x, err)
	}
	r.Flags = Flags{}
	if x, err := r.Resolve("m@box+warm"); err != nil || x.Model != "m@box" || x.Connection != metrics.ReuseWarm {
		t.Errorf("embedded: %+v, %v", x, err)
	}
	for arg, want := range map[string]string{
		"m@box#other":              "names its model twice",
		"m@box+http2":              "+http2 needs https",
		"http://127.0.0.1:9+http2": "+http2 needs https",
	} {
		if _, err := r.Resolve(arg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
}

// FuzzParseSpec checks that what a spec means, written again, means the same.
func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{"groq#m+cold", "https://h/a+b/v1+http2+direct", "m@box+warm", "a#b#c+", "++cold", "#",
		"+ttp1 +direct"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		s, err := ParseSpec(arg)
		if err != nil {
			return
		}
		again := s.Target
		if s.Model != "" {
			again += "#" + s.Model
		}
		if s.Connection != metrics.ReuseAuto {
			again += "+" + s.Connection.String()
		}
		if s.HTTP > 0 {
			again += "+http" + string(rune('0'+s.HTTP))
		}
		if s.Direct {
			again += "+direct"
		}
		if x, err := ParseSpec(again); err != nil || x != s {
			t.Errorf("%q means %+v; written as %q it means %+v, %v", arg, s, again, x, err)
		}
	})
}
