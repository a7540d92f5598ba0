package metrics

import (
	"math/rand"
	"testing"

	"tokscope/metrics/testkit"
)

// underConditions draws an ended request from a small world of endpoints,
// models, workloads and connections. A failed one may know less.
func underConditions(rnd *rand.Rand, id int) Run {
	pick := func(s ...string) string { return s[rnd.Intn(len(s))] }
	s := Stream{ID: id, State: Done, Marks: NewMarks(), Endpoint: Endpoint{Name: "a",
		URL: pick("http://a/v1", "http://b/v1"), Model: pick("", "m")},
		Model: pick("m-1", "m-2"), Work: Workload{Prompt: pick("p", "q"), MaxTokens: 100 * (1 + rnd.Intn(2)),
			Nonce: pick("x", "y")},
		Conn: Connection{Reused: rnd.Intn(2) == 0, Proto: pick("HTTP/1.1", "HTTP/2.0")}}
	s.Marks.GotConn = 1
	if rnd.Intn(4) == 0 {
		s.State, s.Model = Failed, ""
		if rnd.Intn(2) == 0 {
			s.Conn, s.Marks.GotConn = Connection{}, NoStamp
		}
	}
	return Run{Stream: s}
}

// TestGroupsAreNeverPooled is a property: every run is in one group, in the
// order of the session, and two runs of a group that ended well have the same
// conditions.
func TestGroupsAreNeverPooled(t *testing.T) {
	rnd := rand.New(rand.NewSource(5))
	for range 500 {
		runs := make([]Run, rnd.Intn(40))
		for i := range runs {
			runs[i] = underConditions(rnd, i+1)
		}
		seen := map[int]bool{}
		for _, g := range GroupRuns(runs) {
			last, first := 0, -1
			for i := range g.Runs {
				s := &g.Runs[i].Stream
				testkit.Given(t, s.ID > last && !seen[s.ID], "run %d is twice or out of order", s.ID)
				last, seen[s.ID] = s.ID, true
				testkit.Given(t, g.Conditions.Fit(ConditionsOf(s)), "run %d is in a group that it does not fit", s.ID)
				if s.State != Done {
					continue
				}
				if first < 0 {
					first = i
				}
				testkit.Given(t, ConditionsOf(s) == ConditionsOf(&g.Runs[first].Stream),
					"%+v and %+v are pooled", *s, g.Runs[first].Stream)
			}
		}
		testkit.Given(t, len(seen) == len(runs), "%d of %d runs are in a group", len(seen), len(runs))
	}
}

// TestFit holds what must be the same in runs that are pooled or compared.
func TestFit(t *testing.T) {
	base := Stream{State: Done, Model: "m-2024-08-06", Marks: NewMarks(), Endpoint: Endpoint{URL: "u", Model: "m"},
		Work: Workload{Name: "chat", Prompt: "p", MaxTokens: 9}, Conn: Connection{Proto: "HTTP/1.1"}}
	base.Marks.GotConn = 1
	fit := func(a, b *Stream) bool {
		fits := ConditionsOf(a).Fit(ConditionsOf(b))
		pooled := len(GroupRuns([]Run{{Stream: *a}, {Stream: *b}})) == 1
		testkit.That(t, pooled == fits, "%+v and %+v: fit %v, pooled %v", *a, *b, fits, pooled)
		return fits
	}
	other := base
	if other.Work.Concurrency, other.Work.Nonce, other.Work.Name, other.ID = 1, "n", "x", 7; !fit(&base, &other) {
		t.Error("the number, the nonce, the name or a concurrency of one makes a difference")
	}
	for name, change := range map[string]func(*Stream){
		"url": func(s *Stream) { s.Endpoint.URL = "v" }, "model": func(s *Stream) { s.Endpoint.Model = "n" },
		"answered": func(s *Stream) { s.Model = "n" }, "prompt": func(s *Stream) { s.Work.Prompt = "q" },
		"system": func(s *Stream) { s.Work.System = "q" }, "input": func(s *Stream) { s.Work.InputTokens = 8 },
		"output": func(s *Stream) { s.Work.MaxTokens = 8 }, "protocol": func(s *Stream) { s.Conn.Proto = "HTTP/2.0" },
		"temperature": func(s *Stream) { s.Work.Temperature = new(float64) },
		"seed":        func(s *Stream) { s.Work.Seed = new(int) },
		"proxy":       func(s *Stream) { s.Conn.Proxy = "p:1" }, "users": func(s *Stream) { s.Work.Concurrency = 2 },
	} {
		other := base
		if change(&other); fit(&base, &other) {
			t.Errorf("another %s fits", name)
		}
	}
	warm, refused := base, base
	if warm.Conn.Reused = true; fit(&warm, &base) {
		t.Error("a warm connection fits a cold one")
	}
	if refused.State, refused.Model = Failed, ""; !fit(&refused, &base) {
		t.Error("a failed run does not join the only group that it fits")
	}
	refused.Conn, refused.Marks.GotConn = Connection{}, NoStamp
	n := len(GroupRuns([]Run{{Stream: base}, {Stream: warm}, {Stream: refused}}))
	testkit.That(t, n == 3, "a run without a connection joins one of two groups: %d groups", n)
}

// TestWhatIsSentIsACondition: settings of the requests and a conversation tell them apart.
func TestWhatIsSentIsACondition(t *testing.T) {
	base := Stream{State: Done, Work: Workload{Messages: `[{"content":"a"}]`}}
	for name, change := range map[string]func(*Stream){
		"settings": func(s *Stream) { s.Endpoint.Settings = "extra.top_k=40" },
		"messages": func(s *Stream) { s.Work.Messages = `[{"content":"b"}]` },
		"tools":    func(s *Stream) { s.Work.Tools = `[{}]` },
	} {
		other := base
		change(&other)
		testkit.That(t, !ConditionsOf(&base).Fit(ConditionsOf(&other)), "other %s fit", name)
	}
}
