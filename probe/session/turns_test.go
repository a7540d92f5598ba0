package session

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/probetest"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

const canary = "a secret canary"

// tapped is a random agent behind a tap: what it says goes into a file and into a session.
type tapped struct {
	*rand.Rand
	file    *File
	turns   *Turns
	session turn.Session
	now     metrics.Stamp
	id      int
}

func newTapped(t testing.TB, r *rand.Rand, texts bool) *tapped {
	about := turn.Tapped{Agent: turn.Agent{Command: "claude"}, Upstream: "https://api.example/v1", URL: canary,
		File: canary}
	f := testkit.Must(Create(t.TempDir(), Options{Version: "1.2.3", Started: time.Now(), Tap: &about, Texts: texts}))(t)
	return &tapped{Rand: r, file: f, turns: f.Turns(), now: 1000}
}

// pass lets up to n ms go by.
func (a *tapped) pass(n int) metrics.Stamp {
	a.now += metrics.Stamp(a.IntN(n*1e6 + 1))
	return a.now
}

func (a *tapped) block(p turn.Part, role string) turn.Block {
	return turn.Block{Part: p, Role: role, Digest: turn.Digest(a.Uint64() | 1), Bytes: a.IntN(900)}
}

// ask plays a request with its answer, and what passes of it.
func (a *tapped) ask(q turn.Request, calls, fails bool) turn.Digest {
	a.id++
	v := metrics.NoStream(a.pass(50))
	v.ID, v.State, v.Wall, v.Stamps = a.id, metrics.Connecting, time.Now(), metrics.SourceKernel
	v.Marks.Start, v.Endpoint.Model, v.Endpoint.API, v.Endpoint.Name = a.now, q.Model, q.API, canary
	v.Work.Concurrency = 1
	a.file.Begin(v)
	t := turn.Turn{Request: q, Run: &metrics.Run{Stream: v}}
	add := func() {
		run := *t.Run
		t.Run = &run
		a.session.Add(t)
		a.turns.Add(t)
	}
	add()
	v.Marks.GotConn = a.pass(5)
	v.Marks.Sent = a.pass(9)
	a.file.Sent(a.id, v.Marks.Sent)
	v.Marks.Headers, v.Marks.FirstByte = a.pass(9), a.now
	a.file.Head(a.id, &client.Head{At: a.now, Status: 200, Proto: "HTTP/1.1",
		Headers: map[string][]string{"X-Text": {canary}}})
	n := 1 + a.IntN(9)
	if fails {
		n = 0
	}
	for i := range n {
		v.State = metrics.Decoding
		kind := []metrics.Kind{metrics.Reasoning, metrics.Content, metrics.Refusal}[a.IntN(3)]
		text := canary
		if calls && i == n-1 {
			kind = metrics.ToolCall
		}
		ev := sse.Event{At: a.pass(30), User: a.now, Read: int32(i), Bytes: int32(90 + a.IntN(9)), Kernel: true,
			Data: []byte(canary)}
		c := metrics.Chunk{At: ev.At, User: ev.User, Read: ev.Read, Event: int32(i), Kind: kind, Tokens: -1, Bytes: ev.Bytes,
			Kernel: true}
		if v.Text = append(v.Text, text...); kind == metrics.ToolCall {
			c.Name = 6
		}
		c.TextEnd = int32(len(v.Text))
		if v.Chunks = append(v.Chunks, c); i > 0 && a.IntN(4) == 0 {
			v.Waits = append(v.Waits, metrics.Wait{Name: canary, From: v.Chunks[i-1].At, To: ev.At})
		}
		if i == n-1 {
			v.Finish = "end_turn"
			v.Usage.Prompt, v.Usage.Completion = 1000+a.IntN(9000), 1+a.IntN(90)
			v.Usage.Cached = a.IntN(v.Usage.Prompt)
		}
		v.Events++
		v.LastData = ev.At
		v.Observer.KernelStamps++
		if !v.Marks.FirstEvent.Known() {
			v.Marks.FirstEvent = ev.At
		}
		if i < n-1 || a.IntN(3) > 0 { // else the end of the answer has brought it
			a.file.Event(&client.Folded{ID: a.id, Index: i, Event: &ev, Chunks: v.Chunks[i:], Texts: [][]byte{[]byte(text)},
				Usage: v.Usage, Finish: v.Finish})
			a.file.Read(a.id, &transport.Read{At: ev.At, User: ev.User, Number: ev.Read, Bytes: ev.Bytes, Kernel: true})
		}
	}
	v.Marks.End, v.State, v.ResponseID, v.Model = a.pass(9), metrics.Done, canary, "served-"+q.Model
	if v.Now = v.Marks.End; fails {
		v.State, v.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: 529, Message: canary, Body: canary}
	} else {
		v.RateLimit = &metrics.RateLimit{LimitRequests: 100, RemainingRequests: a.IntN(100), LimitTokens: -1,
			RemainingTokens: -1}
	}
	f := metrics.Measure(&v, metrics.Options{})
	a.file.End(v, &f)
	t.Run = &metrics.Run{Stream: v, Figures: f}
	if !fails {
		t.Response = turn.Digest(a.Uint64() | 1)
	}
	add()
	t.Up = turn.Leg{Read: int64(q.Bytes), Written: int64(q.Bytes)}
	t.Down = turn.Leg{Read: 9, Written: 9, Differs: a.IntN(2) == 0}
	t.Added = metrics.Distribution([]float64{float64(a.IntN(1000)), 20})
	add()
	add() // nothing has changed
	return t.Response
}

// play plays a session of an agent and of a subagent, each with a history that is sent again, or
// with new items only behind the answer before.
func (a *tapped) play() {
	type speaker struct {
		blocks   []turn.Block
		previous turn.Digest
		tools    int
	}
	session := turn.Digest(a.IntN(2)) * turn.Digest(a.Uint64())
	agents := make([]speaker, 2)
	for i := range agents {
		s := &agents[i]
		for s.tools = range 1 + a.IntN(3) {
			s.blocks = append(s.blocks, a.block(turn.Tools, ""))
		}
		s.blocks = append(s.blocks, a.block(turn.System, canary), a.block(turn.Messages, "user"))
	}
	socket, calls := a.IntN(3) == 0, false
	for range 4 + a.IntN(8) {
		i := 0
		if calls && a.IntN(3) == 0 {
			i = 1
		}
		s := &agents[i]
		q := turn.Request{API: "messages", Kind: turn.Asks, Method: "POST", Path: "/v1/messages?beta", Model: "opus-4.8",
			Service: metrics.Service{Tier: "auto"}, Bytes: 100 + a.IntN(900), Tools: s.tools, Messages: len(s.blocks),
			Session: session,
			Blocks:  s.blocks, Answers: turn.Person}
		if calls && i == 0 {
			q.Answers = turn.Tool
		}
		if socket && s.previous != 0 {
			q.Previous, q.Blocks = s.previous, slices.Concat(s.blocks[:s.tools+1], s.blocks[len(s.blocks)-1:])
		}
		for a.IntN(5) == 0 {
			a.ask(q, false, true)
		}
		said := a.IntN(3) > 0
		s.previous = a.ask(q, said, false)
		if i == 0 {
			calls = said
		}
		s.blocks = append(slices.Clip(s.blocks), a.block(turn.Messages, "assistant"), a.block(turn.Messages, "user"))
		if a.IntN(6) == 0 { // an edited history
			s.blocks = append(s.blocks[:s.tools+1:s.tools+1], a.block(turn.Messages, "user"))
		}
		if a.IntN(4) == 0 {
			a.session.Count(turn.CountTokens)
			a.turns.Count(turn.CountTokens)
		}
	}
}

// told returns what a view says but for names, digests and the records of the answers. A name of
// a tool of the server is a text.
func toldOf(v turn.View) turn.View {
	v.Turns = slices.Clone(v.Turns)
	for i := range v.Turns {
		t := &v.Turns[i]
		s := t.Stream()
		kept := metrics.NoStream(s.Now)
		kept.ID, kept.State, kept.Marks, kept.Finish, kept.Usage, kept.RateLimit = s.ID, s.State, s.Marks, s.Finish, s.Usage,
			s.RateLimit
		kept.Model, kept.Marks.LastUsage, kept.Usage.Peak = s.Model, metrics.NoStamp, 0 // the agent has not set these
		t.Run = &metrics.Run{Stream: kept}
		t.Spans = slices.Clone(t.Spans)
		for k := range t.Spans {
			t.Spans[k].Name = ""
		}
		t.Blocks = slices.Clone(t.Blocks)
		for k := range t.Blocks {
			t.Blocks[k].Role = ""
		}
		t.Added = metrics.Dist{N: t.Added.N, P50: bareValue(t.Added.P50), P99: bareValue(t.Added.P99),
			Max: bareValue(t.Added.Max)}
	}
	return v
}

// notSame says in what two views differ, "" in nothing.
func notSame(got, want turn.View) string {
	return cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true }))
}

// bareValue is v without its count and its reason.
func bareValue(v metrics.Value) metrics.Value {
	return metrics.Value{V: v.V, OK: v.OK}
}

// TestTurnsOfAFile holds that the file of a tap gives the turns, the spans, the conversations, the
// totals, the limits and the verdicts on the cache that the tap had, that a reader who follows it
// while it grows has the same at its end, and that no text is in it.
func TestTurnsOfAFile(t *testing.T) {
	for seed := range probetest.Cases(100, 20) {
		r := testkit.Rand(t, uint64(seed))
		a := newTapped(t, r, false)
		a.play()
		a.file.TapEnds(a.pass(50))
		testkit.OK(t, a.file.Close())
		want := toldOf(a.session.View(a.now, false))
		rec := testkit.Must(Open(a.file.Path(), nil))(t)
		testkit.Need(t, notSame(toldOf(rec.View()), want), "", "seed", seed, "the file has another session")
		text := testkit.Must(os.ReadFile(a.file.Path()))(t)
		testkit.Given(t, !bytes.Contains(text, []byte("canary")), "seed %d: a text is in the file", seed)
		path := filepath.Join(t.TempDir(), "grows.ndjson")
		grows := testkit.Must(os.Create(path))(t)
		var f *Follower
		for last := uint64(0); len(text) > 0; {
			n := min(1+r.IntN(2000), len(text))
			if f == nil {
				n = bytes.IndexByte(text, '\n') + 1
			}
			testkit.Must(grows.Write(text[:n]))(t)
			if text = text[n:]; f == nil {
				f = testkit.Must(Follow(path))(t)
				continue
			}
			now := f.Look()
			if now < last || f.Look() != now {
				t.Fatalf("seed %d: the version went from %d to %d, and then without a new line to %d", seed, last, now, f.Look())
			}
			last = now
			v := f.View(r.IntN(2) == 0)
			for i := range v.Turns {
				s := v.Turns[i].Stream()
				testkit.Given(t, s.Now >= s.Marks.Start, "seed %d: turn %d ends before it begins", seed, s.ID)
			}
		}
		diff := notSame(toldOf(f.View(false)), want)
		testkit.Given(t, diff == "" && f.Ended(), "seed %d: who follows has another session (-want +got)\n%s", seed, diff)
		testkit.OK(t, grows.Close())
		testkit.OK(t, f.Close())
	}
}

// TestCutAndDamagedTaps holds that a file of a killed tap has the turns up to its cut, and that one
// that is damaged anywhere is refused, or has fewer turns, and breaks nothing. Lines of every type
// are cut within, before their end and behind it, and damaged.
func TestCutAndDamagedTaps(t *testing.T) {
	r := testkit.Rand(t, 1)
	a := newTapped(t, r, false)
	a.play()
	testkit.OK(t, a.file.Close())
	text := testkit.Must(os.ReadFile(a.file.Path()))(t)
	begins := func(text []byte) int { return strings.Count(string(text), `"asks":`) }
	begin := map[string][]int{} // of the lines, by type
	for from := 0; from < len(text); from += bytes.IndexByte(text[from:], '\n') + 1 {
		begin[typeOf(text[from:])] = append(begin[typeOf(text[from:])], from)
	}
	path := filepath.Join(t.TempDir(), "damaged.ndjson")
	for range probetest.Cases(4, 1) {
		for _, kind := range slices.Sorted(maps.Keys(begin)) {
			from := begin[kind][r.IntN(len(begin[kind]))]
			to := from + bytes.IndexByte(text[from:], '\n') + 1
			bad := bytes.Clone(text)
			bad[from+r.IntN(to-from)] = byte(r.IntN(256))
			for range r.IntN(8) {
				bad[r.IntN(len(bad))] = byte(r.IntN(256))
			}
			openDamaged(t, path, bad, begins(text))
			for n, want := range map[int]int{from + r.IntN(to-from-1): from, to - 1: to, to: to} {
				rec, err := Read(bytes.NewReader(text[:n]))
				if kind == "session" && n < to-1 { // without a head it is no file of a tap
					continue
				}
				testkit.OK(t, err, "cut at", n)
				testkit.Is(t, len(rec.View().Turns), begins(text[:want]), "turns, cut at", n)
			}
		}
	}
}

// openDamaged opens a damaged file in both ways.
func openDamaged(t *testing.T, path string, bad []byte, most int) {
	if rec, err := Read(bytes.NewReader(bad)); err == nil {
		n := len(rec.View().Turns)
		testkit.That(t, n <= most, "%d turns of %d", n, most)
	}
	head := bytes.IndexByte(bad, '\n') + 1
	testkit.OK(t, os.WriteFile(path, bad[:head], 0o600))
	f, err := Follow(path)
	if err != nil {
		return
	}
	testkit.OK(t, os.WriteFile(path, bad, 0o600))
	f.Look()
	f.View(true)
	testkit.OK(t, f.Close())
}

// FuzzTapLines holds that no lines behind the head of a tap's file break a reader.
func FuzzTapLines(f *testing.F) {
	head := `{"type":"session","schema":"tokscope/session/v1","version":"1.2.3","tap":{"upstream":"u"}}` + "\n"
	begin := `{"type":"request","id":1,"start_ns":5}` + "\n"
	for _, lines := range []string{
		`{"type":"turn","id":1,"asks":{"new_blocks":[{"digest":1,"part":"tools","bytes":-1}],"blocks":[1,1]}}`,
		`{"type":"turn","id":1,"asks":{"new_blocks":[{"digest":18446744073709551615}],"blocks":[18446744073709551615,-1]}}`,
		`{"type":"turn","id":1,"passed":{}}`, `{"type":"other","kind":"turn"}`, `{"type":"tap_end"}`,
		`{"type":"end","id":1,"request":null}`, `{"type":"turn","id":1,"asks":null}`,
	} {
		f.Add([]byte(begin + lines + "\n" + lines + "\n"))
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		openDamaged(t, filepath.Join(t.TempDir(), "f"), slices.Concat([]byte(head), lines), len(lines))
	})
}

// TestTextsOfATap holds that a file with texts has them, and the turns too.
func TestTextsOfATap(t *testing.T) {
	a := newTapped(t, testkit.Rand(t, 3), true)
	a.play()
	testkit.OK(t, a.file.Close())
	rec := testkit.Must(Open(a.file.Path(), nil))(t)
	if rec.Texts != TextsKept || len(rec.View().Turns) != a.id {
		t.Errorf("texts %q, %d turns of %d", rec.Texts, len(rec.View().Turns), a.id)
	}
	text := testkit.Must(os.ReadFile(a.file.Path()))(t)
	testkit.That(t, bytes.Contains(text, []byte(canary)), "the file has no text")
}

// TestNoTap holds that no other file is followed, and why; and that it is not read for that: a
// broken line behind the first is not met.
func TestNoTap(t *testing.T) {
	f := testkit.Must(Create(t.TempDir(), Options{Version: "1.2.3", Started: time.Now()}))(t)
	testkit.OK(t, f.Close())
	text := testkit.Must(os.ReadFile(f.Path()))(t)
	testkit.OK(t, os.WriteFile(f.Path(), append(text, "no line\n{}\n"...), 0o600))
	for path, want := range map[string]string{f.Path(): "not the session of a tap", f.Path() + "x": "cannot open"} {
		_, err := Follow(path)
		testkit.That(t, err != nil && strings.Contains(fmt.Sprint(err), want), "%s: %v, want %q", path, err, want)
	}
}
