package turn

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// scripts plays 200 sessions, some of them two clients at a time, in order of the starts.
func scripts(t *testing.T, f func(t *testing.T, r *rand.Rand, all []*played)) {
	seed := testkit.Seed(t)
	for i := range 200 {
		r := rand.New(rand.NewPCG(uint64(i), seed))
		all := play(r, Digest(r.IntN(2)), 0).all
		if i%4 == 0 {
			all = append(all, play(r, 2, len(all)).all...)
		}
		slices.SortStableFunc(all, func(a, b *played) int { return a.start - b.start })
		n := 0
		for _, p := range all {
			if p.of.main == nil {
				n++
				p.number = n
			}
		}
		if f(t, r, all); t.Failed() {
			t.Fatalf("script %d", i)
		}
	}
}

func viewOf(all []*played, now metrics.Stamp, open bool) View {
	var s Session
	for _, p := range all {
		s.Add(p.turn)
	}
	return s.View(now, open)
}

// TestScripts: conversations, retries and the division of the time of random agents are what
// their scripts know.
func TestScripts(t *testing.T) {
	scripts(t, func(t *testing.T, _ *rand.Rand, all []*played) {
		v := viewOf(all, 0, false)
		numbers, times := map[*speaker]int{}, [4]time.Duration{}
		busy := map[int]int{} // the first part of a tick on the clock
		for i, p := range all {
			got := &v.Turns[i]
			id := p.turn.Stream().ID
			if got.Stream().ID != id || got.Number != p.number {
				t.Fatalf("turn %d is %d with the number %d, want %d with %d", i, got.Stream().ID, got.Number, id, p.number)
			}
			if n := numbers[p.of]; n == 0 {
				numbers[p.of] = got.Conversation
			} else if n != got.Conversation {
				t.Errorf("turn %d is in conversation %d, want %d", id, got.Conversation, n)
			}
			c := v.Conversations[got.Conversation-1]
			if main := p.of.main; main == nil && c.Of != 0 || main != nil && (c.Of != numbers[main] ||
				c.Beside != p.of.beside.turn.Stream().ID) {
				t.Errorf("turn %d: conversation %+v", id, c)
			}
			testkit.Is(t, len(c.Turns), len(p.of.turns), "conversation", c.Number, "has … turns")
			retry := 0
			if p.retries != nil {
				retry = p.retries.turn.Stream().ID
			}
			until := metrics.NoStamp
			if p.goesOn {
				until = p.end()
			}
			testkit.That(t, got.Retry == retry && got.Until == until && !got.Open,
				"turn %d repeats %d until %d, %v; want %d, %d", id, got.Retry, got.Until, got.Open, retry, until)
			checkSpans(t, p, got)
			for n, a := range p.doing {
				part := map[Activity]int{Connect: 1, Upload: 1, ServerTool: 2, Client: 2, You: 3}[a]
				if p.of.main != nil {
					part = 2
				}
				if had, ok := busy[p.start+n]; !ok || part < had {
					busy[p.start+n] = part
				}
			}
		}
		for _, part := range busy {
			times[part] += time.Duration(tick)
		}
		got := v.Totals
		if parts := [4]time.Duration{got.Model, got.Network, got.Client, got.You}; parts != times ||
			got.Clock != times[0]+times[1]+times[2]+times[3] {
			t.Errorf("the clock has %v, %v; want %v", parts, got.Clock, times)
		}
	})
}

// checkSpans compares spans with what the script did in each tick.
func checkSpans(t *testing.T, p *played, got *Turn) {
	t.Helper()
	at, n := got.Stream().Marks.Start, 0
	for _, s := range got.Spans {
		if s.From != at || s.To <= s.From {
			t.Fatalf("turn %d: %+v begins at %d or is empty: %+v", got.Stream().ID, s, at, got.Spans)
		}
		for ; at < s.To; at += tick {
			if n >= len(p.doing) || p.doing[n] != s.Activity || p.tools[n] != s.Name {
				t.Fatalf("turn %d, tick %d: %v %q, want %v; %+v", got.Stream().ID, n, s.Activity, s.Name,
					p.doing[min(n, len(p.doing)-1):], got.Spans)
			}
			n++
		}
	}
	if n != len(p.doing) {
		t.Fatalf("turn %d: %d ticks, want %d", got.Stream().ID, n, len(p.doing))
	}
}

// asOf returns p as it was known at now.
func asOf(p *played, now metrics.Stamp) Turn {
	t := p.turn
	s := *t.Stream()
	k := s.Marks
	for _, m := range []*metrics.Stamp{&k.GotConn, &k.Sent, &k.DoneMarker, &k.End} {
		if *m > now {
			*m = metrics.NoStamp
		}
	}
	s.Marks, s.Now = k, min(now, s.Now)
	s.Chunks = s.Chunks[:len(s.Chunks):len(s.Chunks)]
	for n := len(s.Chunks); n > 0 && s.Chunks[n-1].At > now; n-- {
		s.Chunks = s.Chunks[:n-1]
	}
	s.Waits = nil
	for _, w := range t.Stream().Waits {
		if w.To > now {
			w.To = metrics.NoStamp
		}
		if w.From <= now {
			s.Waits = append(s.Waits, w)
		}
	}
	if !k.End.Known() {
		s.State, s.Fault, t.Response = metrics.Decoding, nil, 0
	}
	t.Run = &metrics.Run{Stream: s}
	return t
}

// TestOrderDoesNotMatter: a view is the same in whatever order the turns were added, with
// whatever older states before.
func TestOrderDoesNotMatter(t *testing.T) {
	scripts(t, func(t *testing.T, r *rand.Rand, all []*played) {
		want := viewOf(all, 0, false)
		var s Session
		for range 2 {
			for _, i := range r.Perm(len(all)) {
				from := all[i].turn.Stream().Marks.Start
				s.Add(asOf(all[i], from+tick*metrics.Stamp(r.IntN(80))))
			}
			s.View(0, true)
		}
		for _, i := range r.Perm(len(all)) {
			s.Add(all[i].turn)
		}
		got := s.View(0, false)
		testkit.That(t, reflect.DeepEqual(got, want), "another order gives another view")
	})
}

// TestWhileItRuns: at every moment the spans of a turn follow each other from its start to the
// next turn, or to the end of what is known, and the four parts divide the time on the clock,
// of which there is no more than has passed.
func TestWhileItRuns(t *testing.T) {
	scripts(t, func(t *testing.T, r *rand.Rand, all []*played) {
		now := all[r.IntN(len(all))].end() - tick*metrics.Stamp(r.IntN(10))
		var s Session
		for _, p := range all {
			if p.turn.Stream().Marks.Start <= now {
				s.Add(asOf(p, now))
			}
		}
		v := s.View(now, true)
		open := 0
		for i := range v.Turns {
			turn := &v.Turns[i]
			at := turn.Stream().Marks.Start
			for _, span := range turn.Spans {
				if span.From != at || span.To <= at {
					t.Fatalf("turn %d: %+v begins at %d or is empty", turn.Stream().ID, span, at)
				}
				at = span.To
			}
			end := turn.Until
			if !end.Known() {
				if end = answerEnd(turn.Stream()); !end.Known() {
					end = turn.Stream().Now
				}
			}
			if at != end {
				t.Errorf("turn %d: its spans end at %d, not at %d", turn.Stream().ID, at, end)
			}
			if turn.Open {
				open++
				if turn.Until != now {
					t.Errorf("turn %d is open until %d, and it is %d", turn.Stream().ID, turn.Until, now)
				}
			}
		}
		testkit.That(t, open <= 1, "%d turns are open", open)
		c := v.Totals
		if sum := c.Model + c.Network + c.Client + c.You; sum != c.Clock || len(v.Turns) > 0 &&
			c.Clock > time.Duration(now-v.Turns[0].Stream().Marks.Start) {
			t.Errorf("the parts sum to %v, of %v on the clock", sum, c.Clock)
		}
	})
}
