package session_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/session"
)

// foreignFiles are the files of other programs in testdata, each written by its program: name and content.
func foreignFiles(t testing.TB) map[string]string {
	all := map[string]string{}
	for _, path := range testkit.Must(filepath.Glob("testdata/foreign/*"))(t) {
		text := testkit.Must(session.Unpacked(bytes.NewReader(testkit.Must(os.ReadFile(path))(t))))(t)
		if !strings.HasSuffix(path, "_aiperf.json") { // beside another one
			all[filepath.Base(path)] = string(testkit.Must(io.ReadAll(text))(t))
		}
	}
	testkit.Given(t, len(all) > 0, "there are files")
	return all
}

// openText opens a file with that content.
func openText(text string) (*session.Recording, error) {
	return session.Open("-", strings.NewReader(text))
}

// Each file of another program opens by its content alone, says what it lacks, and the figures that
// its program has printed into it follow from its rows. It replays, is compared and is shared as
// a session file is.
func TestForeignFilesOpen(t *testing.T) {
	for name, text := range foreignFiles(t) {
		rec := testkit.Must(openText(text))(t)
		about := rec.Foreign
		testkit.Given(t, about != nil && len(about.Lacks) > 0 && len(rec.Requests) > 0, "%s: %+v", name, about)
		for _, p := range about.Printed {
			testkit.That(t, p.Agrees, "%s: %s is %s, and %v of the rows", name, p.Name, p.File, p.Rows)
		}
		first := rec.Requests[0].Start
		for _, q := range rec.Requests {
			first = min(first, q.Start)
			stream := session.StreamOf(q)
			v := stream.Final()
			f := metrics.Measure(&v, metrics.Options{})
			now := stream.Last() - 1
			told := f.TTFT.OK && f.TTFT.V < float64(now-v.Marks.Sent)/1e6
			testkit.That(t, !told || stream.At(now).State != metrics.Waiting,
				"%s: request %d waits for a token that it had", name, q.ID)
			testkit.That(t, v.State.Ended() && v.Tool == about, "%s: request %d is %v", name, q.ID, v.State)
			testkit.Same(t, f.TTFT, q.End.Figures.TTFT, name, q.ID)
			testkit.Same(t, f.Total, q.End.Figures.Total, name, q.ID)
			testkit.Same(t, f.Gaps, q.End.Figures.Gaps, name, q.ID)
			testkit.That(t, !f.SharedShare.OK && !f.LateShare.OK && v.Reads < 0, "%s: reads are not known", name)
		}
		testkit.Is(t, first, metrics.Stamp(0), name, "begins with its first request")
		testkit.Must(session.ReadSample(strings.NewReader(text), name))(t)
		var shared bytes.Buffer
		testkit.OK(t, session.Share(&shared, rec, false))
		testkit.Is(t, len(testkit.Must(session.Read(&shared))(t).Requests), len(rec.Requests), name, "requests of the copy")
	}
}

// damages are files that something went wrong with: each is refused in words, or read.
func damages(t testing.TB, text string) map[string]string {
	all := map[string]string{
		"empty": "", "blank": " \n\t", "twice": text + text, "a list of it": "[" + text + "]", "no text": text + "\xff\xfe",
		"nul": strings.ReplaceAll(text, " ", "\x00"), "quotes": strings.ReplaceAll(text, `"`, `'`),
		"no lists": regexp.MustCompile(`\[[^][]*\]`).ReplaceAllString(text, "[]"),
		"nulls":    regexp.MustCompile(`\[[^][]*\]`).ReplaceAllString(text, "null"),
		"deep":     strings.Replace(text, ":", ":"+strings.Repeat("[", 200_000), 1),
	}
	for i := range 10 {
		all[fmt.Sprintf("cut at %d/10", i)] = text[:i*len(text)/10]
	}
	numbers := regexp.MustCompile(`[0-9]+(\.[0-9]+)?`).FindAllStringIndex(text, -1)
	rnd := testkit.Rand(t, 0)
	for _, bad := range []string{"-1", "NaN", "Infinity", "1e999", "1e300", "1e18", "3600000", `"text"`, "null", "{}",
		"[]", "true", "\"\xff\"", "0, 0", ""} {
		for i := range 8 {
			at := numbers[rnd.IntN(len(numbers))]
			all[fmt.Sprintf("%s for a number, %d", bad, i)] = text[:at[0]] + bad + text[at[1]:]
		}
		all[bad+" for all numbers"] = regexp.MustCompile(`[0-9]+\.[0-9]+`).ReplaceAllLiteralString(text, bad)
	}
	for i := range 20 {
		at := rnd.IntN(len(text))
		all[fmt.Sprintf("a byte, %d", i)] = text[:at] + string(rune(rnd.IntN(256))) + text[at+1:]
	}
	return all
}

// A damaged file is refused in words with the next step, or read; it takes no memory beyond its size.
func TestDamagedForeignFiles(t *testing.T) {
	for name, whole := range foreignFiles(t) {
		refused := 0
		for what, text := range damages(t, whole) {
			var rec *session.Recording
			var err error
			took := testkit.Allocated(func() { rec, err = openText(text) })
			testkit.That(t, took < 100<<20, "%s, %s: %d MiB", name, what, took>>20)
			if err != nil {
				refused++
				f, ok := err.(*metrics.Fault)
				testkit.That(t, ok && f.Next != "" && len(f.Message) < 400 && !strings.Contains(f.Message, "Go "),
					"%s, %s: %v", name, what, err)
				continue
			}
			for _, q := range rec.Requests {
				session.StreamOf(q).Final()
			}
			testkit.OK(t, session.Share(io.Discard, rec, true), name, what)
		}
		// Most damage of a bare body makes another body.
		bare := strings.HasPrefix(name, "curl-") && !strings.Contains(whole, "Recv data")
		testkit.That(t, refused >= 30 || bare, "%s: only %d were refused", name, refused)
	}
}

// Whatever the file is, the door panics at nothing, and what it opens replays.
func FuzzForeign(f *testing.F) {
	for _, text := range foreignFiles(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := session.Open("-", bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, q := range rec.Requests {
			s := session.StreamOf(q)
			s.At(s.Begin())
		}
	})
}

// MLPerf's client counts tokens with a tokenizer of its own: no figure of ours is made of a guess.
func TestMLPerfEventsHaveNoTokens(t *testing.T) {
	rec := testkit.Must(openText(foreignFiles(t)["mlperf.jsonl"]))(t)
	testkit.Is(t, len(rec.Foreign.Printed), 40, "figures of the summary")
	for _, q := range rec.Requests {
		f := &q.End.Figures
		testkit.That(t, !f.Tokens.OK && !f.TPOT.OK && f.TTFT.OK && f.Chunks == 30 && f.Gaps.N == 29, "%d: %+v", q.ID, f)
	}
}

// What a crash leaves behind the last whole line of a file is left out, and said.
func TestForeignFileAfterACrash(t *testing.T) {
	text := foreignFiles(t)["profile_export.jsonl"]
	whole := len(testkit.Must(openText(text))(t).Requests)
	for _, left := range []string{"\x00\x00\x00", "{\"metadata\":\x00\x00", "{\"metadata\":", "#"} {
		rec := testkit.Must(openText(text + left))(t)
		testkit.That(t, rec.Cut && len(rec.Requests) == whole, "%q: cut %v, %d requests", left, rec.Cut, len(rec.Requests))
		_, err := openText(text + left + "\n" + text)
		testkit.That(t, err != nil, "%q in the middle is damage", left)
	}
}

// Times that nothing can have are refused, however large they are.
func TestImpossibleTimesOfForeignFiles(t *testing.T) {
	files := foreignFiles(t)
	for name, number := range map[string]string{"profile_export.jsonl": `"request_end_ns":([0-9]+)`,
		"mlperf.jsonl": `"sample.complete","timestamp_ns":([0-9]+)`, "vllm.json": `"start_times": ?\[([0-9.]+)`,
		"inference-perf.json": `"end_time": ?([0-9.]+)`, "playwright.har": `"wait": ?([0-9.]+)`} {
		text := files[name]
		all := regexp.MustCompile(number).FindAllStringSubmatchIndex(text, -1)
		testkit.Given(t, len(all) > 0, "%s has %s", name, number)
		at := all[len(all)-1]
		for _, large := range []string{"9223372036854775807", "9000000000000000000", "5000000000000000000"} {
			rec, err := openText(text[:at[2]] + large + text[at[3]:])
			testkit.That(t, err != nil, "%s at %s: opened, %+v", name, large, rec)
		}
	}
}

// vLLM writes 0 for the statistics of nothing: a figure of a file without such a request is checked too.
func TestVLLMOfNothing(t *testing.T) {
	rec := testkit.Must(openText(`{"date": "20261129-010203", "backend": "openai-chat", "duration": 1.0, "completed": 0,
		"mean_ttft_ms": 0.0, "p99_itl_ms": 0.0, "median_tpot_ms": 5.0, "input_lens": [4], "output_lens": [0],
		"ttfts": [0.0], "itls": [[]], "start_times": [10.0], "latencies": [0.0], "errors": ["refused"]}`))(t)
	agree := map[string]bool{}
	for _, p := range rec.Foreign.Printed {
		agree[p.Name] = p.Agrees
	}
	testkit.Same(t, agree,
		map[string]bool{"completed": true, "mean_ttft_ms": true, "p99_itl_ms": true, "median_tpot_ms": false})
}
