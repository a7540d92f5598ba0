package secret

import (
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// remove replaces every needle in text, in every form that match knows.
func remove(text string, list []needle) string {
	var b strings.Builder
	at := 0 // text[:at] has been written
	for i := 0; i < len(text); {
		from, end := 0, 0
		for k := range list {
			if from, end = list[k].find(text, i, at); end > 0 {
				break
			}
		}
		if end == 0 {
			i++
			continue
		}
		b.WriteString(text[at:from])
		b.WriteString(Redacted)
		i, at = end, end
	}
	if at == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

// find looks for n at text[i:]. It returns what to remove, which may begin
// before i but not before least; end is 0 without a match.
func (n *needle) find(text string, i, least int) (from, end int) {
	switch n.form {
	case base64Form:
		if left := text[i:]; strings.HasPrefix(left, n.text) {
			end = i + len(n.text)
		} else if len(left) < len(n.text) && len(left) >= minSecret && strings.HasPrefix(n.text, left) {
			end = len(text)
		} else {
			return i, 0
		}
		for least < i && isBase64(text[i-1]) {
			i--
		}
		for end < len(text) && isBase64(text[end]) {
			end++
		}
		return i, end
	case endingForm:
		if !strings.HasPrefix(text[i:], n.text) {
			return i, 0
		}
		end = i + len(n.text)
		for k := len(n.key) - len(n.text); k > 0 && least < i && text[i-1] == n.key[k-1]; k-- {
			i--
		}
		return i, end
	}
	return i, match(text, i, n.text)
}

// mostPasses bounds removeAll. Only a text made for that purpose needs more
// than a few passes.
const mostPasses = 32

// removeAll repeats removal until no key is left in plain form. The marker
// and its neighbors can spell a key again ("]0000000" behind "[redacted]"). A
// text that does so repeatedly becomes the marker alone. A key that is part
// of the marker is left, because every marker contains it.
func removeAll(text string, list []needle) string {
	for range mostPasses {
		next := remove(text, list)
		if next == text || !spells(next, list) {
			return next
		}
		text = next
	}
	return Redacted
}

// spells reports whether text holds one of the needles in plain.
func spells(text string, list []needle) bool {
	return slices.ContainsFunc(list, func(n needle) bool {
		return !strings.Contains(Redacted, n.text) && strings.Contains(text, n.text)
	})
}

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("+/-_=", c) >= 0
}

// match looks for key at text[i:], plain and in URL and JSON form. It returns the
// end of the match, or 0. At the end of a text, the first minPrefix bytes of the
// key are a match.
func match(text string, i int, key string) int {
	switch c := text[i]; c {
	case '%', '\\', '+':
	default:
		if c != key[0] {
			return 0
		}
	}
	for _, unit := range []func(string) (string, int){rawUnit, urlUnit, urlURLUnit, jsonUnit, jsonJSONUnit} {
		if e := matchBy(text, i, key, unit, minPrefix); e > 0 {
			return e
		}
	}
	return 0
}

// matchBy matches with one encoding. unit decodes the first character of its
// argument and returns its length in bytes, or 0 if the text ends within it.
// At the end of the text, enough bytes of the key are a match.
func matchBy(text string, i int, key string, unit func(string) (string, int), enough int) int {
	k := 0
	for k < len(key) {
		if i == len(text) {
			if k >= enough {
				return i
			}
			return 0
		}
		got, n := unit(text[i:])
		if n == 0 {
			if k >= enough {
				return len(text)
			}
			return 0
		}
		if !strings.HasPrefix(key[k:], got) && !(got == "+" && key[k] == ' ') {
			return 0
		}
		k += len(got)
		i += n
	}
	return i
}

func rawUnit(s string) (string, int) { return s[:1], 1 }

// urlUnit decodes %XX.
func urlUnit(s string) (string, int) {
	if s[0] != '%' {
		return s[:1], 1
	}
	if len(s) < 3 {
		return "", 0
	}
	c, ok := unhex(s[1:], 2)
	if !ok {
		return s[:1], 1
	}
	return oneByte(byte(c)), 3
}

// urlURLUnit decodes %25XX, which is %XX encoded again, and %XX.
func urlURLUnit(s string) (string, int) {
	if len(s) >= 5 && s[:3] == "%25" {
		if c, ok := unhex(s[3:], 2); ok {
			return oneByte(byte(c)), 5
		}
	} else if len(s) < 5 && strings.HasPrefix(s, "%25") {
		return "", 0
	}
	return urlUnit(s)
}

// jsonUnit decodes the escapes of a JSON string. A surrogate pair becomes its
// rune. Half a pair becomes U+FFFD, as in decoders.
func jsonUnit(s string) (string, int) {
	if s[0] != '\\' {
		return s[:1], 1
	}
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case '"', '\\', '/', '\'':
		return s[1:2], 2
	case 'u':
	default:
		return s[:1], 1
	}
	if len(s) < 6 {
		return "", 0
	}
	r, ok := unhex(s[2:], 4)
	switch {
	case !ok:
		return s[:1], 1
	case r < utf8.RuneSelf:
		return oneByte(byte(r)), 6
	case utf16.IsSurrogate(r) && strings.HasPrefix(s[6:], `\u`):
		if lo, ok := unhex(s[8:], 4); ok {
			return string(utf16.DecodeRune(r, lo)), 12
		}
	}
	if 0x80 <= r && r < 0x100 {
		return latin[2*(r-0x80) : 2*(r-0x80)+2], 6
	}
	return string(r), 6
}

// jsonJSONUnit decodes a JSON string within a JSON string.
func jsonJSONUnit(s string) (string, int) {
	c, n := jsonUnit(s)
	if c != `\` || n == len(s) {
		if n == len(s) && c == `\` {
			return "", 0
		}
		return c, n
	}
	var inner [12]byte // an escape of the inner string, decoded once
	used, k := n, 1
	inner[0] = '\\'
	want := 2
	for k < want {
		if used == len(s) {
			return "", 0
		}
		c, n := jsonUnit(s[used:])
		if n == 0 {
			return "", 0
		}
		if len(c) != 1 {
			break
		}
		inner[k] = c[0]
		if k == 1 && c[0] == 'u' {
			want = 6
		}
		k++
		used += n
	}
	c, m := jsonUnit(string(inner[:k]))
	if m != k {
		return `\`, n
	}
	return c, used
}

// latin holds U+0080 to U+00FF in UTF-8, two bytes each, for slicing.
var latin = func() string {
	var b []byte
	for r := rune(0x80); r < 0x100; r++ {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}()

// oneByte returns the string of one byte, without an allocation: Go has them all.
func oneByte(c byte) string { return string([]byte{c}) }

// unhex decodes the first n hexadecimal digits of s, 2 or 4. It allocates nothing.
func unhex(s string, n int) (r rune, ok bool) {
	if len(s) < n {
		return 0, false
	}
	var b [2]byte
	_, err := hex.Decode(b[2-n/2:], []byte(s[:n]))
	return rune(b[0])<<8 | rune(b[1]), err == nil
}
