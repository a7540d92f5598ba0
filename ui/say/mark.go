package say

import (
	"cmp"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// markPart is the largest width of one side of a change that comes from outside.
const markPart = 32

// Mark writes a change of a running load: "prompt 512 → 4k", "model a → b".
func Mark(m *loadstat.Mark) string {
	what, from, to := markParts(m)
	return what + format.If(to != "", " "+format.If(from != "", from+" → ")+to) + format.If(m.Undo, " (undo)")
}

// Undone says what holds after m was taken back: "users back to 1".
func Undone(m *loadstat.Mark) string {
	what, from, _ := markParts(m)
	unit := format.If(m.From.Rate > 0, "/s")
	if m.Kind == loadstat.MarkUsers || m.Kind == loadstat.MarkRate {
		from += rampName(m.From, unit) // a ramp before goes on
	}
	switch {
	case from == "":
		return "undone: " + what
	case m.Kind == loadstat.MarkRate && !(m.From.Rate > 0): // a closed loop before
		return "back to " + from
	}
	return what + " back to " + from
}

// Changes writes the last changes of a load, at most the given number, with the
// time since began: "users 8 → 64 after 11.0 s". leftOut is the number of older
// ones that marks does not have. Those not written are counted first.
func Changes(marks []loadstat.Mark, began metrics.Stamp, leftOut, most int) (out []string) {
	if n := len(marks) - most; n > 0 {
		marks, leftOut = marks[n:], leftOut+n
	}
	if leftOut > 0 {
		out = append(out, format.Plural(leftOut, "earlier change", "earlier changes"))
	}
	for i := range marks {
		text := Mark(&marks[i])
		if d, ok := marks[i].At.Sub(began); ok {
			text += " after " + format.Duration(time.Duration(d))
		}
		out = append(out, text)
	}
	return out
}

// MarkShort writes where a change led, for a label on a chart: "prompt 4k".
func MarkShort(m *loadstat.Mark) string {
	what, _, to := markParts(m)
	if to == "" {
		return what
	}
	return format.Either(m.Kind == loadstat.MarkModel || m.Kind == loadstat.MarkEndpoint, to, what+" "+to)
}

// Setup says what points of another work were measured with, where it differs
// from the present one: "prompt 512, llama-3.1-8b".
func Setup(s, now *loadstat.Setting) string {
	elsewhere := loadstat.Difference(s, now) == loadstat.MarkEndpoint
	what, from, _ := workParts(s, now)
	return format.Join(", ", format.If(elsewhere, format.Name(s.Endpoint.Name, markPart)),
		format.If(s.Endpoint.Model != now.Endpoint.Model, modelName(s.Endpoint.Model)),
		format.If(!loadstat.SamePrompts(s, now), strings.TrimSpace(what+" "+from)))
}

// markParts returns what changed, from what and to what. Both sides are "" where
// they have no short name.
func markParts(m *loadstat.Mark) (what, from, to string) {
	a, b := m.From, m.To
	switch m.Kind {
	case loadstat.MarkEndpoint:
		return "endpoint", format.Name(a.Endpoint.Name, markPart), format.Name(b.Endpoint.Name, markPart)
	case loadstat.MarkModel:
		return "model", modelName(a.Endpoint.Model), modelName(b.Endpoint.Model)
	case loadstat.MarkWork:
		return workParts(a, b)
	case loadstat.MarkRate:
		return "rate", rateName(a), rateName(b) + rampName(b, "/s")
	case loadstat.MarkUsers:
		if b.Ramps() {
			return "users", format.Count(a.Users), format.Exact(b.To) + " in " + format.Duration(b.Within)
		}
		return "users", format.Count(a.Users), format.Count(b.Users)
	case loadstat.MarkObjectives:
		return "objectives", cmp.Or(format.Objectives(a.SLOs), "none"), cmp.Or(format.Objectives(b.SLOs), "none")
	}
	return string(m.Kind), "", ""
}

// asTyped and open name a prompt and an answer without a length.
const asTyped, open = "as typed", "open"

// workParts is markParts for two settings that send different requests.
func workParts(a, b *loadstat.Setting) (what, from, to string) {
	v, w := &a.Work, &b.Work
	in, out := lengthName(a.Input, v.InputTokens), lengthName(b.Input, w.InputTokens)
	switch {
	case in != out && in != "" && out != "":
		return "prompt", in, out
	case v.Name != w.Name:
		return "prompt", sanitize.Line(v.Name, markPart), sanitize.Line(w.Name, markPart)
	case in != out:
		return "prompt", cmp.Or(in, asTyped), cmp.Or(out, asTyped)
	case v.Prompt != w.Prompt || v.System != w.System || v.Messages != w.Messages || v.Tools != w.Tools:
		return "prompt edited", "", ""
	}
	if from, to = lengthName(a.Output, v.MaxTokens), lengthName(b.Output, w.MaxTokens); from != to {
		return "answer", cmp.Or(from, open), cmp.Or(to, open)
	}
	return "workload", "", ""
}

// lengthName writes a drawn length, or a fixed one of n tokens; "" for none.
func lengthName(l metrics.Lengths, n int) string {
	switch {
	case !l.IsZero():
		return sanitize.Line(l.String(), markPart)
	case n >= 1000 && n%1000 == 0:
		return format.Count(n/1000) + "k"
	case n > 0:
		return format.Count(n)
	}
	return ""
}

// modelName names a model; the server's first one has no name.
func modelName(model string) string {
	return format.Either(model != "", format.Name(model, markPart), "default")
}

// rampName writes where a ramp leads; "" without one.
func rampName(s *loadstat.Setting, unit string) string {
	return format.If(s.Ramps(), " to "+format.Exact(s.To)+unit+" in "+format.Duration(s.Within))
}

// rateName writes the rate of an open loop, or the users of a closed one.
func rateName(s *loadstat.Setting) string {
	rate := format.Exact(s.Rate) + "/s" + format.If(s.Poisson, " Poisson")
	return format.Either(s.Rate > 0, rate, format.Plural(s.Users, "user", "users"))
}
