package turn

import (
	"math"
	"reflect"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// answered returns a turn that began, and was sent, at start, with one chunk behind a wait and
// its end a second later, all in seconds.
func answered(id int, start, wait float64, blocks []Block, change func(t *Turn, s *metrics.Stream)) Turn {
	at := func(s float64) metrics.Stamp { return metrics.Stamp(s * 1e9) }
	s := metrics.NoStream(at(start + wait + 1))
	s.ID, s.State = id, metrics.Done
	s.Marks.Start, s.Marks.Sent, s.Marks.Headers = at(start), at(start), at(start)
	s.Chunks, s.Marks.End = []metrics.Chunk{{At: at(start + wait)}}, s.Now
	t := Turn{Request: Request{API: "messages", Kind: Asks, Model: "m", Blocks: blocks, Answers: Person},
		Run: &metrics.Run{}}
	for i := range blocks {
		if blocks[i].Part == Tools {
			t.Tools++
		}
	}
	if change != nil {
		change(&t, &s)
	}
	t.Run.Stream = s
	return t
}

// counted sets what the server counted.
func counted(prompt, cached, out int) func(*Turn, *metrics.Stream) {
	return func(_ *Turn, s *metrics.Stream) {
		s.Usage.Prompt, s.Usage.Cached, s.Usage.Completion = prompt, cached, out
	}
}

// prompt returns blocks by their digests, of tools, the system and messages.
func prompt(tools, system, messages []Digest) (all []Block) {
	for part, digests := range [][]Digest{tools, system, messages} {
		for _, d := range digests {
			all = append(all, Block{Part: Part(part + 1), Digest: d, Bytes: 1})
		}
	}
	return all
}

type d = []Digest

func view(now float64, open bool, turns ...Turn) View {
	var s Session
	for _, t := range turns {
		s.Add(t)
	}
	return s.View(metrics.Stamp(now*1e9), open)
}

// TestConversations: which turns are one conversation where the requests tell it by no more
// than their blocks.
func TestConversations(t *testing.T) {
	calls := func(t *Turn, s *metrics.Stream) { s.Finish = "tool_use" }
	result := func(t *Turn, _ *metrics.Stream) { t.Answers = Tool }
	named := func(t *Turn, _ *metrics.Stream) { t.Session = 7 }
	for _, c := range []struct {
		name  string
		turns []Turn
		want  []int    // the conversation of each turn
		of    [][2]int // of each conversation: Of, Beside
	}{
		{"a title is asked for before the first turn", []Turn{
			answered(1, 0, 2, prompt(nil, d{9}, d{8}), nil),
			answered(2, 1, 5, prompt(d{1}, d{2}, d{3}), nil),
			answered(3, 20, 1, prompt(d{1}, d{2}, d{3, 4, 5}), nil),
		}, []int{1, 2, 2}, [][2]int{{2, 2}, {0, 0}}},
		{"a title is asked for behind it", []Turn{
			answered(1, 0, 5, prompt(d{1}, d{2}, d{3}), nil),
			answered(2, 1, 1, prompt(nil, d{9}, d{8}), nil),
			answered(3, 20, 1, prompt(d{1}, d{2}, d{3, 4, 5}), nil),
		}, []int{1, 2, 1}, [][2]int{{0, 0}, {1, 1}}},
		{"another agent comes later", []Turn{
			answered(1, 0, 1, prompt(d{1}, d{2}, d{3}), nil),
			answered(2, 10, 1, prompt(d{11}, d{2}, d{29}), nil),
			answered(3, 20, 1, prompt(nil, d{2}, d{30}), nil),
			answered(4, 30, 1, prompt(nil, nil, d{31}), nil),
			answered(5, 40, 1, prompt(nil, nil, d{32}), nil),
			answered(6, 50, 1, prompt(d{1}, d{2}, d{33}), nil),
		}, []int{1, 2, 3, 4, 4, 1}, [][2]int{{0, 0}, {0, 0}, {0, 0}, {0, 0}}},
		{"a title and a topic, of a client that sends its session", []Turn{
			answered(1, 0, 1, prompt(nil, d{9}, d{8}), named),
			answered(2, 10, 1, prompt(d{1}, d{2}, d{3}), named),
			answered(3, 20, 1, prompt(nil, d{10}, d{80}), named),
			answered(4, 30, 1, prompt(d{1}, d{2}, d{4}), named),
			answered(5, 40, 1, prompt(d{1}, d{2}, d{5}), nil),
		}, []int{1, 2, 3, 2, 4}, [][2]int{{2, 2}, {0, 0}, {2, 2}, {0, 0}}},
		{"a subagent with more tools", []Turn{
			answered(1, 0, 1, prompt(d{1}, nil, d{3}), calls),
			answered(2, 3, 1, prompt(d{1, 2}, nil, d{4}), nil),
		}, []int{1, 2}, [][2]int{{0, 0}, {1, 1}}},
		{"a system prompt with a clock", []Turn{
			answered(1, 0, 1, prompt(nil, d{1}, d{3}), nil),
			answered(2, 10, 1, prompt(nil, d{2}, d{3, 4, 5}), nil),
		}, []int{1, 1}, [][2]int{{0, 0}}},
		{"two wait for tools, and one edits its history", []Turn{
			answered(1, 0, 1, prompt(d{1}, d{2}, d{3}), calls),
			answered(2, 3, 1, prompt(d{1}, d{2}, d{4}), calls),
			answered(3, 6, 1, prompt(d{1}, d{2}, d{4, 6, 7}), func(t *Turn, s *metrics.Stream) { calls(t, s); result(t, s) }),
			answered(4, 10, 1, prompt(d{1}, d{2}, d{3, 10}), result),
			answered(5, 20, 1, prompt(d{1}, d{2}, d{4, 60, 7}), result),
		}, []int{1, 2, 2, 1, 2}, [][2]int{{0, 0}, {1, 1}}},
		{"a subagent of a subagent", []Turn{
			answered(1, 0, 1, prompt(d{1}, nil, d{3}), calls),
			answered(2, 3, 9, prompt(d{2}, nil, d{4}), calls),
			answered(3, 4, 1, prompt(d{1}, nil, d{3, 5, 6}), result),
			answered(4, 7, 1, prompt(d{1}, nil, d{7}), nil),
		}, []int{1, 2, 1, 3}, [][2]int{{0, 0}, {1, 1}, {1, 3}}},
		{"the client goes on before the body ends", []Turn{
			answered(1, 0, 1, prompt(d{1}, nil, d{3}), func(_ *Turn, s *metrics.Stream) {
				s.Marks.FinishReason, s.Marks.End = s.Marks.End, s.Marks.End+5e9
			}),
			answered(2, 3, 1, prompt(d{1}, nil, d{3, 4}), nil),
		}, []int{1, 1}, [][2]int{{0, 0}}},
	} {
		v := view(100, false, c.turns...)
		var got []int
		for i := range v.Turns {
			got = append(got, v.Turns[i].Conversation)
			if turn := &v.Turns[i]; turn.Until.Known() && turn.Time(Connect, Upload, Wait, Thinking, Text, Call, ServerTool,
				Client, You) !=
				time.Duration(turn.Until-turn.Stream().Marks.Start) {
				t.Errorf("%s: turn %d does not sum: %+v", c.name, turn.Stream().ID, turn.Spans)
			}
		}
		var of [][2]int
		for _, x := range v.Conversations {
			of = append(of, [2]int{x.Of, x.Beside})
		}
		testkit.That(t, reflect.DeepEqual(got, c.want) && reflect.DeepEqual(of, c.of),
			"%s: conversations %v of %v, want %v of %v", c.name, got, of, c.want, c.of)
	}
}

// TestLost: which turns have lost the cache, by which block, and what it cost.
func TestLost(t *testing.T) {
	before := prompt(d{1, 2}, d{3, 4}, d{5, 6})
	for _, c := range []struct {
		name   string
		blocks []Block
		change func(*Turn, *metrics.Stream)
		want   *Lost
	}{
		{"nothing", prompt(d{1, 2}, d{3, 4}, d{5, 6, 7}), counted(1100, 950, 1), nil},
		{"half of the share", prompt(d{1, 2}, d{3, 4}, d{5, 6, 7}), counted(1000, 480, 1), nil},
		{"a long result of a tool", prompt(d{1, 2}, d{3, 4}, d{5, 6, 7}), counted(9000, 960, 1), nil},
		{"a long one, and the rest is lost", prompt(d{1, 2}, d{3, 4}, d{5, 6, 7}), counted(9000, 400, 1),
			&Lost{Known: true, Tokens: 600}},
		{"the system prompt", prompt(d{1, 2}, d{3, 44}, d{5, 6, 7}), counted(1100, 100, 1),
			&Lost{Part: System, Block: 2, Of: 2, Known: true, Tokens: 900}},
		{"a new tool", prompt(d{1, 2, 22}, d{3, 4}, d{5, 6, 7}), counted(1100, 0, 1),
			&Lost{Part: Tools, Block: 3, Of: 3, Known: true, Tokens: 1000}},
		{"a missing tool", prompt(d{1}, d{3, 4}, d{5, 6, 7}), counted(900, 0, 1),
			&Lost{Part: Tools, Block: 2, Of: 2, Known: true, Tokens: 900}},
		{"a message", prompt(d{1, 2}, d{3, 4}, d{5, 66, 7}), counted(1100, 400, 1),
			&Lost{Part: Messages, Block: 2, Of: 3, Known: true, Tokens: 600}},
		{"the server", prompt(d{1, 2}, d{3, 4}, d{5, 6, 7}), counted(1100, 0, 1), &Lost{Known: true, Tokens: 1000}},
		{"a compaction", prompt(d{1, 2}, d{3, 4}, d{8}), counted(100, 0, 1), nil},
		{"not told", prompt(d{1, 2}, d{3, 4}, d{5, 6, 7}), counted(1100, -1, 1), nil},
		{"another model", prompt(d{1, 2}, d{3, 4}, d{5, 6, 7}), func(t *Turn, s *metrics.Stream) {
			counted(1100, 0, 1)(t, s)
			t.Model = "n"
		}, nil},
		{"only new ones are sent", prompt(nil, nil, d{7}), func(t *Turn, s *metrics.Stream) {
			counted(1100, 0, 1)(t, s)
			t.Previous = 77
		}, &Lost{Tokens: 1000}},
	} {
		first := answered(1, 0, 1, before, counted(1000, 950, 1))
		first.Response = 77
		v := view(100, false, first, answered(2, 10, 4, c.blocks, c.change))
		if c.want != nil {
			c.want.Before, c.want.Share, c.want.After = 1, 0.95, 8*time.Second
			c.want.Cost = metrics.Unknown(metrics.Needs(3))
		}
		testkit.Same(t, v.Turns[1].Cache.Lost, c.want, c.name, "lost")
	}
	var turns []Turn
	for i, uncached := range []int{100, 50, 200} { // 10, 40 and 5 ms a token
		turns = append(turns, answered(i+1, float64(20*i), []float64{1, 2, 1}[i], before, counted(1000, 1000-uncached, 1)))
	}
	lost := answered(4, 90, 9, append(before, Block{Part: Messages, Digest: 9}), counted(1300, 200, 1))
	for n, want := range map[int]metrics.Value{2: metrics.Unknown(metrics.Needs(3)), 3: metrics.Known(9000-10*300, 3)} {
		v := view(100, false, append(turns[:n:n], lost)...)
		got := v.Turns[n].Cache.Lost
		testkit.That(t, got != nil && got.Cost == want, "behind %d turns lost %+v, want a cost of %+v", n, got, want)
	}
}

// TestTotals: counts, tokens, cost, and what was served.
func TestTotals(t *testing.T) {
	price := metrics.Price{In: 10, Out: 100, CacheRead: 1, CacheWrite: 20, Currency: "EUR"}
	blocks := prompt(nil, nil, d{1})
	failed := func(status int) func(*Turn, *metrics.Stream) {
		return func(_ *Turn, s *metrics.Stream) {
			s.State, s.Chunks, s.Fault = metrics.Failed, nil, &metrics.Fault{Kind: metrics.FaultHTTP, Status: status}
		}
	}
	serves := func(model, tier string, prompt, cached, out int) func(*Turn, *metrics.Stream) {
		return func(t *Turn, s *metrics.Stream) {
			counted(prompt, cached, out)(t, s)
			t.Service.Tier = "auto"
			s.Model, s.Served.Tier, s.Endpoint.Price = model, tier, price
		}
	}
	var s Session
	for _, turn := range []Turn{
		answered(1, 0, 1, blocks, failed(529)),
		answered(2, 10, 1, blocks, failed(529)),
		answered(3, 20, 1, blocks, failed(500)),
		answered(4, 30, 1, blocks, serves("m-20260101", "standard", 1000, 800, 10)),
		answered(5, 40, 1, blocks, serves("m-20260101", "standard", 500, -1, 20)),
		answered(6, 50, 1, blocks, func(t *Turn, s *metrics.Stream) {
			serves("n", "standard", 100, 0, 1)(t, s)
			s.Usage.CacheWritten, t.Service.Tier, s.Endpoint.Price.Currency = 50, "priority", "USD"
		}),
	} {
		s.Add(turn)
	}
	s.Count(Hello)
	s.Count(CountTokens)
	s.Count(CountTokens)
	v := s.View(60e9, false)
	testkit.Is(t, v.Counts, [Kinds]int{Asks: 6, Hello: 1, CountTokens: 2}, "counts")
	got := v.Totals
	want := Totals{Clock: got.Clock, Model: got.Model, Client: got.Client, You: got.You, Network: got.Network,
		Turns: 6, Retries: 3, Failures: []metrics.FaultCount{{Kind: metrics.FaultHTTP, Status: 529, N: 2},
			{Kind: metrics.FaultHTTP, Status: 500, N: 1}},
		Services: []ServiceCount{
			{"m", "m-20260101", metrics.Service{Tier: "auto"}, metrics.Service{Tier: "standard"}, 2, false},
			{"m", "n", metrics.Service{Tier: "priority"}, metrics.Service{Tier: "standard"}, 1, true}},
		In: metrics.Known(1600, 3), Out: metrics.Known(31, 3), Cached: metrics.Known(800.0/1100, 2),
		Bill: metrics.Bill{Input: 0.007, CacheRead: 0.0008, Output: 0.003, Currency: "EUR", N: 2, Total: 0.0108}}
	for _, v := range []*float64{&got.Bill.Input, &got.Bill.CacheRead, &got.Bill.CacheWrite, &got.Bill.Output} {
		*v = math.Round(*v*1e12) / 1e12
	}
	testkit.Same(t, got, want, "totals")
	testkit.WellFormed(t, "totals", reflect.ValueOf(got))
	empty := view(0, true).Totals
	testkit.That(t, empty.Clock == 0 && !empty.In.OK && empty.Bill.N <= 0, "nothing has %+v", empty)
}

// TestLimits: what is left is of the last answer, and for turns like the last.
func TestLimits(t *testing.T) {
	told := func(left, requests int) func(*Turn, *metrics.Stream) {
		return func(_ *Turn, s *metrics.Stream) {
			s.Usage.Prompt, s.Usage.Completion = 900, 100
			s.RateLimit = &metrics.RateLimit{LimitTokens: 2e6, RemainingTokens: left, ResetTokens: 40 * time.Second,
				LimitRequests: 50, RemainingRequests: requests, ResetRequests: -1}
		}
	}
	blocks := prompt(nil, nil, d{1})
	var turns []Turn
	for i := range 7 {
		turns = append(turns, answered(i+1, float64(10*i), 1, blocks, told(100_000-i*1000, 50)))
	}
	turns[0].Run.Stream.Usage.Prompt = 1e6 // too old
	v := view(62, true, turns...)
	if l := v.Limits; l.Tokens.Left != 94_000 || l.Tokens.Reset != metrics.Known(38_000, 0) ||
		l.Turns != metrics.Known(50, 5) {
		t.Errorf("limits %+v", l)
	}
	turns[6] = answered(7, 60, 1, blocks, told(7600, 50))
	testkit.Is(t, view(62, true, turns...).Limits.Turns, metrics.Known(7, 5), "enough for")
	testkit.Is(t, view(62, true, turns[:2]...).Limits.Turns, metrics.Unknown(metrics.Needs(3)), "of two turns enough for")
	if l := view(62, true, answered(1, 0, 1, blocks, counted(1, 0, 1))).Limits; l.Known() || l.Turns.OK {
		t.Errorf("no answer told, and the limits are %+v", l)
	}
}

// TestOpen: what the client does behind the last turn goes on while the session does.
func TestOpen(t *testing.T) {
	blocks := prompt(nil, nil, d{1})
	for _, c := range []struct {
		name   string
		change func(*Turn, *metrics.Stream)
		want   Activity
	}{
		{"a person", nil, You},
		{"a tool", func(_ *Turn, s *metrics.Stream) { s.Finish = "tool_calls" }, Client},
		{"perhaps another attempt", func(_ *Turn, s *metrics.Stream) { s.State = metrics.Truncated }, Client},
	} {
		last := answered(2, 10, 1, blocks, c.change)
		v := view(30, true, answered(1, 0, 1, blocks, nil), last)
		if got := v.Turns[1]; !got.Open || got.Until != 30e9 || got.Time(c.want) != 18*time.Second || v.Turns[0].Open {
			t.Errorf("%s: open %v until %d: %+v", c.name, got.Open, got.Until, got.Spans)
		}
		if got := view(30, false, last).Turns[0]; got.Open || got.Until.Known() || got.Time(Client, You) != 0 {
			t.Errorf("%s, closed: %+v", c.name, got)
		}
	}
}

// TestUnfinishedSpans: what is under way, or ended early, belongs to what was not done.
func TestUnfinishedSpans(t *testing.T) {
	for _, c := range []struct {
		name            string
		dials           metrics.Stamp
		gotConn, sent   metrics.Stamp
		state           metrics.State
		connect, upload time.Duration
		wait            time.Duration
	}{
		{"received", metrics.NoStamp, metrics.NoStamp, metrics.NoStamp, metrics.Connecting, 0, 10, 0},
		{"connecting", 2, metrics.NoStamp, metrics.NoStamp, metrics.Connecting, 8, 2, 0},
		{"refused", 0, metrics.NoStamp, metrics.NoStamp, metrics.Failed, 10, 0, 0},
		{"sending", 0, 3, metrics.NoStamp, metrics.Connecting, 3, 7, 0},
		{"kept", metrics.NoStamp, 3, 4, metrics.Waiting, 0, 4, 6},
		{"waiting", 1, 3, 4, metrics.Waiting, 2, 2, 6},
		{"a frame", metrics.NoStamp, metrics.NoStamp, 4, metrics.Waiting, 0, 4, 6},
		{"contradicting", 0, 8, 4, metrics.Waiting, 8, 0, 2},
	} {
		turn := answered(1, 0, 1, nil, func(_ *Turn, s *metrics.Stream) {
			s.State, s.Chunks, s.Now = c.state, nil, 10
			s.Marks.ConnectStart, s.Marks.GotConn = c.dials, c.gotConn
			s.Marks.Sent, s.Marks.End = c.sent, metrics.NoStamp
			if c.state.Ended() {
				s.Marks.End = 10
			}
		})
		got := view(10, true, turn).Turns[0]
		testkit.That(t, got.Time(Connect) == c.connect && got.Time(Upload) == c.upload && got.Time(Wait) == c.wait,
			"%s: %+v", c.name, got.Spans)
	}
}

// TestTrimmed: a turn that has lost its chunks keeps what they told.
func TestTrimmed(t *testing.T) {
	turn := answered(1, 0, 1, prompt(nil, nil, d{1}),
		func(_ *Turn, s *metrics.Stream) { s.Chunks[0].Kind, s.Chunks[0].Name = metrics.ToolCall, 1 })
	var s Session
	s.Add(turn)
	want := s.View(9e9, true)
	trimmed := turn
	trimmed.Run = &metrics.Run{Stream: *turn.Stream(), Trimmed: &metrics.Trimmed{}}
	trimmed.Run.Stream.Chunks = nil
	s.Add(trimmed)
	if got := s.View(9e9, true); !reflect.DeepEqual(got.Turns[0].Spans, want.Turns[0].Spans) ||
		got.Turns[0].Time(Client) == 0 {
		t.Errorf("%+v, want %+v", got.Turns[0].Spans, want.Turns[0].Spans)
	}
}

// TestQuiet: how long a silence lasts, and what the client does about it.
func TestQuiet(t *testing.T) {
	const s = metrics.Stamp(time.Second)
	none, known := metrics.NoStamp, func(ms float64) metrics.Value { return metrics.Known(ms, 0) }
	by := Deadlines{Says: 20 * time.Second, GivesUp: 180 * time.Second}
	pings := by
	pings.Pings = true
	for _, c := range []struct {
		by               Deadlines
		sent, data, ping metrics.Stamp
		want             Quiet
	}{
		{by, none, none, none, Quiet{metrics.Unknown(metrics.WhyNotSent), metrics.Unknown(metrics.WhyNotSent),
			metrics.Unknown(metrics.WhyNotSent)}},
		{by, 10 * s, none, none, Quiet{known(90e3), known(0), known(90e3)}},
		{by, 10 * s, 95 * s, none, Quiet{known(5e3), known(15e3), known(175e3)}},
		{by, 10 * s, 40 * s, 96 * s, Quiet{known(60e3), known(0), known(120e3)}},
		{pings, 10 * s, 40 * s, 96 * s, Quiet{known(60e3), known(16e3), known(176e3)}},
		{Deadlines{}, 10 * s, 40 * s, none, Quiet{known(60e3), metrics.Unknown(metrics.WhyNoLimit),
			metrics.Unknown(metrics.WhyNoLimit)}},
	} {
		testkit.Is(t, c.by.Quiet(c.sent, c.data, c.ping, 100*s), c.want, c)
	}
}
