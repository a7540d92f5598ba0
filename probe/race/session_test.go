package race_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/race"
	"tokscope/probe/sim"
)

// coding is a session of an agent as a tap sees it: a task of so many turns, whose prompts grow
// by what the model and a tool say, with a subagent in the middle. A tool takes 2 s.
func coding(turns int) *turn.Script {
	var s turn.Session
	at, id, blocks := metrics.Stamp(0), 0, []turn.Block{{Part: turn.Tools, Digest: 1, Bytes: 20_000},
		{Part: turn.System, Digest: 2, Bytes: 4000}, {Part: turn.Messages, Role: "user", Digest: 3, Bytes: 400}}
	asks := func(blocks []turn.Block, answers turn.Answers) {
		id++
		v := metrics.NoStream(at + metrics.Stamp(time.Second))
		v.ID, v.State, v.Finish, v.Marks.Start, v.Marks.End = id, metrics.Done, "tool_use", at, v.Now
		for _, b := range blocks {
			v.Usage.Prompt = max(v.Usage.Prompt, 0) + b.Bytes/4
		}
		v.Usage.Completion = 20
		s.Add(turn.Turn{Request: turn.Request{API: "messages", Kind: turn.Asks, Blocks: blocks, Answers: answers},
			Run: &metrics.Run{Stream: v}})
	}
	for i := range turns {
		asks(blocks, turn.Tool)
		if i == turns/2 {
			at += metrics.Stamp(1500 * time.Millisecond)
			asks([]turn.Block{blocks[0], {Part: turn.Messages, Role: "user", Digest: 9, Bytes: 2000}}, turn.Person)
		}
		at += metrics.Stamp(3 * time.Second)
		blocks = append(blocks[:len(blocks):len(blocks)],
			turn.Block{Part: turn.Messages, Role: "assistant", Digest: turn.Digest(10 + 2*i), Bytes: 80},
			turn.Block{Part: turn.Messages, Role: "user", Digest: turn.Digest(11 + 2*i), Bytes: 2400})
	}
	v := s.View(at, false)
	return v.Script()
}

// playedBy races embedded endpoints with and without a prefix cache, or one against itself, in
// virtual time, with a session. ended is called with each request.
func playedBy(t *testing.T, plan racestat.Plan, api string, caches []bool,
	ended func(*metrics.Stream)) (v racestat.View) {
	synctest.Test(t, func(t *testing.T) {
		addresses := []string{"127.0.0.1:8000", "127.0.0.1:8001"}[:len(caches)]
		wires := map[string]probetest.Pipes{}
		e := client.New(client.Options{NoPathProbe: true, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				return wires[address].Dial(ctx, network, address)
			}})
		var lanes []race.Lane
		var servers []*sim.Server
		for i, address := range addresses {
			wires[address] = make(probetest.Pipes)
			s := testkit.Must(sim.Start(sim.Options{Listener: wires[address], Speed: 1, Sleep: time.Sleep,
				NoPrefixCache: !caches[i]}))(t)
			r := &endpoint.Resolver{Env: func(string) string { return "" }, Flags: endpoint.Flags{API: api, Model: s.Model()}}
			target := testkit.Must(r.Resolve("http://" + address))(t)
			lanes, servers = append(lanes, race.Lane{Label: address, Target: target}), append(servers, s)
		}
		if len(lanes) == 1 {
			lanes = append(lanes, race.Lane{Label: "again", Target: lanes[0].Target})
		}
		plan.Work = metrics.Workload{Name: "session", Prompt: "Go on.", InputTokens: 1, MaxTokens: 1}
		r := race.Start(t.Context(), race.Config{Engine: e, Lanes: lanes, Plan: plan,
			Ended: func(v *metrics.Stream, _ *metrics.Figures) { ended(v) }})
		r.Wait()
		v = r.View()
		e.Close()
		for _, s := range servers {
			testkit.OK(t, s.Close(t.Context()))
		}
	})
	return v
}

// TestSessionIsPlayed: a server gets prompts as long as those of the session, and finds as much
// of them in its cache, in each API; a turn begins when what it waits for is over.
func TestSessionIsPlayed(t *testing.T) {
	probetest.TakesTime(t, "a session in each API")
	script := coding(6)
	for _, api := range dialect.Names() {
		if api == "completions" || api == "ollama-generate" {
			continue // they have no messages
		}
		var mu sync.Mutex
		var all []*metrics.Stream
		v := playedBy(t, racestat.Plan{Script: script, Bounds: racestat.Bounds{Pairs: 2 * script.Turns}, Endless: true,
			Seed: 1},
			api, []bool{true, true}, func(s *metrics.Stream) {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, s)
			})
		if v.Ended != racestat.EndPairs || v.Pairs() != 14 || len(all) != 30 || v.Session != script {
			t.Fatalf("%s: ended %q after %d pairs, %d requests", api, v.Ended, v.Pairs(), len(all))
		}
		var ends []metrics.Stamp
		for i := 2; i < len(all); i += 2 {
			n := (i/2 - 1) % script.Turns
			step := &script.Steps[n]
			for _, s := range all[i : i+2] {
				u := &s.Usage
				testkit.That(t, s.State == metrics.Done && u.Completion == step.Output,
					"%s, turn %d: %v, %d tokens out, want %d", api, n, s.Fault, u.Completion, step.Output)
				if d := u.Prompt - step.Prompt; max(d, -d) > step.Prompt/10 {
					t.Errorf("%s, turn %d: a prompt of %d tokens, want %d", api, n, u.Prompt, step.Prompt)
				}
				if d := u.Cached - step.Shared; api != "ollama" && max(d, -d) > step.Prompt/10 { // that one does not tell it
					t.Errorf("%s, turn %d: %d tokens in the cache, want %d", api, n, u.Cached, step.Shared)
				}
				testkit.That(t, !strings.Contains(string(s.Work.Messages), "tool_use") && s.Work.Tools == "",
					"%s, turn %d calls tools", api, n)
			}
			if n == 0 {
				ends = nil
			} else if after := time.Duration(all[i].Marks.Start - ends[step.After]); after < step.Pause ||
				after > step.Pause+time.Second {
				t.Errorf("%s, turn %d began after %v, want %v", api, n, after, step.Pause)
			}
			ends = append(ends, all[i+1].Marks.End)
		}
	}
}

// TestSessionNamesTheCache races a session between servers with and without a prefix cache, in
// virtual time: the right one has the faster turns in all of two races; with TOKSCOPE_LONG=1 in
// 20 of 20.
func TestSessionNamesTheCache(t *testing.T) {
	probetest.TakesTime(t, "some hundred prompts of ten thousand tokens")
	n, right := sessions(), 0
	for i := range n {
		v := playedBy(t, racestat.Plan{Script: coding(12), Bounds: racestat.Bounds{Pairs: 39}, Seed: uint64(i + 1)}, "chat",
			[]bool{i%2 == 0, i%2 != 0}, func(*metrics.Stream) {})
		first, _ := v.Verdict(figure.TTFT, 0, 1)
		whole, _ := v.Verdict(figure.Total, 0, 1)
		t.Logf("race %d: %d turns; TTFT %s, %d leads by %.2f (%.2f to %.2f); total %s, %d leads by %.2f", i+1, v.Pairs(),
			first.State, first.Leader, first.Ratio, first.Lo, first.Hi, whole.State, whole.Leader, whole.Ratio)
		if first.State == racestat.Decided && first.Leader == i%2 && whole.State == racestat.Decided && whole.Leader == i%2 {
			right++
		}
	}
	if t.Logf("%d of %d named the server with the cache", right, n); right < n {
		t.Error("not all did")
	}
}

// TestSessionNamesNoneOfOne races a session between a server with a prefix cache and itself, in
// virtual time: what one lane has said is not in the cache for the other, and no race names a
// winner. With TOKSCOPE_LONG=1 that is so in 20 of 20.
func TestSessionNamesNoneOfOne(t *testing.T) {
	probetest.TakesTime(t, "some hundred prompts of ten thousand tokens")
	for i := range sessions() {
		cached := map[bool]int{}
		v := playedBy(t, racestat.Plan{Script: coding(12), Bounds: racestat.Bounds{Pairs: 39}, Endless: true,
			Seed: uint64(100 + i)},
			"chat", []bool{true}, func(s *metrics.Stream) { cached[s.Usage.Cached < s.Usage.Prompt/2]++ })
		if v.Pairs() != 39 || cached[true] != 2*(1+3) { // the first turn of each round, and the dropped one
			t.Errorf("race %d: %d pairs, %d of %d prompts not in the cache", i+1, v.Pairs(), cached[true],
				cached[true]+cached[false])
		}
		for _, w := range v.Verdicts {
			testkit.That(t, w.State != racestat.Decided,
				"race %d names a winner: %v, ratio %.4f (%.4f to %.4f)", i+1, w.Figure, w.Ratio, w.Lo, w.Hi)
		}
	}
}

// sessions is how many races of sessions there are.
func sessions() int {
	if long {
		return 20
	}
	return 2
}
