package sanitize

import (
	"unicode"
	"unicode/utf8"
)

// MaxLine is the number of characters after which Decoder breaks a line. No
// answer has such lines. Code that lays out or searches a line must not meet
// one of 64 MB.
const MaxLine = 1 << 14

// Decoder sanitizes a text that arrives in pieces. The result does not depend
// on the cuts: a character, a CRLF or a combining sequence may span several
// pieces. The zero value is ready, for text on a screen.
type Decoder struct {
	// Faithful leaves what is invisible as it came, for text in lines, files and
	// copies. Controls, those of direction too, are replaced nevertheless.
	Faithful bool

	part  [utf8.UTFMax]byte // the start of an incomplete character
	nPart int
	cr    bool // the last character was a CR
	last  cluster
	line  int // characters on the current line
}

// Append appends the sanitized chunk to dst and returns it. final ends the
// text: held-back bytes (an incomplete character, a CR) are then written. The
// decoder is then ready for another text.
//
// The appended bytes belong to the chunk: to color a text by chunk, keep
// len(dst) before and after. Only the bytes of a split character and a final
// CR are written with the next chunk. A combining mark at the start of a
// chunk still belongs to the previous character. Lay out the whole text by
// grapheme cluster, and assign a cluster to the chunk of its first byte.
func (d *Decoder) Append(dst, chunk []byte, final bool) []byte {
	if d.nPart > 0 {
		dst, chunk = d.finish(dst, chunk, final)
	}
	for i := 0; i < len(chunk); {
		// Most text is runs of plain ASCII.
		if n := d.plain(chunk[i:]); n > 0 {
			dst = append(dst, chunk[i:i+n]...)
			d.line += n
			d.last.start(rune(chunk[i+n-1]))
			i += n
			continue
		}
		if !final && !utf8.FullRune(chunk[i:]) {
			d.nPart = copy(d.part[:], chunk[i:])
			break
		}
		r, n := utf8.DecodeRune(chunk[i:])
		dst = d.rune(dst, r, n)
		i += n
	}
	if final {
		dst = d.flushCR(dst)
		*d = Decoder{Faithful: d.Faithful}
	}
	return dst
}

// plain returns the number of leading bytes of b that are printable ASCII and
// can be copied.
func (d *Decoder) plain(b []byte) int {
	if d.cr {
		return 0
	}
	n, most := 0, min(len(b), MaxLine-d.line)
	for n < most && b[n] >= 0x20 && b[n] < 0x7f {
		n++
	}
	return n
}

// finish completes the character that the previous chunk cut, and returns the
// rest of chunk.
func (d *Decoder) finish(dst, chunk []byte, final bool) (_, rest []byte) {
	var b [2 * utf8.UTFMax]byte
	for d.nPart > 0 {
		n := copy(b[:], d.part[:d.nPart])
		held := n
		n += copy(b[n:n+utf8.UTFMax], chunk)
		if !final && !utf8.FullRune(b[:n]) {
			// Still incomplete with the whole chunk.
			d.nPart = copy(d.part[:], b[:n])
			return dst, nil
		}
		r, size := utf8.DecodeRune(b[:n])
		dst = d.rune(dst, r, size)
		if size >= held {
			d.nPart = 0
			return dst, chunk[size-held:]
		}
		// An invalid byte: the later ones may start a character.
		d.nPart = copy(d.part[:], b[size:held])
	}
	return dst, chunk
}

func (d *Decoder) flushCR(dst []byte) []byte {
	if d.cr {
		d.cr = false
		return d.substitute(dst, pictureCR)
	}
	return dst
}

// rune appends the sanitized r, which was decoded from n bytes.
func (d *Decoder) rune(dst []byte, r rune, n int) []byte {
	if d.cr && r != '\n' {
		dst = d.flushCR(dst)
	}
	d.cr = false
	switch {
	case r == '\n':
		d.line = 0
		d.last.none()
		return append(dst, '\n')
	case r == '\r':
		d.cr = true
		return dst
	case r == '\t':
		for range 4 {
			dst = d.base(dst, ' ')
		}
		return dst
	case r < 0x20:
		return d.substitute(dst, picture+r)
	case r == 0x7f:
		return d.substitute(dst, pictureDE)
	case r > 0x7f && r < 0xa0, r == utf8.RuneError && n <= 1:
		return d.substitute(dst, utf8.RuneError)
	case alone(r):
		return d.base(dst, r)
	case invisible(r) && !d.last.shapedBy(r) && (!d.Faithful || controls(r)):
		return d.substitute(dst, dot)
	}
	return d.letter(dst, r)
}

// letter appends r. It joins r to the previous character if that leaves it within
// bounds, else appends it alone. A mark without a character is a dot.
func (d *Decoder) letter(dst []byte, r rune) []byte {
	switch {
	case d.last.joins(r):
		if !d.last.add(r) {
			return d.substitute(dst, dot)
		}
		return utf8.AppendRune(dst, r)
	case d.last.n == 0 && unicode.Is(unicode.M, r):
		return d.substitute(dst, dot)
	}
	return d.base(dst, r)
}

// base appends r as a character that marks may join.
func (d *Decoder) base(dst []byte, r rune) []byte {
	dst = d.write(dst, r)
	d.last.start(r)
	return dst
}

// substitute appends r as a replacement, which nothing joins.
func (d *Decoder) substitute(dst []byte, r rune) []byte {
	dst = d.write(dst, r)
	d.last.none()
	return dst
}

// write appends r as a new character, on a new line if the current one is
// full.
func (d *Decoder) write(dst []byte, r rune) []byte {
	if d.line >= MaxLine {
		dst = append(dst, '\n')
		d.line = 0
	}
	d.line++
	return utf8.AppendRune(dst, r)
}
