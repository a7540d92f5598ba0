package say

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// arrived says what of an answer had come without a chunk.
var arrived = map[string]string{
	verdict.StageSent: "no byte", verdict.StageByte: "a part of the headers", verdict.StageHeaders: "no event",
	verdict.StageComment: "keep-alives, no event", verdict.StageEvents: "events, no token",
}

// Came says how far the answer to a request without a chunk has come: "no byte".
func Came(s *metrics.Stream) string {
	stage, _ := verdict.StageOf(s)
	return arrived[stage]
}

// Arrived says of a request that did not end well how long it ran and what had come:
// "after 8.18 s, no byte". It is "" where an answer with an error came, and for others.
func Arrived(s *metrics.Stream, f *metrics.Figures) string {
	what := Came(s)
	if n := max(f.Chunks, len(s.Chunks)); n > 0 {
		what = format.Plural(n, "chunk", "chunks") + format.If(f.Total.OK, ", the last after "+format.Ms(f.Total.V))
	}
	ran := s.Ran()
	return format.If(ran.OK, "after "+format.Ms(ran.V)+", "+what)
}

// Waited writes how long a request waited whose first token did not come: "> 8.18 s". It
// is "" where Arrived is, and where a chunk came.
func Waited(s *metrics.Stream, f *metrics.Figures) string {
	ran := s.Ran()
	return format.If(ran.OK && f.Chunks == 0, "> "+format.Ms(ran.V))
}

// RequestID names a request to who has its server's log, "" without an id. It is
// harmless text.
func RequestID(id string) string { return format.If(id != "", "request id "+sanitize.Line(id, 80)) }
