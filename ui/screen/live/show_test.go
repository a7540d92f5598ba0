package live

import (
	"strings"
	"testing"

	"tokscope/ui/draw"
)

// TestCaptionsAreRead: every caption fits one row at 80x24 and at 120x40, and
// none stays for less than the time to read it twice at 200 words a minute.
func TestCaptionsAreRead(t *testing.T) {
	for i, c := range captions {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			v := scene("decoding")
			v.Message = c.text
			find(t, frame(v, size[0], size[1]), c.text)
		}
		if i+1 < len(captions) && captions[i+1].run == c.run {
			words := len(strings.Fields(c.text))
			if stays := captions[i+1].after - c.after; stays.Seconds() < float64(words)/200*60 {
				t.Errorf("%q stays %v", c.text, stays)
			}
		}
	}
	v := scene("done")
	v.Message = lastCaption
	find(t, frame(v, 80, 24), lastCaption)
	if w := draw.Width(lastCaption); w > 62 {
		t.Errorf("the last caption has %d columns", w)
	}
}
