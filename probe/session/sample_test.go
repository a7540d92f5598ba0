package session

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
)

// savedRequest is request n of a result.
func savedRequest(n int) result.Request {
	known := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	return result.Request{
		Stream: &metrics.Stream{ID: n, State: metrics.Done, Wall: time.Unix(1e9+int64(n), 0), Model: "m",
			Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
			Endpoint: metrics.Endpoint{Kind: "provider", Name: "groq", URL: "https://x/v1", Model: "m"},
			Work:     metrics.Workload{Name: "custom", Prompt: "secret prompt", MaxTokens: 40, Concurrency: 1}},
		Stamps: "kernel", Connection: result.Connection{Connection: metrics.Connection{Proto: "HTTP/1.1"}},
		Figures: metrics.Figures{TTFT: known(100 + float64(n)), TPOT: known(7), TokenSource: metrics.TokensContinuous,
			Wait: []metrics.Share{{Name: "queue", Ms: known(1), Server: true}, {Name: "prefill", Ms: known(90), Server: true},
				{Name: "wait", Ms: known(5)}}},
	}
}

// savedLines joins values as lines of JSON.
func savedLines(t testing.TB, values ...any) string {
	t.Helper()
	var b strings.Builder
	for _, v := range values {
		testkit.OK(t, result.Sentences(nil).WriteLine(&b, v))
	}
	return b.String()
}

// endLine is the last line of a request.
type endLine struct {
	Type    string         `json:"type"`
	ID      int            `json:"id"`
	Request result.Request `json:"request"`
}

// fileHead is a first line.
type fileHead struct {
	Type    string `json:"type"`
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Started string `json:"started"`
}

// results are one result of three requests in every format, the second of which
// failed.
func results(t testing.TB) map[comparison.Kind]string {
	t.Helper()
	q := []result.Request{savedRequest(1), savedRequest(2), savedRequest(3)}
	q[1].State, q[1].Figures.TTFT, q[1].Figures.TPOT, q[1].Stamps = metrics.Failed, metrics.Value{}, metrics.Value{},
		"none"
	lines := []any{}
	// The schema is the first text, as it is written.
	session := []any{fileHead{"session", SessionSchema, "v1", q[0].Wall.UTC().Format(time.RFC3339Nano)}}
	for i := range q {
		kind := "done"
		if q[i].State != metrics.Done {
			kind = "error"
		}
		lines = append(lines, &struct {
			Type string `json:"type"`
			ID   int    `json:"id"`
		}{"request", i + 1}, endLine{kind, i + 1, q[i]})
		session = append(session, &struct {
			Type string `json:"type"`
			ID   int    `json:"id"`
			At   int    `json:"start_ns"`
		}{"request", i + 1, 1}, endLine{"end", i + 1, q[i]})
	}
	lines[0] = fileHead{"request", LiveSchema, "", ""}
	requests := []any{RequestsHead{Type: "requests", Schema: RequestLinesSchema, Version: "v1", Endpoint: q[0].Endpoint}}
	for i := range q {
		requests = append(requests, RequestLine{Type: "request", Users: 4, Started: q[i].Wall, State: q[i].State,
			Stamps: q[i].Stamps, TTFT: q[i].Figures.TTFT, TPOT: q[i].Figures.TPOT, TokenSource: q[i].Figures.TokenSource})
	}
	sweep := result.Sweep{Schema: result.SweepSchema, Started: q[0].Wall.UTC().Format(time.RFC3339Nano),
		Endpoint: q[0].Endpoint, Workload: q[0].Work,
		Points: []result.SweepStep{{SweepPoint: result.SweepPoint{Point: &loadstat.Point{Users: 4, Requests: 2,
			TTFT: metrics.Dist{N: 2, P50: metrics.Known(250, 2)}}, Failed: 1}}}}
	return map[comparison.Kind]string{
		comparison.KindProbe: savedLines(t, result.Document{Schema: result.ResultSchema, Tool: result.Tool{Version: "v1"},
			Requests: q}),
		comparison.KindLines:    savedLines(t, lines...),
		comparison.KindSession:  savedLines(t, session...),
		comparison.KindRequests: savedLines(t, append(requests, RequestsEnd{"end", 3, 5})...),
		comparison.KindSweep:    savedLines(t, sweep),
	}
}

// TestReadSample reads every format: requests, failures, figures and setups.
func TestReadSample(t *testing.T) {
	for kind, text := range results(t) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		for _, form := range slices.Concat([]string{text, packed.String()},
			slices.Collect(maps.Values(testkit.Windows(text)))) {
			s, err := ReadSample(strings.NewReader(form), "file")
			if err != nil {
				t.Errorf("%s: %v", kind, err)
				continue
			}
			if s.Kind != kind || s.N() != 3 || len(s.Groups) != 1 || len(s.Endpoints) != 1 || s.Endpoints[0].Name != "groq" {
				t.Fatalf("%s: %+v", kind, s)
			}
			g := &s.Groups[0]
			testkit.That(t, g.Model == "m" && !strings.Contains(fmt.Sprintf("%+v", s), "secret"), "%s: setup %+v", kind, g.Setup)
			if kind == comparison.KindSweep {
				v := g.Medians[history.TTFT]
				testkit.That(t, v.V == 250 && v.N == 2 && g.Failed == 1 && g.Users == 4, "%s: %+v", kind, g)
				continue
			}
			if ttft := g.Values(history.TTFT); g.Requests != 3 || g.Failed != 1 || len(ttft) != 2 || ttft[0] != 101 ||
				g.Stamps != "kernel" || g.Counted != "counted by the server" {
				t.Errorf("%s: %+v", kind, g)
			}
			if kind == comparison.KindRequests {
				testkit.That(t, g.Users == 4 && s.LeftOut == 5, "%s: %d users, %d left out", kind, g.Users, s.LeftOut)
				continue
			}
			if g.Values(history.Prefill)[0] != 90 || !strings.HasPrefix(g.Prompt, "sha256:") || g.MaxTokens != 40 ||
				g.Connection != "reused" || g.Proto != "HTTP/1.1" || g.Users != 1 {
				t.Errorf("%s: %+v", kind, g)
			}
		}
	}
}

// TestReadSampleMarks: what the measurement spoiled is suspect, and a request
// without an end is counted.
func TestReadSampleMarks(t *testing.T) {
	q := []result.Request{savedRequest(1), savedRequest(2), savedRequest(3), savedRequest(4)}
	q[0].Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectBuffered}}
	q[1].Lag.Delay = metrics.Delay{Code: metrics.DelayStamps}
	q[2].Lag.Delay = metrics.Delay{Code: metrics.DelayReads}
	q[3].Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectMultiToken}}
	s, err := ReadSample(strings.NewReader(savedLines(t, result.Document{Schema: result.ResultSchema, Requests: q})),
		"file")
	testkit.OK(t, err)
	if g := &s.Groups[0]; g.Suspect != 3 || g.Values(history.TTFT)[0] != q[3].Figures.TTFT.V {
		t.Errorf("%d of 4 requests are suspect, %v count", g.Suspect, g.Values(history.TTFT))
	}
	text := results(t)[comparison.KindSession]
	open := text + `{"type":"request","id":9,"start_ns":1}` + "\n" + `{"type":"end","id":9,"requ`
	if s, err = ReadSample(strings.NewReader(open), "file"); err != nil || s.Unended != 1 || s.LeftOut != 1 || s.N() != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestReadSampleRefuses: foreign, damaged and empty files are errors that name the
// file and the next step.
func TestReadSampleRefuses(t *testing.T) {
	all := results(t)
	for want, text := range map[string]string{
		"is empty":                    " \n",
		"is not a result":             "hello",
		"not a result of tokscope":    `{"a":1}`,
		`the format "tokscope/other"`: `{"schema":"tokscope/other"}`,
		"result of a race":            `{"schema":"tokscope/race/v1"}`,
		"ends within the document":    all[comparison.KindProbe][:200],
		"follows the document":        all[comparison.KindProbe] + "{}",
		"holds no ended request":      `{"schema":"tokscope/probe/v1","requests":[]}`,
		"state of an ended request":   `{"schema":"tokscope/probe/v1","requests":[{"state":"boiling"}]}`,
		"has no moment":               `{"schema":"tokscope/probe/v1","requests":[{"state":"done"}]}`,
		"line 2":                      strings.Replace(all[comparison.KindSession], `"id":1`, `"id":{}`, 1),
		"impossible number":           `{"schema":"tokscope/sweep/v1","started":"2026-01-01T00:00:00Z","points":[{"users":-1}]}`,
		"gzip":                        "\x1f\x8bnothing",
		"is not a line of a session":  all[comparison.KindSession][:120] + "\nnonsense\n" + all[comparison.KindSession],
		"longer than":                 all[comparison.KindRequests] + strings.Repeat("x", maxLine+1),
	} {
		s, err := ReadSample(strings.NewReader(text), "some.json")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "some.json") ||
			len(err.Error()) > 2000 {
			t.Errorf("want %q: %v, %v", want, s, err)
		}
	}
}

// FuzzReadSample: no bytes make it panic, and what it accepts can be compared and
// written.
func FuzzReadSample(f *testing.F) {
	for _, text := range results(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSample(bytes.NewReader(data), "file")
		if err != nil {
			return
		}
		c := comparison.Compare(s, s, nil)
		testkit.Given(t, len(c.Pairs) != 0, "it cannot be compared with itself: %v", c.Refused)
		testkit.Must(result.Sentences(nil).Append(nil, result.ComparisonOf(c, "v", nil)))(t)
	})
}

// TestSweepLengths: sweeps with other lengths of prompts or answers are not compared.
func TestSweepLengths(t *testing.T) {
	setup := func(change func(*result.Sweep)) comparison.Setup {
		s := result.Sweep{Schema: result.SweepSchema, Started: time.Unix(1e9, 0).UTC().Format(time.RFC3339Nano),
			Workload: metrics.Workload{Name: "chat", MaxTokens: 40}, Load: result.SweepLoad{Output: "200"},
			Points: []result.SweepStep{{SweepPoint: result.SweepPoint{Point: &loadstat.Point{Users: 4, Requests: 2}}}}}
		change(&s)
		sample := testkit.Must(ReadSample(strings.NewReader(savedLines(t, s)), "file"))(t)
		return sample.Groups[0].Setup
	}
	base := setup(func(*result.Sweep) {})
	testkit.Is(t, base.MaxTokens, 200, base)
	for name, change := range map[string]func(*result.Sweep){
		"output": func(s *result.Sweep) { s.Load.Output = "300" },
		"drawn":  func(s *result.Sweep) { s.Load.Output = "100..400" },
		"input":  func(s *result.Sweep) { s.Load.Input = "100,1000" },
		"rate":   func(s *result.Sweep) { s.Points[0].Asked = 2.5 },
	} {
		if other := setup(change); len(base.Differs(&other)) != 1 {
			t.Errorf("%s: %+v differs from %+v in %v", name, other, base, base.Differs(&other))
		}
	}
	one, other := setup(func(s *result.Sweep) { s.Load.Output = "100..400" }),
		setup(func(s *result.Sweep) { s.Load.Output = "100..500" })
	testkit.Is(t, len(one.Differs(&other)), 1, one, "and", other)
}

// atEnd is a reader that is read last: it notes the memory in use then.
type atEnd struct{ used uint64 }

func (a *atEnd) Read([]byte) (int, error) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	a.used = m.HeapAlloc
	return 0, io.EOF
}

// TestLargeResultsTakeLittleMemory: of each kind of a result that may hold very many
// requests, figures alone are kept while it is read, not its text, streams or entries.
func TestLargeResultsTakeLittleMemory(t *testing.T) {
	probetest.TakesTime(t, "results of some megabytes")
	all := results(t)
	split := func(kind comparison.Kind, part string, n int) (head, item, tail string) {
		text := all[kind]
		from := strings.Index(text, part)
		testkit.Given(t, from >= 0, "%s has no %s", kind, part)
		to := from + strings.IndexByte(text[from:], '\n') + 1
		return text[:from], strings.Repeat(text[from:to], n), text[to:]
	}
	document := all[comparison.KindProbe]
	from := strings.Index(document, `"requests":[`) + len(`"requests":[`)
	first := json.NewDecoder(strings.NewReader(document[from:]))
	var one json.RawMessage
	testkit.OK(t, first.Decode(&one))
	event := `{"type":"event","id":1,"at_ns":5,"user_ns":6,"read":1,"bytes":300,"stamp":"kernel","data":"` +
		strings.Repeat("x", 300) + "\"}\n"
	begun, _, _ := split(comparison.KindSession, `{"type":"end"`, 0)
	lineHead, lines, lineTail := split(comparison.KindLines, `{"type":"done"`, 4000)
	requestHead, requests, requestTail := split(comparison.KindRequests, `{"type":"request"`, 20_000)
	for name, parts := range map[string][3]string{
		"document":      {document[:from], strings.Repeat(string(one)+",", 4000), document[from:]},
		"lines":         {lineHead, lines, lineTail},
		"request lines": {requestHead, requests, requestTail},
		"session file":  {begun, strings.Repeat(event, 20_000), all[comparison.KindSession][len(begun):]},
	} {
		var before, end atEnd
		_, _ = before.Read(nil)
		in := io.MultiReader(strings.NewReader(parts[0]), strings.NewReader(parts[1]), strings.NewReader(parts[2]), &end)
		s, err := ReadSample(in, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		most, used := len(parts[1])/5, int(end.used)-int(before.used)
		if t.Logf("%s: %d requests, %d kB of %d", name, s.N(), used>>10, len(parts[1])>>10); used > most {
			t.Errorf("%s of %d kB: reading keeps %d kB", name, len(parts[1])>>10, used>>10)
		}
	}
}

// TestBombs: a part of a document that has no end is refused before it fills the memory.
func TestBombs(t *testing.T) {
	for name, head := range map[string]string{
		"text":    `{"schema":"tokscope/probe/v1","conclusion":"`,
		"list":    `{"schema":"tokscope/probe/v1","summary":[`,
		"request": `{"schema":"tokscope/probe/v1","requests":[{"x":"`,
		"sweep":   `{"schema":"tokscope/sweep/v1","points":[`,
	} {
		if name != "list" {
			probetest.TakesTime(t, "24 MiB of text")
		}
		in := io.MultiReader(strings.NewReader(head), strings.NewReader(strings.Repeat("1,", 3*mostPart/4)))
		_, err := ReadSample(in, name)
		testkit.That(t, err != nil && strings.Contains(err.Error(), "longer than 32 MiB"), "%s: %v", name, err)
	}
}
