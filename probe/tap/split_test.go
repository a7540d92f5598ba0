package tap_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/tap"
)

// within are the moments between which something happened, by a script's own stamps: it was not
// begun before from, and seen in the tap by to. Where the tap's stamp is the kernel's, or where the
// server could know, it was done by done, however late the tap and the script were behind it.
type within struct{ from, done, to metrics.Stamp }

// part is a part of the time of a turn, as its script knows it.
type part struct {
	activity turn.Activity
	from, to within
}

// known is what a script knows of one turn.
type known struct {
	model string
	sub   bool
	parts []part
}

// stage is a tap before a server, both of which a script plays in real time, in HTTP or over
// WebSockets.
type stage struct {
	*testing.T
	tap    *tap.Tap
	clock  func() metrics.Stamp
	up     net.Listener
	socket bool

	mu      sync.Mutex
	arrived map[string]chan net.Conn // of a request, by its model
	all     []*known
	upgrade sync.Mutex
}

func newStage(t *testing.T, socket bool) *stage {
	e := client.New(client.Options{Bounds: tap.Bounds(), NoPathProbe: true})
	s := &stage{T: t, clock: e.Clock().Now, socket: socket, arrived: map[string]chan net.Conn{}}
	s.up = testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = s.up.Close() })
	s.tap = open(t, "http://"+s.up.Addr().String(), tap.Options{Engine: e})
	if !socket {
		go s.accept()
	}
	return s
}

// accept gives each connection to the turn whose request comes on it.
func (s *stage) accept() {
	for {
		conn, err := s.up.Accept()
		if err != nil {
			return
		}
		go func() {
			req, err := http.ReadRequest(bufio.NewReader(conn))
			if err != nil {
				return
			}
			var body struct{ Model string }
			_ = json.NewDecoder(req.Body).Decode(&body)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.arrived[body.Model] <- conn
		}()
	}
}

// speaker is an agent of a script, the main one or a subagent.
type speaker struct {
	*stage
	*rand.Rand
	name     string
	sub      bool
	history  []string // messages or items
	sent     int      // of them, over a WebSocket
	previous string   // id of the last answer
	ends     *ends
	turns    []*known
}

// seen waits until the tap has seen something of the newest turn on a model, and returns when
// that was.
func (s *speaker) seen(model string, ok func(*metrics.Stream) bool) metrics.Stamp {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Microsecond) {
		v := s.tap.View(true)
		for i := len(v.Turns) - 1; i >= 0; i-- {
			if x := &v.Turns[i]; x.Model == model {
				if ok(x.Stream()) {
					return s.clock()
				}
				break
			}
		}
	}
	s.Fatal("the tap does not see what was sent")
	return 0
}

func (s *speaker) pause() { time.Sleep(time.Duration(3+s.IntN(20)) * time.Millisecond) }

// ask plays a request and its answer. after is what the client did before it.
func (s *speaker) ask(model string, after turn.Activity, fails, calls bool) {
	k := &known{model: model, sub: s.sub}
	began := within{from: s.clock()}
	var body string
	var conn, server net.Conn
	if s.socket {
		if s.ends == nil {
			s.upgrade.Lock()
			s.ends = upgraded(s.T, s.tap, s.up)
			s.upgrade.Unlock()
			s.Cleanup(s.ends.close)
			for _, c := range []end{s.ends.client, s.ends.server} {
				_ = c.SetDeadline(time.Time{}) // a script may last, on a busy machine
			}
			go func() { _, _ = io.Copy(io.Discard, s.ends.client.in) }()
			began.from = s.clock()
		}
		body = fmt.Sprintf(`{"type":"response.create","model":%q,"previous_response_id":%q,"input":[%s]}`, model, s.previous,
			strings.Join(s.history[s.sent:], ","))
		s.ends.ask(s.T, body)
		conn, server = s.ends.client, s.ends.server
	} else {
		body = fmt.Sprintf(`{"model":%q,"stream":true,"messages":[%s]}`, model, strings.Join(s.history, ","))
		arrived := make(chan net.Conn, 1)
		s.mu.Lock()
		s.arrived[model] = arrived
		s.mu.Unlock()
		conn, _ = send(s.T, s.tap, chat, length(body), body)
		defer func() { _ = conn.Close() }()
		server = <-arrived
		defer func() { _ = server.Close() }()
	}
	began.done = s.clock()
	said := 0
	last := func(v *metrics.Stream) bool { return v.Marks.Start >= began.from }
	sent := within{from: began.from}
	sent.to = s.seen(model, func(v *metrics.Stream) bool { return last(v) && v.Marks.Sent.Known() })
	began.to, sent.done = sent.to, sent.to
	if n := len(s.turns); n > 0 {
		before := s.turns[n-1]
		before.parts = append(before.parts, part{after, before.parts[len(before.parts)-1].to, began})
	}
	s.turns = append(s.turns, k)
	s.mu.Lock()
	s.all = append(s.all, k)
	s.mu.Unlock()
	k.parts = append(k.parts, part{turn.Upload, began, sent})
	at, doing := sent, turn.Wait
	// write sends what the server says, and reach notes that the time until then went by with a.
	write := func(text string, seen func(v *metrics.Stream) bool) within {
		w := within{from: s.clock()}
		if s.socket {
			text = string(event(text))
		}
		_ = testkit.Must(io.WriteString(server, text))(s.T)
		w.done = s.clock()
		kernel := false
		w.to = s.seen(model, func(v *metrics.Stream) bool {
			kernel = v.Stamps == metrics.SourceKernel
			return last(v) && seen(v)
		})
		if !kernel {
			w.done = w.to
		}
		return w
	}
	reach := func(a turn.Activity, w within) {
		k.parts = append(k.parts, part{a, at, w})
		at = w
	}
	ended := func(v *metrics.Stream) bool { return v.State.Ended() }
	s.pause()
	if fails {
		text := `{"type":"response.failed","response":{"id":"x","status":"failed","error":{"code":"server_error","message":"busy"}}}`
		if !s.socket {
			text = "HTTP/1.1 529 Busy\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
		}
		reach(turn.Wait, write(text, ended))
		return
	}
	head := "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n"
	kinds := []metrics.Kind{metrics.Reasoning, metrics.Content}[s.IntN(2):]
	if calls {
		kinds = append(kinds, metrics.ToolCall)
	}
	for _, kind := range kinds {
		for range 1 + s.IntN(2) {
			text := s.chunk(kind, said)
			if !s.socket {
				text, head = head+"data: "+text+"\n\n", ""
			}
			said++
			w := write(text, func(v *metrics.Stream) bool { return len(v.Chunks) >= said })
			is := map[metrics.Kind]turn.Activity{metrics.Reasoning: turn.Thinking, metrics.Content: turn.Text,
				metrics.ToolCall: turn.Call}[kind]
			if doing == turn.Wait || doing == turn.Thinking && is == turn.Text {
				reach(doing, w)
			} else {
				reach(is, w)
			}
			doing = is
			s.pause()
		}
	}
	s.previous = "r" + model
	text := `{"type":"response.completed","response":{"id":"` + s.previous + `","model":"m","status":"completed"}}`
	if !s.socket {
		text = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
		if calls {
			text = strings.Replace(text, "stop", "tool_calls", 1)
		}
	}
	reach(doing, write(text, ended))
	s.sent = len(s.history)
}

// chunk is an event with a delta, of the API that is spoken.
func (s *speaker) chunk(kind metrics.Kind, n int) string {
	if !s.socket {
		delta := map[metrics.Kind]string{metrics.Reasoning: `"reasoning_content":"hm"`, metrics.Content: `"content":"so"`,
			metrics.ToolCall: `"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"ls","arguments":"{"}}]`}[kind]
		return `{"id":"a","model":"m","choices":[{"index":0,"delta":{` + delta + `}}]}`
	}
	of := map[metrics.Kind]string{metrics.Reasoning: "reasoning_summary_text", metrics.Content: "output_text",
		metrics.ToolCall: "function_call_arguments"}[kind]
	name := ""
	if kind == metrics.ToolCall {
		name = "ls"
	}
	return fmt.Sprintf(`{"type":"response.%s.delta","item_id":"i%d","output_index":%[2]d,"content_index":0,"summary_index":0,"name":%[3]q,"delta":"hm"}`,
		of, n, name)
}

// say adds a message to the history.
func (s *speaker) say(role string) {
	text := fmt.Sprintf("%s %s %d", s.name, role, len(s.history))
	switch {
	case role == "tool" && s.socket:
		s.history = append(s.history, fmt.Sprintf(`{"type":"function_call_output","call_id":"c","output":%q}`, text))
	case role == "tool":
		s.history = append(s.history, `{"role":"assistant","content":"calls"}`,
			fmt.Sprintf(`{"role":"tool","tool_call_id":"c","content":%q}`, text))
	default:
		s.history = append(s.history, fmt.Sprintf(`{"role":"user","content":%q}`, text))
	}
}

// work plays an agent: some turns with tools, in whose time subagents may work, then a text.
func (s *speaker) work(turns int) {
	after := turn.You
	for i := range turns {
		model := fmt.Sprintf("%s-%d", s.name, len(s.turns))
		if i == 0 {
			s.say("user")
		}
		for s.IntN(4) == 0 {
			s.ask(model, after, true, false)
			after = turn.Client
			s.pause()
		}
		s.ask(model, after, false, i+1 < turns)
		after = turn.Client
		if i+1 == turns {
			continue
		}
		if !s.sub && s.IntN(2) == 0 {
			var wg sync.WaitGroup
			for j := range 2 {
				seed := s.Uint64()
				wg.Go(func() {
					sub := &speaker{stage: s.stage, Rand: rand.New(rand.NewPCG(seed, 0)), name: fmt.Sprintf("%s.%d", model, j),
						sub: true}
					sub.work(1 + sub.IntN(2))
				})
			}
			wg.Wait()
		}
		s.pause()
		s.say("tool")
	}
}

// TestSplitOverSockets holds that the time of each turn is divided as a scripted agent knows it,
// which talks through a real tap in real time: what its model does, tools and client, waits
// for a person, subagents at once, failures that are tried again. What is known of a moment is
// two stamps of the script's, so that a busy machine makes it less exact and never wrong. No part
// is off what is known of it without the tap by more than 10 ms and the lag that the tap prints.
func TestSplitOverSockets(t *testing.T) {
	t.Parallel()
	scripts := 3
	switch {
	case testkit.Long():
		scripts = 100
	case testing.Short(): // they wait most of the time, and few of them beside each other
		scripts = 1
	}
	var mu sync.Mutex
	var off, open []float64 // of each part: see compare
	t.Run("scripts", func(t *testing.T) {
		for i := range scripts {
			for _, socket := range []bool{false, true} {
				t.Run(fmt.Sprint(i, map[bool]string{false: " HTTP", true: " WebSocket"}[socket]), func(t *testing.T) {
					t.Parallel()
					s := newStage(t, socket)
					main := &speaker{stage: s, Rand: testkit.Rand(t, uint64(100+i)), name: "main"}
					for task := range 2 {
						if task > 0 {
							main.pause() // a person reads
						}
						main.work(1 + main.IntN(3))
					}
					mu.Lock()
					defer mu.Unlock()
					s.compare(&off, &open)
				})
			}
		}
	})
	d, o := metrics.Distribution(off), metrics.Distribution(open)
	t.Logf("%d parts of %d scripts, off by p50 %.2f, p99 %.2f, at most %.2f ms; the scripts know them to p50 %.2f, p99 "+
		"%.2f ms",
		d.N, 2*scripts, d.P50.V, d.P99.V, d.Max.V, o.P50.V, o.P99.V)
}

// compare compares the turns with what the script knows. It adds by how much the tap's parts are
// off that, and how far that is open, in ms.
func (s *stage) compare(off, open *[]float64) {
	const bound = 10 * time.Millisecond
	v := until(s.T, s.tap, func(v *turn.View) bool { return len(v.Turns) == len(s.all) })
	for id, k := range s.all {
		x := pick.First(v.Turns, func(x *turn.Turn) bool {
			at := x.Stream().Marks.Start
			return x.Model == k.model && at >= k.parts[0].from.from && at <= k.parts[0].from.to
		})
		if x == nil {
			s.Fatalf("turn %d of %q is missing", id, k.model)
		}
		testkit.Is(s, v.Conversations[x.Conversation-1].Of != 0, k.sub, "turn", id, "of a subagent")
		lag := max(x.Stream().Observer.LateMax, x.Stream().Observer.LagMax)
		for a := turn.Upload; a <= turn.You; a++ {
			got := x.Time(a)
			if a == turn.Upload {
				got += x.Time(turn.Connect)
			}
			var least, most, from, to time.Duration // from and to: without the tap
			for _, p := range k.parts {
				if p.activity == a {
					least += time.Duration(p.to.from - p.from.to)
					most += time.Duration(p.to.to - p.from.from)
					from += time.Duration(p.to.from - p.from.done)
					to += time.Duration(p.to.done - p.from.from)
				}
			}
			if got < least || got > most {
				s.Errorf("turn %d of %q: %v took %v, by the script %v to %v", id, x.Model, a, got, least, most)
			}
			if most > 0 {
				by := max(0, from-got, got-to)
				if by > bound+lag {
					s.Errorf("turn %d of %q: %v took %v, without the tap %v to %v; its lag is %v", id, x.Model, a, got, from, to, lag)
				}
				*off, *open = append(*off, float64(by)/1e6), append(*open, float64(to-from)/1e6)
			}
		}
	}
}
