package testkit

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Windows returns a text as programs of Windows write it, by the name of the form: with
// a byte order mark, in UTF-16 of both orders, each with LF and CRLF as line breaks.
func Windows(text string) map[string]string {
	forms := map[string]string{}
	for breaks, s := range map[string]string{"LF": text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n")} {
		s = "\ufeff" + s
		little, big := []byte(nil), []byte(nil)
		for _, u := range utf16.Encode([]rune(s)) {
			little = binary.LittleEndian.AppendUint16(little, u)
			big = binary.BigEndian.AppendUint16(big, u)
		}
		forms["UTF-8, "+breaks] = s
		forms["UTF-16LE, "+breaks] = string(little)
		forms["UTF-16BE, "+breaks] = string(big)
	}
	return forms
}
