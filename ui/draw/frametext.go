package draw

import "strings"

// Ink holds the strings of one frame, so that a frame full of numbers costs one
// allocation and not one a number. The zero value is ready; it belongs to one
// goroutine.
type FrameText struct {
	arena strings.Builder
	used  int // bytes that the largest frame needed
}

// Begin forgets the strings of the last frame: those who hold them keep them.
func (k *FrameText) Begin() {
	k.used = max(k.used, k.arena.Len())
	k.arena.Reset()
	k.arena.Grow(k.used + k.used/4 + 512)
}

// Keep returns b as a string; b may be used again.
func (k *FrameText) Keep(b []byte) string {
	from := k.arena.Len()
	k.arena.Write(b)
	return k.arena.String()[from:]
}
