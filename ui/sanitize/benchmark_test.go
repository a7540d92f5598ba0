package sanitize

import (
	"strings"
	"testing"
)

var samples = []struct{ name, text string }{
	{"ascii", strings.Repeat("That pass is called prefill: every token of the prompt. ", 20)},
	{"german", strings.Repeat("Größere Wörter, für die Übung. ", 30)},
	{"chinese", strings.Repeat("首先服务器读取整个提示。", 40)},
	{"hindi", strings.Repeat("के कि क्ष ", 60)},
	{"hostile", strings.Repeat("\x1b[31m\u202e\u200b\xff", 80)},
}

// BenchmarkAppend feeds a text in chunks of 5 bytes, like tokens.
func BenchmarkAppend(b *testing.B) {
	for _, s := range samples {
		b.Run(s.name, func(b *testing.B) {
			text := []byte(s.text)
			dst := make([]byte, 0, 4*len(text))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var d Decoder
				out := dst
				for i := 0; i < len(text); i += 5 {
					out = d.Append(out, text[i:min(i+5, len(text))], false)
				}
				d.Append(out, nil, true)
			}
		})
	}
}
