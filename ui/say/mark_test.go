package say

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// Every kind of change has words, and text from outside is harmless in them.
func TestMarks(t *testing.T) {
	base := loadstat.Setting{Work: metrics.Workload{Name: "1k in", Prompt: "a", InputTokens: 1000, MaxTokens: 200}, Endpoint: metrics.Endpoint{Name: "demo", Model: "a"}, Drive: loadstat.Drive{Users: 8}}
	for _, x := range []struct {
		long, short, undone string
		change              func(s *loadstat.Setting)
	}{
		{"prompt 1k → 4k", "prompt 4k", "prompt back to 1k", func(s *loadstat.Setting) { s.Work.InputTokens = 4000 }},
		{"prompt 1k → 512", "prompt 512", "prompt back to 1k", func(s *loadstat.Setting) { s.Work.InputTokens = 512 }},
		{"prompt 1k → 200..4000", "prompt 200..4000", "prompt back to 1k", func(s *loadstat.Setting) { s.Input = metrics.Lengths{Low: 200, High: 4000} }},
		{"prompt 1k in → chat", "prompt chat", "prompt back to 1k in", func(s *loadstat.Setting) { s.Work.Name, s.Work.InputTokens = "chat", 0 }},
		{"prompt 1k → as typed", "prompt as typed", "prompt back to 1k", func(s *loadstat.Setting) { s.Work.InputTokens = 0 }},
		{"prompt edited", "prompt edited", "undone: prompt edited", func(s *loadstat.Setting) { s.Work.Prompt = "b" }},
		{"answer 200 → 800", "answer 800", "answer back to 200", func(s *loadstat.Setting) { s.Work.MaxTokens = 800 }},
		{"answer 200 → open", "answer open", "answer back to 200", func(s *loadstat.Setting) { s.Work.MaxTokens = 0 }},
		{"workload", "workload", "undone: workload", func(s *loadstat.Setting) { s.Work.Connection = metrics.ReuseCold }},
		{"model a → default", "default", "model back to a", func(s *loadstat.Setting) { s.Endpoint.Model = "" }},
		{"model a → b␛[2Jc", "b␛[2Jc", "model back to a", func(s *loadstat.Setting) { s.Endpoint.Model = "b\x1b[2Jc" }},
		{"endpoint demo → groq", "groq", "endpoint back to demo", func(s *loadstat.Setting) { s.Endpoint.Name = "groq" }},
		{"users 8 → 64", "users 64", "users back to 8", func(s *loadstat.Setting) { s.Users = 64 }},
		{"rate 8 users → 2.5/s Poisson", "rate 2.5/s Poisson", "back to 8 users", func(s *loadstat.Setting) { s.Users, s.Rate, s.Poisson = 0, 2.5, true }},
		{"objectives none → ttft ≤ 500 ms", "objectives ttft ≤ 500 ms", "objectives back to none", func(s *loadstat.Setting) { s.SLOs = []slo.Objective{{Name: "ttft", Limit: 500}} }},
	} {
		to := base
		x.change(&to)
		m := loadstat.Mark{Kind: loadstat.Difference(&base, &to), From: &base, To: &to}
		if long, short := Mark(&m), MarkShort(&m); long != x.long || short != x.short {
			t.Errorf("%q, %q; want %q, %q", long, short, x.long, x.short)
		}
		is(t, Undone(&m), x.undone)
		if m.Undo = true; Mark(&m) != x.long+" (undo)" {
			t.Errorf("an undo is %q", Mark(&m))
		}
	}
	open := base
	open.Users, open.Rate = 0, 12
	is(t, Undone(&loadstat.Mark{Kind: loadstat.MarkRate, From: &open, To: &base}), "rate back to 12/s")
	open.To, open.Within = 40, 20e9
	is(t, Undone(&loadstat.Mark{Kind: loadstat.MarkRate, From: &open, To: &base}), "rate back to 12/s to 40/s in 20.0 s")
	other := base
	other.Endpoint = metrics.Endpoint{Name: "groq", Model: "b"}
	other.Work.InputTokens = 512
	is(t, Setup(&other, &base), "groq, b, prompt 512")
	is(t, Setup(&base, &base), "")
}
