package sse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// read is one read of a body, for tests: its number is its stamp.
func cutAll(reads []string) []Line {
	var c Cutter
	var out []Line
	add := func(line []byte, size, i int) {
		out = append(out, Line{Data: append([]byte(nil), line...), At: metrics.Stamp(i), User: metrics.Stamp(i), Read: int32(i), Bytes: int32(size)})
	}
	for i, r := range reads {
		p := []byte(r)
		for {
			line, size, rest, ok := c.Next(p)
			if !ok {
				break
			}
			add(line, size, i)
			p = rest
		}
	}
	if line, size, ok := c.Rest(); ok {
		add(line, size, len(reads)-1)
	}
	return out
}

// assemble returns the events of a body, one text each, with the read that
// stamps it: "0 name|data", comments as "0 # text".
func assemble(lines []Line) []string {
	var a Assembler
	var out []string
	emit := func(e Event) {
		switch {
		case e.Comment:
			out = append(out, fmt.Sprintf("%d # %s", e.Read, e.Data))
		default:
			out = append(out, fmt.Sprintf("%d %s|%s%s", e.Read, e.Name, strings.TrimPrefix(e.Field+"!", "!"), e.Data))
		}
	}
	for _, l := range lines {
		a.Push(l, emit)
	}
	a.Flush(emit)
	return out
}

func TestAssembler(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reads []string
		want  []string
	}{
		{"plain", []string{"data: {\"a\":1}\n\n", "data: [DONE]\n\n"}, []string{`0 |{"a":1}`, "1 |[DONE]"}},
		{"CRLF", []string{"data: x\r\n\r\n"}, []string{"0 |x"}},
		{"CR", []string{"data: x\r\rdata: y\r\r"}, []string{"0 |x", "0 |y"}},
		{"CRLF cut between", []string{"data: x\r", "\n\r\n"}, []string{"0 |x"}},
		{"CR at the end of a read is a line end at once", []string{"data: x\r\r", "data: y\r\r"}, []string{"0 |x", "1 |y"}},
		{"byte order mark", []string{"\xef\xbb\xbfdata: x\n\n"}, []string{"0 |x"}},
		{"no space after the colon", []string{"data:x\n\n"}, []string{"0 |x"}},
		{"blank before the line end", []string{"data: {\"a\":1} \n\n"}, []string{`0 |{"a":1}`}},
		{"comment", []string{": ping\n\n", ":\n\n"}, []string{"0 # ping", "1 # "}},
		{"comment within an event", []string{"data: {\"a\":\n: ping\ndata: 1}\n\n"}, []string{"0 # ping", "0 |{\"a\":\n1}"}},
		{"event before data", []string{"event: error\ndata: {}\n\ndata: {}\n\n"}, []string{"0 error|{}", "0 |{}"}},
		{"event after data", []string{"data: {}\nevent: delta\n\n"}, []string{"0 delta|{}"}},
		{"several data lines are joined", []string{"data: {\ndata: }\n\n"}, []string{"0 |{\n}"}},
		{"complete objects are events of their own", []string{"data: {\"a\":\"}\"}\n", "data: {\"b\":2}\n", "data: [DONE]\n"}, []string{`0 |{"a":"}"}`, `1 |{"b":2}`, "2 |[DONE]"}},
		{"event after the end marker", []string{"data: [DONE]\nevent: ping\ndata: {}\n\n"}, []string{"0 |[DONE]", "0 ping|{}"}},
		{"complete objects with names", []string{"event: a\ndata: {}\nevent: b\ndata: {}\n\n"}, []string{"0 a|{}", "0 b|{}"}},
		{"closed but wrong JSON is joined", []string{"data: {x}\ndata: y\n\n"}, []string{"0 |{x}\ny"}},
		{"stamp is that of the last data line", []string{"data: {\"a\":", "1,\n", "data: \"b\":2}", "\n", "\n"}, []string{"3 |{\"a\":1,\n\"b\":2}"}},
		{"empty data is ignored", []string{"data:\n\ndata: \n\ndata\n\ndata: x\n\n"}, []string{"0 |x"}},
		{"name without data is no event", []string{"event: ping\n\ndata: x\n\n"}, []string{"0 |x"}},
		{"error field", []string{"data: {}\nerror: {\"code\":500}\n\ndata: [DONE]\n\n"}, []string{"0 |{}", `0 |error!{"code":500}`, "0 |[DONE]"}},
		{"id and retry mean nothing", []string{"id: 1\nretry: 5\ndata: x\n\n"}, []string{"0 |x"}},
		{"last event without its end", []string{"data: x\n\n", "data: y"}, []string{"0 |x", "1 |y"}},
		{"nothing", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Same(t, assemble(cutAll(tt.reads)), tt.want, "events")
		})
	}
}

func TestEventBytes(t *testing.T) {
	body := "event: a\r\ndata: {}\r\n\r\n: c\n\ndata: {}\ndata: {}\n\n"
	var a Assembler
	var got []int32
	for _, l := range cutAll([]string{body}) {
		a.Push(l, func(e Event) { got = append(got, e.Bytes) })
	}
	// 10+10+2; the comment line; the first object; the second with the blank line.
	testkit.Same(t, got, []int32{22, 4, 9, 10}, "bytes")
}

func TestCutterBoundsALine(t *testing.T) {
	c := Cutter{Max: 10}
	if line, _, _, ok := c.Next([]byte("0123456789\n")); !ok || string(line) != "0123456789" {
		t.Fatalf("a line of exactly Max: %q, %v", line, ok)
	}
	for _, piece := range []string{"01234", "56789", "x"} {
		if _, _, _, ok := c.Next([]byte(piece)); ok {
			t.Fatalf("%q completed a line", piece)
		}
	}
	testkit.Given(t, c.LineTooLong(), "a line of Max+1 bytes was not noticed")
	if _, _, _, ok := c.Next([]byte("\ndata: x\n")); ok {
		t.Error("something was cut after the bound was passed")
	}
}

func TestManyDataLinesStayLinear(t *testing.T) {
	// A hostile event of many lines that all look like an end. A scan from the
	// start at every line would need 10^11 steps.
	var a Assembler
	n := 0
	emit := func(Event) { n++ }
	a.Push(Line{Data: []byte(`data: {"a":[`)}, emit)
	for range 200_000 {
		a.Push(Line{Data: []byte(`data: {},{}`)}, emit)
	}
	a.Push(Line{}, emit)
	testkit.Is(t, n, 1, "events")
	testkit.Is(t, a.json.pos, 0, "the matcher was not reset")
}

// TestCutterKeepsALineInFewAllocations checks that a long line in small pieces is
// copied into a buffer that doubles, and never into one above the bound.
func TestCutterKeepsALineInFewAllocations(t *testing.T) {
	piece := bytes.Repeat([]byte("a"), 512)
	testkit.Allocates(t, 12, 5, func() {
		var c Cutter
		for range DefaultMaxLine / len(piece) {
			c.keep(piece)
		}
		if len(c.part) != DefaultMaxLine || cap(c.part) != DefaultMaxLine || c.LineTooLong() {
			t.Errorf("%d bytes in a buffer of %d", len(c.part), cap(c.part))
		}
	}, "a long line") // 512 bytes, doubled 11 times to 1 MiB
}

// The end marker is known before its blank line, which a server may not send.
func TestEnding(t *testing.T) {
	for body, want := range map[string]bool{
		"data: [DONE]\n": true, "data: \"[DONE]\"\n": true, "data: {}\ndata: [DONE]\n": true,
		": ping\ndata: [DONE]\n: ping\n": true,
		"":                               false, "data: {}\n": false, "data: [DONE]\n\n": false, "data: [DONE]\ndata: {}\n": false,
		"error: [DONE]\n": false, "data: {\ndata: [DONE]\n": false, "data: [DONE] x\n": false,
	} {
		var a Assembler
		for _, l := range cutAll([]string{body}) {
			a.Push(l, func(Event) {})
		}
		at, ok := a.Ending()
		testkit.That(t, ok == want && (!ok || at == 0), "%q: ending at %d, %v, want %v", body, at, ok, want)
	}
}
