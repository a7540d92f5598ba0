package metrics_test

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// An answer of sound has a first token, a first audio and a speed by the server's
// count; without one its tokens are unknown. Its transcript is visible text.
func TestFiguresOfMedia(t *testing.T) {
	for _, tt := range []struct {
		name             string
		texts            []string // of the chunks; "" is sound or an image alone
		kind             metrics.Kind
		audioAt          int // ms; 0 for no sound
		usage            int
		content, counted bool // TTFC and tokens are known
	}{
		{"transcript, then sound", []string{"hi", " there", "", "", ""}, metrics.Audio, 160, 40, true, true},
		{"sound alone", []string{"", "", "", "", "", "", "", ""}, metrics.Audio, 100, 160, false, true},
		{"sound that nobody counts", []string{"", "", ""}, metrics.Audio, 100, -1, false, false},
		{"transcript alone", []string{"one", " two", " three", " four"}, metrics.Audio, 0, 9, true, true},
		{"an image", []string{""}, metrics.Image, 0, 1290, false, true},
	} {
		s := metrics.NoStream(0)
		s.ID, s.State, s.Marks.Start, s.Marks.Sent = 1, metrics.Done, 0, 0
		s.Usage.Completion = tt.usage
		for i, text := range tt.texts {
			s.Text = append(s.Text, text...)
			at := metrics.Stamp(100+30*i) * 1e6
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Bytes: 6500,
				TextEnd: int32(len(s.Text)), Tokens: -1, Kind: tt.kind})
			s.Marks.End, s.Now = at, at
		}
		s.Events = len(tt.texts)
		if tt.audioAt > 0 {
			s.Marks.FirstAudio = metrics.Stamp(tt.audioAt) * 1e6
		}
		f := metrics.Measure(&s, metrics.Options{})
		n := len(tt.texts)
		if f.Chunks != n || !f.TTFT.OK || f.TTFT.V != 100 || f.TTFC.OK != tt.content || f.TTFA.OK != (tt.audioAt > 0) ||
			f.TTFA.V != float64(tt.audioAt) {
			t.Errorf("%s: %d chunks, TTFT %+v, TTFC %+v, TTFA %+v", tt.name, f.Chunks, f.TTFT, f.TTFC, f.TTFA)
		}
		if f.Tokens.OK != tt.counted || tt.counted && f.Tokens.V != float64(tt.usage) || f.TPOT.OK != (tt.counted && n > 1) {
			t.Errorf("%s: tokens %+v, TPOT %+v", tt.name, f.Tokens, f.TPOT)
		}
		testkit.That(t, (f.Words > 0) == tt.content, "%s: %d words", tt.name, f.Words)
	}
}

// The wait for an image is no stall of the text before it, its tokens are no text, and
// no limit of what text can carry holds for them.
func TestImageBesideText(t *testing.T) {
	for _, tt := range []struct {
		words int // before the image
		at    int // ms
		usage int
	}{{0, 5000, 1100}, {5, 4200, 1295}, {40, 2900, 4200}, {12, 2000, 900}} {
		s := metrics.NoStream(0)
		s.ID, s.State, s.Marks.Start, s.Marks.Sent = 1, metrics.Done, 0, 0
		s.Usage.Completion, s.Work.MaxTokens, s.Images = tt.usage, 1000, 1
		add := func(ms int, text string, kind metrics.Kind) {
			at, i := metrics.Stamp(ms)*1e6, int32(len(s.Chunks))
			s.Text = append(s.Text, text...)
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: i, Event: i, Bytes: 180,
				TextEnd: int32(len(s.Text)), Tokens: -1, Kind: kind})
			s.Marks.End, s.Now = at, at
		}
		for i := range tt.words {
			add(500+20*i, "word ", metrics.Content)
		}
		add(tt.at, "", metrics.Image)
		s.Events = len(s.Chunks)
		f := metrics.Measure(&s, metrics.Options{})
		if f.Tokens.V != float64(tt.usage) || f.TPOT.OK || f.Speed.OK || len(f.Stalls) > 0 || f.StallCost.V > 1 ||
			len(f.Suspect) > 0 {
			t.Errorf("%+v: tokens %+v, TPOT %+v, stalls %v, cost %+v, %v", tt, f.Tokens, f.TPOT, f.Stalls, f.StallCost,
				f.Suspect)
		}
	}
}
