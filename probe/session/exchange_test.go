package session_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/session"
)

// streamsOf opens a text and returns its requests as they ended.
func streamsOf(t *testing.T, text string) (all []metrics.Stream) {
	rec, err := openText(text)
	testkit.Given(t, err == nil, "%v: %s", err, text)
	for _, q := range rec.Requests {
		all = append(all, session.StreamOf(q).Final())
	}
	return all
}

// Each chunk of a trace of curl has the time of one of its reads, of each API; without times there is
// no figure of one.
func TestCurlTimes(t *testing.T) {
	apis := map[string]string{"trace": "", "completions": "completions", "messages": "messages", "responses": "responses",
		"gemini": "gemini", "ollama": "ollama"}
	read := regexp.MustCompile(`(?m)^(\S+) <= Recv data`)
	for name, api := range apis {
		text := foreignFiles(t)["curl-"+name+".txt"]
		begin := testkit.Must(time.Parse("15:04:05.000000", text[:15]))(t)
		var reads []metrics.Stamp
		for _, m := range read.FindAllStringSubmatch(text, -1) {
			reads = append(reads, metrics.Stamp(testkit.Must(time.Parse("15:04:05.000000", m[1]))(t).Sub(begin)))
		}
		v := streamsOf(t, text)[0]
		f := metrics.Measure(&v, metrics.Options{})
		testkit.Is(t, v.Endpoint.API, api, name)
		testkit.Is(t, len(v.Chunks), 5, name, v.Fault)
		testkit.Is(t, v.State, metrics.Done, name, v.Fault)
		testkit.That(t, f.TTFT.OK && f.TPOT.OK && f.Gaps.N+f.GapsUnknown == 4 && f.Tokens.V == 5, "%s: %+v", name, f.Gaps)
		for _, c := range v.Chunks {
			testkit.That(t, slices.Contains(reads, c.At), "%s: a chunk at %v, reads at %v", name, c.At, reads)
		}
		untimed := streamsOf(t, regexp.MustCompile(`(?m)^\d\d:\d\d:\S+ `).ReplaceAllString(text, ""))[0]
		u := metrics.Measure(&untimed, metrics.Options{})
		testkit.That(t, !u.TTFT.OK && !u.TPOT.OK && !u.Total.OK && u.Gaps.N == 0 && u.GapsUnknown == 0, "%s: %+v", name, u)
		testkit.Is(t, string(untimed.Text), string(v.Text), name)
	}
	plain := streamsOf(t, foreignFiles(t)["curl-plain.txt"])[0]
	testkit.Is(t, string(plain.Text), string(streamsOf(t, foreignFiles(t)["curl-messages.txt"])[0].Text))
	said := streamsOf(t, foreignFiles(t)["curl-v.txt"])[0]
	f := metrics.Measure(&said, metrics.Options{})
	testkit.That(t, f.TTFT.OK && !f.TPOT.OK && !f.Total.OK && len(said.Chunks) == 5, "of -v: %+v, %+v", f.TTFT, f.Total)
	both := foreignFiles(t)["curl-trace.txt"] + foreignFiles(t)["curl-completions.txt"]
	testkit.Is(t, len(streamsOf(t, both)), 2, "requests of two traces")
}

// dump writes what --trace-ascii writes of a part of a body.
func dump(data string, at time.Duration) string {
	out := fmt.Sprintf("%s <= Recv data, %d bytes (0x%x)\n", time.Time{}.Add(at).Format("15:04:05.000000"), len(data), len(data))
	for from := 0; from < len(data); {
		line := data[from:min(from+64, len(data))]
		next := from + len(line)
		if i := strings.Index(data[from:], "\r\n"); i >= 0 && i <= len(line) {
			line, next = line[:i], from+i+2
		}
		out += fmt.Sprintf("%04x: %s\n", from, regexp.MustCompile(`[^ -~]`).ReplaceAllString(line, "."))
		from = next
	}
	return out
}

// However the reads cut a body, and whatever its framing, a trace of letters alone has the text
// and the time of each chunk. The day may end meanwhile.
func TestCurlReads(t *testing.T) {
	rnd := testkit.Rand(t, 0)
	head := `23:59:59.000000 => Send header, 6 bytes (0x6)` + "\n0000: POST x\n" +
		dump("HTTP/1.1 200 OK\r\n", 24*time.Hour-time.Second) + dump("Transfer-Encoding: chunked\r\n", 24*time.Hour-1) +
		dump("\r\n", 24*time.Hour-1)
	head = strings.ReplaceAll(head, "Recv data", "Recv header")
	for range 100 {
		body, wire := "", ""
		for i := range 1 + rnd.IntN(5) {
			ev := fmt.Sprintf(`data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"%d. \"{[.} data: 1.5"}}],"x":0.5}`, i)
			ev += []string{"\n\n", "\r\n\r\n"}[rnd.IntN(2)]
			body, wire = body+ev, wire+fmt.Sprintf("%x\r\n%s\r\n", len(ev), ev)
		}
		wire += "0\r\n\r\n"
		text, at := head, 24*time.Hour
		for rest := wire; rest != ""; at += time.Millisecond {
			n := 1 + rnd.IntN(len(rest))
			text += dump(rest[:n], at)
			rest = rest[n:]
		}
		got, want := streamsOf(t, text)[0], streamsOf(t, body)[0]
		testkit.Is(t, string(got.Text), string(want.Text), text)
		last := got.Chunks[len(got.Chunks)-1].At
		testkit.That(t, last >= metrics.Stamp(time.Second) && last < metrics.Stamp(time.Second+at-24*time.Hour), "%v", last)
	}
}

// Nothing of a key or a cookie is kept of a file, wherever it stands.
func TestForeignKeys(t *testing.T) {
	for name, text := range foreignFiles(t) {
		for _, q := range testkit.Must(openText(text))(t).Requests {
			kept := string(testkit.Must(json.Marshal(q))(t))
			for _, ev := range q.Events {
				kept += string(ev.Data)
			}
			testkit.That(t, !strings.Contains(kept, "sk-rig") && !strings.Contains(kept, "rig-cookie"), "%s: %s", name, kept)
		}
	}
}

// A HAR has the text of its streams, from bytes as well; gaps where its events have times of their
// own, and none between those of one piece.
func TestHAR(t *testing.T) {
	text := foreignFiles(t)["playwright.har"]
	all := streamsOf(t, text)
	testkit.Is(t, len(all), 2)
	content := regexp.MustCompile(`"text":("data: (?:[^"\\]|\\.)*")`)
	encoded := content.ReplaceAllStringFunc(text, func(s string) string {
		var plain string
		testkit.OK(t, json.Unmarshal([]byte(content.FindStringSubmatch(s)[1]), &plain))
		return `"encoding": "base64", "text": "` + base64.StdEncoding.EncodeToString([]byte(plain)) + `"`
	})
	testkit.Given(t, encoded != text, "a content was encoded")
	testkit.Is(t, string(streamsOf(t, encoded)[0].Text), string(all[0].Text))
	f := metrics.Measure(&all[0], metrics.Options{})
	testkit.That(t, f.TTFB.OK && !f.TTFT.OK && !f.TPOT.OK && f.GapsUnknown == 0, "TTFB %+v, TTFT %+v", f.TTFB, f.TTFT)

	var events []string
	for i, at := range []float64{0.1, 0.2, 0.2, 0.35} {
		events = append(events, fmt.Sprintf(`{"time":%.3f,"data":"{\"choices\":[{\"delta\":{\"content\":\"%d\"}}]}"}`, 1795917600+at, i))
	}
	timed := streamsOf(t, `{"log":{"creator":{"name":"x"},"entries":[{"startedDateTime":"2026-11-29T02:00:00.000Z",`+
		`"request":{"method":"POST","url":"https://api.example/v1/chat/completions?key=sk-rig"},`+
		`"response":{"status":200,"content":{}},"timings":{"send":2,"wait":50,"receive":300},"_eventSourceMessages":[`+
		strings.Join(events, ",")+`]}]}}`)[0]
	f = metrics.Measure(&timed, metrics.Options{})
	testkit.That(t, f.TTFT.OK && f.TTFT.V > 97.9 && f.TTFT.V < 98.1, "TTFT %+v", f.TTFT)
	testkit.That(t, f.Gaps.N == 2 && f.GapsUnknown == 1, "gaps %+v, %d unknown", f.Gaps, f.GapsUnknown)
	testkit.Is(t, timed.Endpoint.URL, "https://api.example/v1")
}

// AIPerf's own figures lie beside its requests, and follow from them; alone they are refused with
// the name of the other file.
func TestAIPerfSums(t *testing.T) {
	rec := testkit.Must(session.Open("testdata/foreign/profile_export.jsonl", nil))(t)
	testkit.That(t, rec.Foreign.Version != "" && len(rec.Foreign.Printed) > 100, "%+v", rec.Foreign)
	for _, p := range rec.Foreign.Printed {
		testkit.That(t, p.Agrees, "%s is %s, and %v of the rows", p.Name, p.File, p.Rows)
	}
	_, err := session.Open("testdata/foreign/profile_export_aiperf.json", nil)
	testkit.That(t, err != nil && strings.Contains(err.Error(), "profile_export.jsonl"), "%v", err)
	alone := filepath.Join(t.TempDir(), "a.jsonl")
	testkit.OK(t, os.WriteFile(alone, []byte(foreignFiles(t)["profile_export.jsonl"]), 0o600))
	lacks := strings.Join(testkit.Must(session.Open(alone, nil))(t).Foreign.Lacks, ", ")
	testkit.That(t, strings.Contains(lacks, "a_aiperf.json"), "%s", lacks)
}

// A sweep of GuideLLM has its benchmarks as steps of a load, which compare tells apart, and no gap.
func TestGuideLLM(t *testing.T) {
	rec := testkit.Must(openText(foreignFiles(t)["guidellm.json.gz"]))(t)
	users := map[int]int{}
	for _, q := range rec.Requests {
		users[q.Workload.Concurrency]++
		f := &q.End.Figures
		testkit.That(t, f.TTFT.OK && f.TPOT.OK && !f.Longest.OK && f.Gaps.N == 0 && len(q.Events) == 0, "%+v", f.Gaps)
		run := session.StreamOf(q).Run()
		testkit.Same(t, run.Figures.TTFT, f.TTFT)
		own := metrics.Measure(&run.Stream, metrics.Options{})
		testkit.Same(t, own.TTFT, f.TTFT, "wherever it is measured")
		testkit.Same(t, own.TPOT, f.TPOT)
	}
	testkit.That(t, users[1] == users[2] && users[1] > 0 && len(users) == 2, "%v", users)
	testkit.That(t, len(rec.Foreign.Printed) > 100, "%d figures", len(rec.Foreign.Printed))
	sample := testkit.Must(session.ReadSample(strings.NewReader(foreignFiles(t)["guidellm.json.gz"]), "g"))(t)
	testkit.Is(t, len(sample.Groups), 2, "groups to compare")
}
