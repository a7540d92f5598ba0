// Package example has what tests of several packages look at: a stream on which the
// field's definitions differ, races, the probes of a watch, and a history.
package example

import "tokscope/metrics"

// Stream returns a stream whose figures differ in almost every tool: a role at
// 120 ms, 10 chunks of reasoning 480 to 660, 20 of content 700 to 1080 of two
// tokens each, finish 1090, usage 1140, [DONE] 1141, end 1160. Reasoning is in the
// fields in; completion is the usage, 0 for none.
func Stream(in metrics.ReasoningFields, completion int) *metrics.Stream {
	ms := func(at int) metrics.Stamp { return metrics.Stamp(at) * 1e6 }
	s := &metrics.Stream{State: metrics.Done, Marks: metrics.NewMarks(),
		Usage: metrics.NoUsage(), LiveTokens: -1, Reasoned: in, WithChoices: 32, Events: 34}
	s.Marks.Start, s.Marks.Sent, s.Marks.FirstRole, s.Marks.FinishReason = 0, 0, ms(120), ms(1090)
	s.Marks.DoneMarker, s.Marks.End, s.Finish = ms(1141), ms(1160), "stop"
	if completion > 0 {
		s.Usage.Completion, s.Usage.Prompt, s.TokensFrom, s.Marks.LastUsage = completion, 10, metrics.TokensUsage, ms(1140)
	}
	add := func(at int, kind metrics.Kind, text string) {
		s.Text = append(s.Text, text...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: ms(at), User: ms(at), Read: int32(len(s.Chunks)),
			Event: int32(len(s.Chunks) + 1), TextEnd: int32(len(s.Text)), Tokens: -1, Kind: kind})
	}
	for i := range 10 {
		add(480+20*i, metrics.Reasoning, string(rune('a'+i)))
	}
	for i := range 20 {
		add(700+20*i, metrics.Content, "wxyz")
	}
	return s
}
