package dialect

import (
	"bytes"

	"tokscope/metrics"
)

// media is what an event brings beside text: its parts, and their bytes without the
// base64 around them.
type media struct{ parts, bytes int }

// add counts a part: base64, a data URL, or a link, whose bytes are not in the
// stream.
func (m *media) add(t []byte) {
	if len(t) == 0 {
		return
	}
	m.parts++
	if scheme, data, ok := bytes.Cut(t[:min(len(t), longestType)], []byte(":")); ok {
		if string(scheme) != "data" {
			return
		}
		if i := bytes.IndexByte(data, ','); i >= 0 {
			t = t[len(scheme)+len(":")+i+len(","):]
		}
	}
	m.bytes += len(bytes.TrimRight(t, "=")) * 3 / 4
}

// longestType bounds the head of a data URL, so that base64 is not searched.
const longestType = 128

// readAudio decodes {"transcript":…,"data":…}. Both may come in pieces.
func (d *delta) readAudio(s *scanner) {
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "transcript":
			d.transcript, _ = s.text()
		case "data":
			data, _ := s.text()
			d.audio.add(data)
		}
	}
}

// readImages decodes a list of images.
func (d *delta) readImages(s *scanner) {
	for more := s.firstElem(); more; more = s.nextElem() {
		d.images.add(address(s, true))
	}
}

// address returns where an image is: "…", {"url":…}, {"b64_json":…}, or, where it may
// be nested, one of these within {"image_url":…}. It is nil without one.
func address(s *scanner, nested bool) (t []byte) {
	switch s.peek() {
	case '"':
		t, _ = s.text()
	case '{':
		for k, more := s.firstKey(); more; k, more = s.nextKey() {
			switch key := string(k); {
			case key == "url", key == "b64_json":
				t, _ = s.text()
			case key == "image_url" && nested:
				t = address(s, false)
			}
		}
	}
	return t
}

// mediaDeltas returns a chunk of the audio of a, and one of its images.
func (d *Decoder) mediaDeltas(index uint8, a *delta, out *Out) {
	if len(a.transcript) > 0 || a.audio.parts > 0 {
		out.AudioBytes += a.audio.bytes
		out.add(metrics.Audio, index, a.transcript)
	}
	if n := a.images.parts; n > 0 {
		out.Images, out.ImageBytes = out.Images+n, out.ImageBytes+a.images.bytes
		out.add(metrics.Image, index, nil)
	}
}
