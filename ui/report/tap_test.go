package report

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
)

// tapped is a session of turns that begin at those moments, in ms: each takes 2 ms to connect,
// 1 ms to upload, 97 ms to wait, 50 ms of thinking and 100 ms of text.
type tapped struct {
	turn.Session
	blocks []turn.Block
}

func promptBlock(p turn.Part, n int) turn.Block {
	return turn.Block{Part: p, Digest: turn.Digest(n), Bytes: 100}
}

// add adds a turn. change may change it before.
func (s *tapped) add(id, at int, change func(t *turn.Turn, v *metrics.Stream)) {
	ms := func(n int) metrics.Stamp { return metrics.Stamp(at+n) * metrics.Stamp(time.Millisecond) }
	s.blocks = append(s.blocks, promptBlock(turn.Messages, 100+id))
	v := metrics.NoStream(ms(250))
	v.ID, v.State, v.Model, v.Finish = id, metrics.Done, "m-1", "tool_use"
	v.Marks.Start, v.Marks.ConnectStart, v.Marks.GotConn = ms(0), ms(0), ms(2)
	v.Marks.Sent, v.Marks.Headers = ms(3), ms(90)
	v.Marks.End = ms(250)
	v.Chunks = []metrics.Chunk{{At: ms(100), Kind: metrics.Reasoning}, {At: ms(150), Kind: metrics.Reasoning},
		{At: ms(200), Kind: metrics.Content}, {At: ms(250), Kind: metrics.Content}}
	v.Usage.Prompt, v.Usage.Cached, v.Usage.Completion = 1000*id, 990*id, 40
	v.Conn = metrics.Connection{Proto: "HTTP/1.1", Reused: id > 1}
	v.Endpoint.URL = "https://api.example"
	v.Endpoint.Price = metrics.Price{In: 10, Out: 50, CacheRead: 1, CacheWrite: 12.5, Currency: "EUR"}
	t := turn.Turn{Request: turn.Request{API: "messages", Kind: turn.Asks, Model: "m", Answers: turn.Tool, Tools: 9,
		Blocks: append([]turn.Block{promptBlock(turn.Tools, 1), promptBlock(turn.System, 2), promptBlock(turn.System, 3)}, s.blocks...)},
		Passed: turn.Passed{Added: metrics.Distribution([]float64{20_000, 24_000, 60_000}),
			Up: turn.Leg{Read: 5000, Written: 5000}, Down: turn.Leg{Read: 900, Written: 900}}}
	if change != nil {
		change(&t, &v)
	}
	t.Run = &metrics.Run{Stream: v}
	s.Add(t)
}

func failsWith(status int) func(*turn.Turn, *metrics.Stream) {
	return func(_ *turn.Turn, v *metrics.Stream) {
		v.State, v.Chunks, v.Usage = metrics.Failed, nil, metrics.NoUsage()
		v.Fault = &metrics.Fault{Kind: metrics.FaultHTTP, Status: status, Message: "overloaded"}
	}
}

// TestTap shows the summary of a session with a failure, a lost cache, another tier than asked
// for and a limit; of one without a turn; and of one over a WebSocket.
func TestTap(t *testing.T) {
	about := turn.Tapped{Agent: turn.Agent{Command: "claude", Title: "Claude Code", Version: "2.1",
		Deadlines: turn.Deadlines{Says: 20 * time.Second, GivesUp: 3 * time.Minute, Pings: true}, Around: "look at its settings"},
		URL: "http://127.0.0.1:4711/x", Upstream: "https://api.example"}
	var s tapped
	for id := 1; id <= 4; id++ {
		s.add(id, 1000*id, nil)
	}
	s.add(5, 5000, failsWith(529))
	s.blocks = s.blocks[:4]
	s.add(6, 6000, func(t *turn.Turn, v *metrics.Stream) {
		t.Blocks[1].Digest = 77
		v.Usage.Cached, v.Usage.CacheWritten = 0, 5500
		v.Chunks[0].At += metrics.Stamp(40 * time.Millisecond)
		v.Finish, t.Service.Tier, v.Served.Tier = "end_turn", "priority", "default\x1b[2J"
		v.RateLimit = &metrics.RateLimit{LimitRequests: -1, RemainingRequests: -1, ResetRequests: -1, LimitTokens: 100_000,
			RemainingTokens: 41_000, ResetTokens: 38 * time.Second}
	})
	s.add(7, 9000, func(t *turn.Turn, _ *metrics.Stream) { t.Answers = turn.Person })
	s.Count(turn.Hello)
	s.Count(turn.CountTokens)
	s.Count(turn.CountTokens)
	v := s.View(metrics.Stamp(10*time.Second), false)
	var socket tapped
	socket.add(1, 0, func(t *turn.Turn, v *metrics.Stream) {
		v.Conn.Proto, v.Endpoint.Price = "WebSocket", metrics.Price{}
	})
	one := socket.View(metrics.Stamp(time.Second), false)
	var none, models turn.Session
	models.Count(turn.Models)
	empty, listed := none.View(0, false), models.View(0, false)
	around := about
	around.Elsewhere = true
	show(t, "tap", scene{"a session", Tap(&v, about)}, scene{"a WebSocket", Tap(&one, about)},
		scene{"around", Tap(&empty, about)}, scene{"elsewhere", Tap(&empty, around)}, scene{"no turn", Tap(&listed, about)},
		scene{"nobody came", Tap(&empty, turn.Tapped{URL: about.URL})})
	if text := Tap(&v, about).Text(0); strings.Contains(text, "\x1b") {
		t.Errorf("a command is printed: %q", text)
	}
}

// TestTapSaysWhatChanged holds that "unchanged" is said of equal counts and sums alone.
func TestTapSaysWhatChanged(t *testing.T) {
	var s tapped
	s.add(1, 0, nil)
	s.add(2, 1000, func(t *turn.Turn, _ *metrics.Stream) { t.Down.Differs = true })
	v := s.View(metrics.Stamp(10*time.Second), false)
	if text := Tap(&v, turn.Tapped{}).Text(0); !strings.Contains(text, "unchanged: no, not in 1 turn") {
		t.Error(text)
	}
}
