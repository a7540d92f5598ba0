package endpoint

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// remove replaces every needle in text, in any of the forms that match knows.
func remove(text string, list []needle) string {
	var b strings.Builder
	at := 0 // text[:at] is written
	for i := 0; i < len(text); {
		end := 0
		for _, n := range list {
			if n.base64 {
				if strings.HasPrefix(text[i:], n.text) {
					end = max(end, i+len(n.text))
				} else if left := text[i:]; len(left) < len(n.text) && len(left) >= minSecret && strings.HasPrefix(n.text, left) {
					end = len(text)
				}
			} else if e := match(text, i, n.text); e > end {
				end = e
			}
			if end > 0 {
				if n.base64 {
					for at < i && isBase64(text[i-1]) {
						i--
					}
					for end < len(text) && isBase64(text[end]) {
						end++
					}
				}
				break
			}
		}
		if end == 0 {
			i++
			continue
		}
		b.WriteString(text[at:i])
		b.WriteString(Redacted)
		i, at = end, end
	}
	if at == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("+/-_=", c) >= 0
}

// match looks for key at text[i:] as it is and as URL, JSON and HTML write it,
// and returns where it ends, or 0. A text that ends after at least minPrefix
// bytes of the key counts as a match to its end.
func match(text string, i int, key string) int {
	switch c := text[i]; c {
	case '%', '\\', '&', '+':
	default:
		if c != key[0] {
			return 0
		}
	}
	for _, unit := range []func(string) (string, int){rawUnit, urlUnit, jsonUnit, htmlUnit} {
		if e := matchBy(text, i, key, unit); e > 0 {
			return e
		}
	}
	return 0
}

// matchBy matches with one way of writing: unit decodes the first character of
// its argument and says how many bytes it took; 0 when the text was cut within
// it.
func matchBy(text string, i int, key string, unit func(string) (string, int)) int {
	k := 0
	for k < len(key) {
		if i == len(text) {
			if k >= minPrefix {
				return i
			}
			return 0
		}
		got, n := unit(text[i:])
		if n == 0 {
			if k >= minPrefix {
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
	hi, lo := hex(s[1]), hex(s[2])
	if hi < 0 || lo < 0 {
		return s[:1], 1
	}
	return string([]byte{byte(hi<<4 | lo)}), 3
}

// jsonUnit decodes \X and \uXXXX, also when the backslash itself was escaped
// again (JSON within JSON).
func jsonUnit(s string) (string, int) {
	if s[0] != '\\' {
		return s[:1], 1
	}
	n := 0
	for n < len(s) && s[n] == '\\' {
		n++
	}
	if n == len(s) {
		return "", 0
	}
	switch s[n] {
	case 'u':
		r, ok := hex4(s[n+1:])
		if !ok {
			if len(s)-n < 5 {
				return "", 0
			}
			return `\`, min(n, 2)
		}
		if utf16.IsSurrogate(r) {
			rest := strings.TrimLeft(s[n+5:], `\`)
			skip := len(s) - len(rest)
			if len(rest) > 4 && rest[0] == 'u' {
				if lo, ok := hex4(rest[1:]); ok {
					return string(utf16.DecodeRune(r, lo)), skip + 5
				}
			}
		}
		return string(utf8.AppendRune(nil, r)), n + 5
	case '"', '/', '\'':
		if n%2 == 1 || n == 2 && s[n] != '"' {
			return s[n : n+1], n + 1
		}
	}
	return `\`, min(n, 2)
}

// htmlUnit decodes the entities that template engines write.
func htmlUnit(s string) (string, int) {
	if s[0] != '&' {
		return s[:1], 1
	}
	for _, e := range [...][2]string{{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&#34;", `"`}, {"&#39;", "'"}, {"&#x27;", "'"}, {"&#x2F;", "/"}, {"&#43;", "+"}, {"&#61;", "="}, {"&#x3D;", "="}} {
		if strings.HasPrefix(s, e[0]) {
			return e[1], len(e[0])
		}
	}
	return s[:1], 1
}

func hex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for i := range 4 {
		h := hex(s[i])
		if h < 0 {
			return 0, false
		}
		r = r<<4 | rune(h)
	}
	return r, true
}
