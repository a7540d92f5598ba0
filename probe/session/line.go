package session

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/probe/result"
)

// line builds one JSON object field by field, in the order they are added.
type line struct {
	b   []byte
	say *result.Sentences // of the values of any; nil: none
}

func (l *line) begin(kind string) {
	l.b = append(l.b, `{"type":"`...)
	l.b = append(l.b, kind...)
	l.b = append(l.b, '"')
}

func (l *line) key(k string) {
	l.b = append(l.b, ',', '"')
	l.b = append(l.b, k...)
	l.b = append(l.b, '"', ':')
}

func (l *line) int(k string, v int64) {
	l.key(k)
	l.b = strconv.AppendInt(l.b, v, 10)
}

func (l *line) bool(k string, v bool) {
	l.key(k)
	l.b = strconv.AppendBool(l.b, v)
}

func (l *line) str(k, v string) { l.bytes(k, []byte(v)) }

func (l *line) bytes(k string, v []byte) {
	l.key(k)
	l.b = result.AppendString(l.b, v)
}

// ms adds the time from zero to at in milliseconds with all its nanoseconds;
// null when either is unknown.
func (l *line) ms(k string, at, zero metrics.Stamp) {
	d, ok := at.Sub(zero)
	l.key(k)
	if !ok {
		l.b = append(l.b, "null"...)
		return
	}
	l.b = appendMs(l.b, int64(d))
}

// appendMs writes ns as milliseconds with exactly six decimals: no rounding.
func appendMs(b []byte, ns int64) []byte {
	if ns < 0 {
		b = append(b, '-')
		ns = -ns
	}
	b = strconv.AppendInt(b, ns/1e6, 10)
	b = append(b, '.')
	frac := ns % 1e6
	for div := int64(1e5); div > 0; div /= 10 {
		b = append(b, byte('0'+frac/div%10))
	}
	return b
}

// stamp adds a moment in ns since the origin; null for NoStamp.
func (l *line) stamp(k string, s metrics.Stamp) {
	if !s.Known() {
		l.key(k)
		l.b = append(l.b, "null"...)
		return
	}
	l.int(k, int64(s))
}

// any adds v as the codec writes it.
func (l *line) any(k string, v any) {
	l.key(k)
	var say result.Sentences
	if l.say != nil {
		say = *l.say
	}
	b, err := say.Append(l.b, v)
	if err != nil {
		b = result.AppendString(l.b, []byte("unwritable: "+err.Error()))
	}
	l.b = b
}

func (l *line) end() { l.b = append(l.b, '}', '\n') }
