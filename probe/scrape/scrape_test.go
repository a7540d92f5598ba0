package scrape

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

func known(v float64) metrics.Value { return metrics.Known(v, 0) }

// The names of every server that is read, in old and new versions.
func TestParse(t *testing.T) {
	for file, want := range map[string]loadstat.ServerCounts{
		"vllm-0.33.txt": {From: "vllm", Running: known(8), Waiting: known(3), KV: known(0.25), Requests: known(412),
			Preemptions: known(2), Prompt: known(214000), Output: known(41200),
			CacheQueries: known(214000), CacheHits: known(1600), TTFTSum: known(11.5), TTFTCount: known(420),
			ITLSum: known(275.25), ITLCount: known(40788)},
		"vllm-0.6.txt": {From: "vllm", Running: known(2), Waiting: known(0), KV: known(0.125), Requests: known(7),
			Preemptions: known(1), Prompt: known(700), Output: known(140),
			CacheQueries: known(700), CacheHits: known(32), TTFTSum: known(0.5), TTFTCount: known(7), ITLSum: known(1.5),
			ITLCount: known(133)},
		"sglang.txt": {From: "sglang", Running: known(5), Waiting: known(1), KV: known(0.5), Requests: known(90),
			Prompt: known(45000), Output: known(9000), CacheHits: known(320),
			TTFTSum: known(3), TTFTCount: known(90), ITLSum: known(60), ITLCount: known(8910)},
		"llamacpp.txt": {From: "llamacpp", Running: known(1), Waiting: known(4), Prompt: known(520), Output: known(100)},
		"tgi.txt": {From: "tgi", Running: known(3), Waiting: known(2), Requests: known(11), Prompt: known(5500),
			Output: known(1100)},
	} {
		page := testkit.Must(os.ReadFile(filepath.Join("testdata", file)))(t)
		testkit.Same(t, Parse(page, "m"), want, file)
	}
}

// Whatever a page holds, reading it does not fail, and other servers' pages
// give nothing.
func TestParseOddPages(t *testing.T) {
	for _, page := range []string{
		"", "# HELP\n", "go_goroutines 5\n", "vllm:", "vllm:num_requests_running{", `vllm:num_requests_running{a="} 5`,
		"vllm:num_requests_running x\n",
		"vllm:num_requests_running NaN\n", "vllm:num_requests_running +Inf\n", "vllm:num_requests_running -1\n",
		"<html>vllm:num_requests_running 1</html>",
	} {
		testkit.Is(t, Parse([]byte(page), ""), loadstat.ServerCounts{}, page)
	}
	const quoted = `vllm:num_requests_running{engine="0",model_name="a\"}, b",x=""} 4 1700000000000` + "\n" +
		`vllm:num_requests_running{model_name="other"} 40` + "\n"
	testkit.Is(t, Parse([]byte(quoted), `a"}, b`).Running, known(4), "a model's name with quotes")
	const spaced = "vllm:num_requests_running{ engine=\"0\", model =\"m\", }\t5\t1700000000000\n"
	testkit.Is(t, Parse([]byte(spaced), "m").Running, known(5), "spaces and tabs")
	for _, labels := range []string{`model_name = "m"`, "engine=\"0\",\tmodel_name=\t\"m\"\t",
		`path="C:\dir",model_name="m"`, `model_name="m",x="it\'s"`} {
		page := "vllm:num_requests_running{" + labels + "} 4\nvllm:num_requests_running{model_name=\"other\"} 40\n"
		testkit.Is(t, Parse([]byte(page), "m").Running, known(4), labels)
	}
	const path = `vllm:num_requests_running{model_name="C:\models\qwen\\3"} 4` + "\n" + quoted
	testkit.Is(t, Parse([]byte(path), `C:\models\qwen\3`).Running, known(4), "a path of Windows")
	c := Parse([]byte(quoted), "unknown")
	testkit.That(t, c.Running == known(44), "the page does not name our model, so that all count: %+v", c.Running)
}

func TestURLOf(t *testing.T) {
	for api, want := range map[string]string{
		"http://127.0.0.1:8000/v1": "http://127.0.0.1:8000/metrics", "http://h/v1/": "http://h/metrics",
		"https://h/a/v1":                "https://h/a/metrics",
		"http://user:secret@h/v1?key=x": "http://h/metrics", "http://h": "http://h/metrics", "": "", "ftp://h/v1": "",
		"::": "",
	} {
		testkit.Is(t, URLOf(api), want, api)
	}
}

// A server without the page is asked once, and the reason is plain.
func TestPageOnceMissing(t *testing.T) {
	for name, x := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"no such page": {func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, "the server answers 404"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		}, "the server answers 302"},
		"another page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("up 1\n")) },
			"the page has no names"},
		"an endless one": {func(w http.ResponseWriter, _ *http.Request) {
			for line := []byte(strings.Repeat("#", 1<<16) + "\n"); ; {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		}, "longer than 8 MiB"},
		"a cut one": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("vllm:num_requests_running 1\n"))
		}, "unexpected EOF"},
	} {
		asked := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			testkit.Is(t, r.Header.Get("Authorization"), "", "a key was sent")
			x.serve(w, r)
		}))
		p := NewPage(s.URL+"/metrics", "", func() metrics.Stamp { return 5 })
		_, err := p.Read(t.Context())
		_, again := p.Read(t.Context())
		s.Close()
		if err == nil || !strings.Contains(err.Error(), x.want) || again == nil || again.Error() != err.Error() ||
			asked != 1 {
			t.Errorf("%s: %v, then %v, asked %d times", name, err, again, asked)
		}
		testkit.That(t, !strings.Contains(err.Error(), s.URL), "%s: the reason has the address: %v", name, err)
	}
}

// A server that never answers holds a sweep for 2 s, once.
func TestPageHangs(t *testing.T) {
	probetest.TakesTime(t, "waits out the patience with a page, 2 s")
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	p := NewPage(s.URL, "", func() metrics.Stamp { return 5 })
	for range 100 {
		_, err := p.Read(t.Context())
		testkit.Given(t, err != nil && err.Error() == "no answer within 2s", "%v", err)
	}
}

// A page that was read once is asked for again after a failure.
func TestPageFailsLater(t *testing.T) {
	fail := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if fail {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("vllm:num_requests_running 1\n"))
	}))
	defer s.Close()
	p := NewPage(s.URL, "", func() metrics.Stamp { return 5 })
	for i, bad := range []bool{false, true, false} {
		fail = bad
		c, err := p.Read(t.Context())
		testkit.That(t, bad == (err != nil) && (bad || c.Running == known(1) && c.At == 5), "read %d: %+v, %v", i, c, err)
	}
	s.Close()
	if _, err := NewPage(s.URL, "", func() metrics.Stamp { return 0 }).Read(t.Context()); err == nil ||
		errors.Unwrap(err) != nil {
		t.Errorf("a server that is not there: %v", err)
	}
}

// Whatever arrives, no figure is below 0 or infinite, and reading ends.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"vllm-0.33.txt", "sglang.txt", "llamacpp.txt"} {
		page := testkit.Must(os.ReadFile(filepath.Join("testdata", name)))(f)
		f.Add(page)
	}
	f.Add([]byte(`vllm:num_requests_running{a="\` + "\n" + `vllm:num_requests_running{model_name="m",} 1e308` +
		"\nvllm:num_requests_running 1e308\n"))
	f.Fuzz(func(t *testing.T, page []byte) {
		c := Parse(page, "m")
		for _, v := range []metrics.Value{c.Running, c.Waiting, c.KV, c.Requests, c.Preemptions, c.Prompt, c.Output,
			c.CacheQueries, c.CacheHits, c.TTFTSum, c.TTFTCount, c.ITLSum, c.ITLCount} {
			testkit.That(t, !v.OK || v.V >= 0 && !math.IsInf(v.V, 0) && !math.IsNaN(v.V), "%v", v)
		}
	})
}
