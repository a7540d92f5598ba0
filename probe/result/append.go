package result

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"tokscope/metrics"
)

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
// Control and other unsafe characters are escaped, so that cat can print a
// recording safely.
func AppendString(b, s []byte) []byte { return appendString(b, s, false) }

// appendString is AppendString; html escapes what HTML would interpret, too.
func appendString(b, s []byte, html bool) []byte {
	b = append(slices.Grow(b, len(s)+len(`""`)), '"')
	from := 0 // s[from:i] stands for itself
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && (!html || c != '<' && c != '>' && c != '&') {
			i++
			continue
		}
		b = append(b, s[from:i]...)
		if c < utf8.RuneSelf {
			i++
			from = i
			if short := strings.IndexByte("\"\\\n\t\r\b\f", c); short >= 0 {
				b = append(b, '\\', `"\ntrbf`[short])
			} else {
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, `\ufffd`...)
		case unsafe(r):
			b = appendEscape(b, r)
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// unsafe reports whether a terminal interprets r or nobody can see it: C1
// controls, line and paragraph separators, every format character (marks and
// overrides of direction, zero-width characters, tags), and variation selectors.
func unsafe(r rune) bool {
	switch {
	case r < 0x7f:
		return false
	case r < 0xa0:
		return true
	case r < 0x300, r >= 0x3001 && r <= 0x3163, r >= 0x3165 && r <= 0xd7ff: // most text of the world
		return r == 0xad
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// appendEscape appends the JSON escape of r, a surrogate pair beyond U+FFFF.
func appendEscape(b []byte, r rune) []byte {
	if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
		return appendEscape(appendEscape(b, hi), lo)
	}
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// Harmless returns JSON text with all unsafe characters escaped and invalid
// UTF-8 as U+FFFD. In valid JSON both occur only inside strings, so the value
// is unchanged otherwise. The result may be data itself.
func Harmless(data []byte) []byte {
	var out []byte
	from := 0 // data[:from] is in out
	for i := 0; i < len(data); {
		if data[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 || unsafe(r) {
			out = appendEscape(append(out, data[from:i]...), r)
			from = i + n
		}
		i += n
	}
	if from == 0 {
		return data
	}
	return append(out, data[from:]...)
}

// Append appends v to b as the codec writes it, without a line end. Of a value that
// JSON does not have it appends nothing and returns an error. It makes no copy of what
// it appends: a thousand requests that end together would make 5 MB of them.
func (s Sentences) Append(b []byte, v any) ([]byte, error) {
	w := writer{b: b, say: s, html: true}
	w.value(v)
	if w.err != nil {
		return b, w.err
	}
	return w.b, nil
}

// finite returns v, or nil for NaN and infinities, which JSON does not have.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// value returns v's number, nil when it is unknown.
func value(v metrics.Value) *float64 {
	if !v.OK {
		return nil
	}
	return finite(v.V)
}
