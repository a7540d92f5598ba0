package definition

import (
	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// Cell is one figure of one rule. Times are ms, speeds tok/s.
type Cell struct {
	// Value is the figure that the tool gives. It is unknown where the rule has no
	// such figure, and where the tool counts tokens by itself.
	Value metrics.Value
	// ByServer is the same figure by the server's count, where the tool would use
	// another one.
	ByServer metrics.Value
	// Span is how the figure is made: between which moments, over what. From and
	// To are these moments, ms after the request was sent.
	Span     Span
	From, To float64
}

// Row is a stream under one rule.
type Row struct {
	Rule *Rule `json:"" form:"inline"`
	// First and Last are the chunks that TTFT and the end are of, as indexes of
	// the stream's Chunks; -1 for another event, or none.
	First   int `json:"first_chunk"`
	Last    int `json:"last_chunk"`
	Counted int `json:"events"` // that count as chunks

	TTFT, ITL, TPOT, Speed, Latency Cell
	// Count is the source of n, Tokens its value where it is known.
	Count  Count         `json:"n_from"`
	Tokens metrics.Value `json:"n"`
}

// Cells returns the figures of r.
func (r *Row) Cells() [5]*Cell { return [...]*Cell{&r.TTFT, &r.ITL, &r.TPOT, &r.Speed, &r.Latency} }

// Apply computes the figures of t under r.
func Apply(r *Rule, t *Trace) Row {
	a := applied{rule: r, trace: t}
	a.find()
	n, byServer := a.count()
	out := Row{Rule: r, First: a.first.index, Last: a.last.index, Counted: a.n, Count: a.source, Tokens: n}
	out.TTFT = a.cell(Span{Sent, First, Once}, n, byServer, false)
	out.ITL = a.cell(r.ITL, n, byServer, false)
	out.TPOT = a.cell(r.TPOT, n, byServer, false)
	out.Speed = a.cell(r.Speed, n, byServer, true)
	out.Latency = a.cell(Span{Sent, r.Latency, Once}, n, byServer, false)
	return out
}

// Table applies all rules for the API of t.
func Table(t *Trace) (out []Row) {
	for _, r := range pick.All(Rules) {
		if r.Reads(t.API) {
			out = append(out, Apply(r, t))
		}
	}
	return out
}

// SpreadOf returns the range of a figure over rows, with those that only the
// server's count gives.
func SpreadOf(rows []Row, of func(*Row) *Cell) (out metrics.Range) {
	for i := range rows {
		c := of(&rows[i])
		if out.Add(c.Value); !c.Value.OK {
			out.Add(c.ByServer)
		}
	}
	return out
}

// applied is a rule on its way over a trace.
type applied struct {
	rule        *Rule
	trace       *Trace
	first, last event
	n           int // events that count
	source      Count
}

// event is one that starts the clock or ends it.
type event struct {
	at     metrics.Value
	index  int
	tokens int // at least one
}

// find takes the events that count.
func (a *applied) find() {
	none := event{metrics.Unknown(metrics.WhyAbsentEvent), -1, 1}
	a.first, a.last = none, none
	r, t := a.rule, a.trace
	// Tools read a finish reason beside text as the text's event.
	if r.Starts&Choices != 0 && t.Choices.OK {
		a.first, a.n = event{t.Choices, -1, 1}, 1
		a.last = a.first
	}
	for i := range t.Chunks {
		c := &t.Chunks[i]
		at := event{metrics.Known(c.At, 0), c.Index, max(c.Tokens, 1)}
		if a.takes(r.Starts, c) && (!a.first.at.OK || r.Starts&Choices != 0 && a.first.at.V == c.At) {
			a.first = at
			if r.Starts&Choices != 0 {
				a.last = at
				continue
			}
		}
		if a.takes(r.Counts, c) {
			a.last = at
			a.n++
		}
	}
	if r.Counts&FinishEvent != 0 && t.Finish.OK && (!a.last.at.OK || t.Finish.V > a.last.at.V) {
		a.last = event{t.Finish, -1, 1}
		a.n++
	}
}

// Counts reports whether r counts a chunk.
func Counts(r *Rule, c *Chunk) bool { return (&applied{rule: r}).takes(r.Counts, c) }

// takes reports whether a chunk is of one of those kinds.
func (a *applied) takes(p Pick, c *Chunk) bool {
	if p&NotBlank != 0 && c.Kinds&NotBlank == 0 {
		return false
	}
	return p&c.Kinds&^NotBlank != 0 || p&Choices != 0
}

// count returns n as the tool has it, and by the server.
func (a *applied) count() (n, byServer metrics.Value) {
	r, t := a.rule, a.trace
	byServer = t.Tokens
	if a.source = r.Count; a.source == ByUsage && !t.Tokens.OK {
		a.source = r.Without
	}
	switch a.source {
	case ByUsage:
		n = t.Tokens
		if r.Evidence == Ours {
			n = t.Decode
		}
	case ByChunks:
		n = metrics.Known(float64(a.n), 0)
	case ByAsked:
		if n = metrics.Unknown(metrics.WhyNoServerTokens); t.Asked > 0 {
			n = metrics.Known(float64(t.Asked), 0)
		}
	case ByTokenizer:
		n = metrics.Unknown(metrics.WhyOwnTokenizer)
	default:
		n = metrics.Unknown(metrics.WhyNoServerTokens)
	}
	return n, byServer
}

// cell computes one figure: To − From over the divisor, or the divisor over it.
func (a *applied) cell(s Span, n, byServer metrics.Value, speed bool) Cell {
	out := Cell{Span: s, Value: metrics.Unknown(metrics.WhyUndefined), ByServer: metrics.Unknown(metrics.WhyUndefined)}
	if s.To == Never {
		return out
	}
	if s.To == Usage && !a.trace.Usage.OK && a.rule.NoUsage != Never {
		s.To = a.rule.NoUsage
		out.Span = s
	}
	from, to := a.moment(s.From), a.moment(s.To)
	if !from.OK || !to.OK {
		out.Value = metrics.Unknown(metrics.WhyAbsentEvent)
		return out
	}
	out.From, out.To = from.V, to.V
	out.Value = a.divide(s.Per, to.V-from.V, n, speed)
	if !n.OK && (s.Per == Tokens || s.Per == LaterOnes || s.Per == AfterFirst) {
		out.ByServer = a.divide(s.Per, to.V-from.V, byServer, speed)
	}
	return out
}

// divide divides ms, or divides by it.
func (a *applied) divide(p Per, ms float64, n metrics.Value, speed bool) metrics.Value {
	by := 1.0
	switch p {
	case Tokens, LaterOnes, AfterFirst:
		if !n.OK {
			return n
		}
		switch by = n.V; p {
		case LaterOnes:
			by--
		case AfterFirst:
			by -= float64(a.first.tokens)
		}
	case Gaps:
		by = float64(a.n - 1)
	case Lines:
		by = float64(a.trace.Lines)
	}
	if by <= 0 {
		return metrics.Unknown(metrics.WhyOneChunk)
	}
	if speed {
		return metrics.Finite(1000*by/ms, 0)
	}
	return metrics.Finite(ms/by, 0)
}

func (a *applied) moment(m Moment) metrics.Value {
	switch m {
	case Sent:
		return metrics.Known(0, 0)
	case First:
		return a.first.at
	case Last:
		return a.last.at
	case Finish:
		return a.trace.Finish
	case Usage:
		return a.trace.Usage
	case Done:
		return a.trace.Done
	case End:
		return a.trace.End
	}
	return metrics.Unknown(metrics.WhyUndefined)
}
