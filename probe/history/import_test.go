package history

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
)

// TestImportDoublesNothing holds that the history of another machine comes in with
// that machine's name, from its file or its document, and once.
func TestImportDoublesNothing(t *testing.T) {
	there := opened(t, t0.Add(time.Hour))
	var want []history.Entry
	for n := range 30 {
		e := sample(n, t0.Add(time.Duration(n)*time.Minute), "groq", 270)
		e.Series.Machine = "there"
		want = append(want, e)
	}
	add(t, there, want...)
	file := testkit.Must(os.ReadFile(there.Path()))(t)
	v := view(t, there, history.Query{})
	doc := result.HistoryOf("v1", "", &v)
	var document bytes.Buffer
	testkit.OK(t, result.Sentences(nil).WriteDocument(&document, doc))
	here := opened(t, t0.Add(time.Hour))
	add(t, here, sample(0, t0, "groq", 300)) // has the ID of one of them
	for i, x := range []struct {
		data string
		want history.Imported
	}{
		{string(file) + "cut", history.Imported{Entries: 30, New: 29, Damaged: 1}},
		{string(file), history.Imported{Entries: 30}},
		{document.String(), history.Imported{Entries: 30}},
	} {
		got, err := here.Import(strings.NewReader(x.data), ImportOptions{})
		testkit.That(t, err == nil && got == x.want, "import %d: %+v, %v", i, got, err)
	}
	for _, text := range []string{string(file), document.String()} {
		for form, data := range testkit.Windows(text) {
			if got, err := here.Import(strings.NewReader(data), ImportOptions{}); err != nil || got.Entries != 30 ||
				got.New+got.Damaged > 0 {
				t.Errorf("%s: %+v, %v", form, got, err)
			}
		}
	}
	testkit.Same(t, view(t, here, history.Query{Filter: "machine:there", Sort: "at"}).Entries, want[1:])
	for _, data := range []string{"", "nonsense", `{"schema":"tokscope/probe/v1"}`,
		`{"type":"session","schema":"tokscope/session/v1"`} {
		if _, err := here.Import(strings.NewReader(data), ImportOptions{Machine: "x"}); err == nil {
			t.Errorf("%q is imported", data)
		}
	}
	if _, err := here.Import(strings.NewReader(`{"type":"session","schema":"tokscope/session/v1"}`),
		ImportOptions{}); err == nil || !strings.Contains(err.Error(), "--machine") {
		t.Errorf("a session file of nobody: %v", err)
	}
}

// ended is a request as the engine ends it.
func ended(proto string, state metrics.State) (metrics.Stream, metrics.Figures) {
	v := metrics.Stream{
		ID: 3, State: state, Wall: t0, Endpoint: metrics.Endpoint{Name: "groq", URL: "https://e.example/v1", Model: "m"},
		Work:  metrics.Workload{Name: "chat", MaxTokens: 9, Connection: metrics.ReuseCold, Concurrency: 2},
		Conn:  metrics.Connection{Proto: proto, Proxy: "p:1"},
		Marks: metrics.NewMarks(), Model: "m-1",
	}
	v.Marks.Start, v.Marks.Sent, v.Marks.End = 100, 200_100, 5_000_000
	known := func(x float64) metrics.Value { return metrics.Known(x, 1) }
	f := metrics.Figures{
		DNS: known(1), TCP: known(2), TLS: known(3), TTFB: known(4), TTFT: known(5), TTFC: known(6), TPOT: known(7),
		Longest: known(8), Total: known(9), Speed: known(10),
		PromptTokens: known(31), Tokens: known(200), TokenSource: metrics.TokensUsage, Stalls: make([]metrics.Stall, 2),
		Wait: []metrics.Share{{Name: metrics.ShareUpload, Ms: known(11)}, {Name: metrics.ShareQueue, Ms: known(12),
			Server: true}, {Name: metrics.SharePrefill, Ms: known(13), Server: true}},
	}
	return v, f
}

// TestEntryOf holds each figure by its name, and what makes an entry suspect.
func TestEntryOf(t *testing.T) {
	v, f := ended("HTTP/1.1", metrics.Done)
	e := entryOf("m1", &v, &f)
	for figure, want := range map[history.Figure]float64{
		history.DNS: 1, history.TCP: 2, history.TLS: 3, history.TTFB: 4, history.TTFT: 5, history.TTFC: 6, history.TPOT: 7,
		history.Longest: 8, history.Total: 9, history.Speed: 10,
		history.Upload: 11, history.Queue: 12, history.Prefill: 13,
	} {
		got := e.Figures[figure]
		testkit.That(t, got.OK && got.V == want, "%s: %+v", figure, got)
	}
	testkit.That(t, !e.Figures[history.Throughput].OK, "one request has a throughput")
	want := history.Series{Machine: "m1", Endpoint: "groq", URL: "https://e.example/v1", Model: "m", Workload: "chat",
		MaxTokens: 9, Cold: true, Proto: "HTTP/1.1", Proxy: "p:1", Users: 2}
	if e.Series != want || !e.At.Equal(t0.Add(200*time.Microsecond)) || e.Stalls != 2 || e.Suspect || e.Failed != 0 ||
		e.N != 1 || e.Prompt.V != 31 || e.Output.V != 200 || e.Answered != "m-1" {
		t.Errorf("%+v", e)
	}
	other := entryOf("m1", &v, &f)
	testkit.That(t, other.ID == e.ID && e.ID[:12] == idAt(t0, 0)[:12], "IDs %s and %s", e.ID, other.ID)
	v.Work.Lane = "on"
	want.Lane = "on"
	testkit.Is(t, entryOf("m1", &v, &f).Series, want, "the lane of a race sets no series apart")
	v.Model = strings.Repeat("é", 1000)
	if e := entryOf("m1", &v, &f); e.Answered != strings.Repeat("é", 128) {
		t.Errorf("a long name has %d bytes", len(e.Answered))
	}
	v.Marks.End++
	testkit.That(t, entryOf("m1", &v, &f).ID != e.ID, "two requests have one ID")
	f.Wait, f.TokenSource = nil, metrics.TokensEstimated
	if e := entryOf("m1", &v, &f); e.Figures[history.Queue].Why != metrics.WhyUnreported ||
		e.Figures[history.Upload].Why != metrics.WhyNotMeasured || e.Output.OK || e.Output.Why != metrics.WhyNoServerTokens {
		t.Errorf("%+v", e)
	}
	for code, suspect := range map[metrics.SuspectCode]bool{
		metrics.SuspectBuffered: true, metrics.SuspectHeld: true, metrics.SuspectTerminalBurst: true,
		metrics.SuspectCached: true, metrics.SuspectLate: true,
		metrics.SuspectStopped: true, metrics.SuspectMultiToken: false, metrics.SuspectBody: false,
		metrics.SuspectServer: false,
	} {
		f.Suspect = []metrics.Suspicion{{Code: code}}
		testkit.Is(t, entryOf("m1", &v, &f).Suspect, suspect, code, "suspect")
	}
	for state, failed := range map[metrics.State]int{metrics.Failed: 1, metrics.Truncated: 1, metrics.Cancelled: 0} {
		v.State, v.Fault = state, &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Message: "the-secret",
			Body: "the-secret"}
		e := entryOf("m1", &v, &f)
		line, err := result.AppendHistoryLine(nil, &e)
		if e.Failed != failed || e.Status != 429 || e.Fault != metrics.FaultRateLimit || err != nil ||
			bytes.Contains(line, []byte("secret")) {
			t.Errorf("%s: %+v, %v", state, e, err)
		}
	}
	v.Endpoint.Kind = metrics.EndpointEmbedded
	testkit.Is(t, entryOf("m1", &v, &f).Series.URL, "", "the port of the embedded endpoint is another one each time")
}

// TestPointOf holds the figures of a point of a load, closed and open.
func TestPointOf(t *testing.T) {
	p := loadstat.Point{Users: 8, Steady: true, Requests: 20, Failed: 3, Speed: metrics.Known(60, 20),
		Total: metrics.Known(480, 20), From: 5, To: 9}
	p.TTFT.P50, p.TPOT.P50 = metrics.Known(300, 20), metrics.Unknown(metrics.WhyNoTokens)
	w := metrics.Workload{Name: "chat"}
	e, ok := pointOf("m1", &metrics.Endpoint{Name: "e"}, &w, &p, t0)
	if !ok || e.Kind != history.Point || e.Series.Users != 8 || e.Series.Rate != 0 || e.N != 23 || e.Failed != 3 ||
		e.Suspect || e.State != metrics.Done ||
		e.Figures[history.TTFT].V != 300 || e.Figures[history.TPOT].Why != metrics.WhyNoTokens ||
		e.Figures[history.Speed].V != 60 || e.Figures[history.Throughput].V != 480 || e.Figures[history.Total].OK {
		t.Errorf("%+v", e)
	}
	p.Asked, p.Steady = 2.5, false
	if e, _ := pointOf("m1", &metrics.Endpoint{Name: "e"}, &w, &p, t0); e.Series.Users != 0 || e.Series.Rate != 2.5 ||
		!e.Suspect {
		t.Errorf("open loop: %+v", e)
	}
	if _, ok := pointOf("m1", &metrics.Endpoint{}, &w, &loadstat.Point{Users: 1}, t0); ok {
		t.Error("a point without a request")
	}
}

// TestSeriesAreApartByAPI holds that requests to one address in two APIs are two series, each
// of its own endpoint, and that the embedded endpoint is found by another port.
func TestSeriesAreApartByAPI(t *testing.T) {
	for _, kind := range []metrics.EndpointKind{metrics.EndpointURL, metrics.EndpointEmbedded} {
		chat := metrics.Endpoint{Kind: kind, Name: "gateway", URL: "http://h:1"}
		own := chat
		own.API, own.Model = "messages", "m"
		w := metrics.Workload{Name: "chat"}
		a, b := seriesOf("m1", &chat, &w), seriesOf("m1", &own, &w)
		if b.Model = a.Model; a == b || !a.Of(&chat) || a.Of(&own) || b.Of(&chat) {
			t.Errorf("%s: %+v, %+v", kind, a, b)
		}
		b.Model = own.Model
		chat.URL, own.URL, own.Model = "http://h:2", "http://h:2", ""
		moved := kind == metrics.EndpointEmbedded
		testkit.That(t, a.Of(&chat) == moved && b.Of(&own) == moved, "%s: by another port, %+v, %+v", kind, a, b)
	}
}

// TestDigest holds that custom prompts are told apart by a digest that depends on a
// key of the store, which stays.
func TestDigest(t *testing.T) {
	s := opened(t, t0)
	digest := func(s *Store, w metrics.Workload) string {
		first := digest(s.readSalt, &w)
		again := w
		testkit.That(t, digest(s.readSalt, &again) == first, "the same workload has another digest")
		return first
	}
	custom := metrics.Workload{Name: "custom", Prompt: "why?"}
	zero := 0.0
	first := digest(s, custom)
	for name, w := range map[string]metrics.Workload{
		"prompt": {Name: "custom", Prompt: "how?"}, "system": {Name: "custom", Prompt: "why?", System: "x"},
		"moved":       {Name: "custom", System: "why?"},
		"temperature": {Name: "custom", Prompt: "why?", Temperature: &zero},
		"messages":    {Name: "custom", Prompt: "why?", Messages: "[{}]"}, "tools": {Name: "custom", Prompt: "why?",
			Messages: "[{}]", Tools: "[{}]"},
	} {
		testkit.That(t, digest(s, w) != first, "another %s has the same digest", name)
	}
	custom.Nonce = "[request 1]"
	if len(first) != 16 || digest(openedAt(t, s.dir, t0), custom) != first {
		t.Errorf("another run of the program: %s, not %s", digest(s, custom), first)
	}
	testkit.That(t, digest(opened(t, t0), custom) != first, "another machine has the same digest")
	testkit.Is(t, digest(s, metrics.Workload{Name: "chat", Prompt: "why?"}), "", "a preset is known by its name")
	if info, err := os.Stat(s.path(saltName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// TestFailuresJoinTheirSeries holds that a request that failed before a connection
// has the protocol of those like it, before it and in the store.
func TestFailuresJoinTheirSeries(t *testing.T) {
	s := opened(t, t0)
	ok, f := ended("HTTP/1.1", metrics.Done)
	w := NewWriter(s, Source{Version: "v1", Session: "/s.ndjson"})
	w.Run(history.Probe, "g", &ok, &f)
	bad, f := ended("", metrics.Failed)
	bad.Conn.Proxy, bad.ID, bad.Wall = "", 4, t0.Add(time.Second)
	w.Run(history.Probe, "g", &bad, &f)
	w.Run(history.Probe, "g", &metrics.Stream{State: metrics.Waiting}, &f) // not ended
	testkit.OK(t, w.Close(5*time.Second))
	w = NewWriter(s, Source{Version: "v1"})
	bad.ID = 5
	w.Run(history.Probe, "h", &bad, &f)
	testkit.OK(t, w.Close(5*time.Second))
	v := view(t, s, history.Query{Sort: "at"})
	if len(v.Series) != 1 || v.Series[0].N != 3 || v.Series[0].Failed != 2 || v.Series[0].Series.Proxy != "p:1" {
		t.Errorf("%+v", v.Series)
	}
	var nobody *Writer
	nobody.Run(history.Probe, "g", &ok, &f)
	if err := nobody.Close(0); err != nil || nobody.Store() != nil {
		t.Error("a Writer of nothing", err)
	}
	testkit.That(t, v.Entries[0].Session == "/s.ndjson" && v.Entries[0].Request == 3, "%+v", v.Entries[0])
}

// TestWriterNeverWaits holds that adding returns while another process keeps the
// store locked, and that the number of waiting entries is bounded.
func TestWriterNeverWaits(t *testing.T) {
	s := opened(t, t0)
	unlock := testkit.Must(s.lock(time.Second))(t)
	w := NewWriter(s, Source{Version: "v1"})
	for n := range mostWaiting + 10 {
		w.add(sample(n, t0, "groq", 270), &metrics.Workload{Name: "chat"}, "g")
	}
	w.mu.Lock()
	waiting := len(w.waiting)
	w.mu.Unlock()
	testkit.That(t, waiting <= mostWaiting, "%d entries wait", waiting)
	testkit.Refuses(t, w.Close(0), "lacks")
	unlock()
	<-w.stopped
}
