package sse

import (
	"encoding/json"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

var seeds = []string{
	"data: {\"a\":1}\n\ndata: [DONE]\n\n",
	"\xef\xbb\xbf: hi\r\n\r\nevent: x\r\ndata: {}\r\n\r\n",
	"data:{\"a\":\"\\\"}\"}\rdata:{}\r\r",
	"data: {\ndata: \"b\":[{}]}\n\nerror: {\"e\":1}\n\n",
	"event: a\ndata: {}\nevent: b\ndata: {}\n\ndata",
	" :000", "\n \xef\xbb\xbf\t\ndata: {}\n data: {}\n\n",
}

// reference is the same rules, written for reading: whole text, no state.
func reference(body string) []string {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	body = strings.ReplaceAll(body, "\r", "\n")
	var out []string
	name, data, open, begun := "", "", false, false
	dispatch := func() {
		if open {
			out = append(out, name+"|"+data)
		}
		data, open = "", false
	}
	for _, line := range strings.Split(body, "\n") {
		if !begun { // a mark of the byte order and blanks before the first field do not count
			line = strings.TrimLeft(strings.TrimPrefix(line, "\xef\xbb\xbf"), " \t")
			begun = line != ""
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		switch {
		case line == "":
			dispatch()
			name = ""
		case field == "":
			out = append(out, "# "+value)
		case field == "data" && value != "":
			if open && whole(data) {
				dispatch()
			}
			if open {
				data += "\n"
			}
			data, open = data+value, true
		case field == "event":
			if open && name != "" && whole(data) {
				dispatch()
			}
			name = value
		case field == "error":
			dispatch()
			out = append(out, name+"|error!"+value)
		}
	}
	dispatch()
	return out
}

func whole(s string) bool {
	return s == "[DONE]" || s == `"[DONE]"` || strings.HasPrefix(s, "{") && json.Valid([]byte(s))
}

// plain drops the read numbers of assembled events.
func plain(events []string) []string {
	var out []string
	for _, e := range events {
		_, rest, _ := strings.Cut(e, " ")
		out = append(out, rest)
	}
	return out
}

// FuzzReference compares with the reference parser.
func FuzzReference(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		testkit.Same(t, plain(assemble(cutAll([]string{body}))), reference(body), body)
	})
}

// FuzzSplits compares the body in one read with every way to cut it in two,
// and with single bytes. Lines and events are the same, and no byte is lost.
func FuzzSplits(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 300 {
			body = body[:300]
		}
		want := plain(assemble(cutAll([]string{body})))
		bytes := make([]string, len(body))
		for i := range len(body) {
			bytes[i] = body[i : i+1]
			check(t, want, body, []string{body[:i], body[i:]})
		}
		check(t, want, body, bytes)
	})
}

func check(t *testing.T, want []string, body string, reads []string) {
	t.Helper()
	lines := cutAll(reads)
	testkit.Same(t, plain(assemble(lines)), want, reads)
	size, text := 0, 0
	for _, l := range lines {
		size += int(l.Bytes)
		text += len(l.Data)
	}
	// All but a last lone LF of a CRLF belongs to a line.
	testkit.That(t, size <= len(body) && size >= len(body)-1 && text <= size,
		"%q: %d bytes in lines, %d in the body", reads, size, len(body))
}
