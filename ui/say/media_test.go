package say

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
)

// A first sound is judged in its own words.
func TestVerdictOnAFirstSound(t *testing.T) {
	f := slo.LensFigures{Requests: 2, TTFA: slo.LensFigure{Typical: metrics.Known(655, 2)}, Speed: slo.LensFigure{Typical: metrics.Known(160, 2)}}
	v := slo.LensByKey("voice").Judge(f, slo.DefaultAgentTask)
	is(t, Verdict(&v[0]), "first audio after 655 ms (median of 2): 145 ms over what voice allows")
	is(t, Verdict(&v[1]), "speed is unknown: tokens are sound")
	_, source := LensBudget(&v[0].Budget)
	is(t, source, "800 ms from last word to first sound (twig.so), less 80 end of speech, 150 transcription, 60 network (callingscout.ai)")
}

// What came beside text is said, and what came and is not read.
func TestConclusionsOfMedia(t *testing.T) {
	ms := func(n int) metrics.Stamp { return metrics.Stamp(n) * 1e6 }
	for _, tt := range []struct {
		name  string
		kinds []metrics.Kind // of chunks 40 ms apart, the first after 300 ms
		with  func(s *metrics.Stream)
		want  string
	}{
		{"speech", []metrics.Kind{metrics.Audio, metrics.Audio, metrics.Audio}, func(s *metrics.Stream) {
			s.Marks.FirstAudio, s.AudioBytes = ms(340), 48_000
		}, "First token after 300 ms. First audio after 340 ms, 48.0 kB."},
		{"speech that goes on", []metrics.Kind{metrics.Audio, metrics.Audio}, func(s *metrics.Stream) {
			s.State, s.Marks.FirstAudio, s.AudioBytes = metrics.Decoding, ms(340), 500
		}, "First token after 300 ms. First audio after 340 ms."},
		{"a transcript alone", []metrics.Kind{metrics.Audio}, func(*metrics.Stream) {}, "First token after 300 ms."},
		{"images", []metrics.Kind{metrics.Image}, func(s *metrics.Stream) {
			s.Images, s.ImageBytes = 2, 2_400_000
		}, "First token after 300 ms. 2 images of 2.40 MB."},
		{"a linked image", []metrics.Kind{metrics.Image}, func(s *metrics.Stream) { s.Images = 1 }, "First token after 300 ms. 1 image."},
		{"nothing that is read", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Failed, 60, &metrics.Fault{Kind: metrics.FaultEmpty}
		}, "Failed 900 ms after sent: 60 events, none with text, reasoning or a call."},
		{"one event", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Failed, 1, &metrics.Fault{Kind: metrics.FaultEmpty, Code: "length"}
		}, "Failed 900 ms after sent: the limit was reached before the first token."},
		{"blocked", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Failed, 1, &metrics.Fault{Kind: metrics.FaultEmpty, Code: "PROHIBITED_CONTENT"}
		}, "Failed 900 ms after sent: a content filter ended it before the first token."},
		{"one event alone", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Failed, 1, &metrics.Fault{Kind: metrics.FaultEmpty}
		}, "Failed 900 ms after sent: one event, without text, reasoning or a call."},
		{"thinking that is not sent", nil, func(s *metrics.Stream) {
			s.State, s.Marks.End, s.Usage.Completion, s.Usage.Reasoning, s.LiveTokens = metrics.Waiting, metrics.NoStamp, 840, 840, 840
			s.LastData = ms(900)
		}, "No token for 900 ms: the model thinks, 840 tokens so far."},
		{"cut, nothing that is read", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Truncated, 7, &metrics.Fault{Kind: metrics.FaultTruncated}
		}, "Truncated after 900 ms, 7 events, none with text, reasoning or a call: no finish reason."},
	} {
		s := metrics.NoStream(ms(900))
		s.ID, s.State, s.Marks.Start, s.Marks.Sent, s.Marks.End, s.Usage.Completion = 1, metrics.Done, 0, 0, ms(900), 20
		s.Finish = "stop"
		for i, k := range tt.kinds {
			at := ms(300 + 40*i)
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Bytes: 900, Tokens: -1, Kind: k})
			s.LastData = at
		}
		tt.with(&s)
		now := ms(900)
		if !s.State.Ended() {
			now = s.LastData
		}
		f := metrics.Measure(&s, metrics.Options{})
		if got := Conclusion(verdict.Of(verdict.Input{Stream: &s, Figures: &f, Now: now})); got != tt.want {
			t.Errorf("%s\nsays %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
