package metrics

import "testing"

// A stream without a whole word behind its first chunk has no reading speed: 0
// would be a figure that nobody measured.
func TestNoWordNoReadingSpeed(t *testing.T) {
	s := Stream{State: Done, Marks: NewMarks(), Usage: NoUsage()}
	s.Marks.Sent = 0
	for i, text := range []string{"Hello", "oooo", "oo"} {
		s.Text = append(s.Text, text...)
		s.Chunks = append(s.Chunks, Chunk{At: Stamp(1e6 * (i + 1)), User: Stamp(1e6 * (i + 1)), Read: int32(i), Event: int32(i), TextEnd: int32(len(s.Text)), Tokens: -1})
	}
	f := Measure(&s, Options{})
	if f.WPM.OK || f.TimesReading.OK || f.WPM.Why == 0 {
		t.Errorf("WPM %+v, times reading %+v", f.WPM, f.TimesReading)
	}
}
