package endpoint

import (
	"bytes"
	"unsafe"
)

// Hit reports whether b holds a key that s was told of, in plain or base64
// form. It allocates nothing, so that every event of a stream can be asked
// about before it is decoded or recorded.
func (s *Scrubber) Hit(b []byte) bool {
	if s == nil {
		return false
	}
	list := s.needles.Load()
	if list == nil {
		return false
	}
	for i := range *list {
		n := (*list)[i].text
		// A string's bytes are only read.
		if bytes.Contains(b, unsafe.Slice(unsafe.StringData(n), len(n))) {
			return true
		}
	}
	return false
}
