package draw

import "strings"

// FrameText holds the strings of one frame: a frame full of numbers costs one
// allocation, not one per number. The zero value is ready. It is not safe for
// concurrent use.
type FrameText struct {
	arena strings.Builder
	used  int // bytes of the largest frame so far
}

// Begin starts a new frame. Strings of the previous frame stay valid.
func (k *FrameText) Begin() {
	k.used = max(k.used, k.arena.Len())
	k.arena.Reset()
	k.arena.Grow(k.used + k.used/4 + 512)
}

// Keep returns b as a string. The caller may reuse b.
func (k *FrameText) Keep(b []byte) string {
	from := k.arena.Len()
	k.arena.Write(b)
	return k.arena.String()[from:]
}
