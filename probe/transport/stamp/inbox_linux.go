//go:build linux && (amd64 || arm64)

package stamp

// inboxKept is the size of the memory that an empty inbox keeps. A stream whose
// reader is busy for a moment has a few arrivals of some hundred bytes.
const inboxKept = 8 << 10

// inbox holds the arrivals of a connection that nobody waited for, oldest first,
// in memory that it uses again.
type inbox struct {
	letters []letter // letters[first:] are not yet taken
	first   int
	data    []byte // of the letters in their order; data[from:] is not yet taken
	from    int
}

// letter is an arrival in an inbox.
type letter struct {
	s    Stamps // without Read
	more bool
	size int // of its bytes that are not yet taken
}

func (b *inbox) empty() bool { return b.first == len(b.letters) }

// add appends an arrival with a copy of its bytes.
func (b *inbox) add(s Stamps, more bool, data []byte) {
	if b.from > inboxKept && b.from > len(b.data)/2 { // more is taken than not
		b.letters, b.first = append(b.letters[:0], b.letters[b.first:]...), 0
		b.data, b.from = append(b.data[:0], b.data[b.from:]...), 0
	}
	b.letters = append(b.letters, letter{s, more, len(data)})
	b.data = append(b.data, data...)
}

// oldest returns the first arrival, which must exist. Its bytes are valid until
// add.
func (b *inbox) oldest() (s Stamps, more bool, data []byte) {
	l := &b.letters[b.first]
	return l.s, l.more, b.data[b.from : b.from+l.size]
}

// remove removes the first n bytes of the oldest arrival, and the arrival when none
// is left.
func (b *inbox) remove(n int) {
	l := &b.letters[b.first]
	b.from += n
	l.size -= n
	if l.more = true; l.size > 0 {
		return
	}
	if b.first++; !b.empty() {
		return
	}
	if cap(b.data) > inboxKept {
		*b = inbox{}
	}
	b.letters, b.first, b.data, b.from = b.letters[:0], 0, b.data[:0], 0
}
