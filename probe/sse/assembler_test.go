package sse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// read is one read of a body, for tests: its number is its stamp.
func cutAll(reads []string) []Line {
	var c Cutter
	var out []Line
	add := func(line []byte, size, i int) {
		out = append(out, Line{Data: append([]byte(nil), line...), At: metrics.Stamp(i), User: metrics.Stamp(i),
			Read: int32(i), Bytes: int32(size)})
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
		{"complete objects are events of their own", []string{"data: {\"a\":\"}\"}\n", "data: {\"b\":2}\n",
			"data: [DONE]\n"}, []string{`0 |{"a":"}"}`, `1 |{"b":2}`, "2 |[DONE]"}},
		{"event after the end marker", []string{"data: [DONE]\nevent: ping\ndata: {}\n\n"},
			[]string{"0 |[DONE]", "0 ping|{}"}},
		{"complete objects with names", []string{"event: a\ndata: {}\nevent: b\ndata: {}\n\n"}, []string{"0 a|{}", "0 b|{}"}},
		{"closed but wrong JSON is joined", []string{"data: {x}\ndata: y\n\n"}, []string{"0 |{x}\ny"}},
		{"stamp is that of the last data line", []string{"data: {\"a\":", "1,\n", "data: \"b\":2}", "\n", "\n"},
			[]string{"3 |{\"a\":1,\n\"b\":2}"}},
		{"empty data is ignored", []string{"data:\n\ndata: \n\ndata\n\ndata: x\n\n"}, []string{"0 |x"}},
		{"name without data is no event", []string{"event: ping\n\ndata: x\n\n"}, []string{"0 |x"}},
		{"error field", []string{"data: {}\nerror: {\"code\":500}\n\ndata: [DONE]\n\n"},
			[]string{"0 |{}", `0 |error!{"code":500}`, "0 |[DONE]"}},
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
		"":                               false, "data: {}\n": false, "data: [DONE]\n\n": false,
		"data: [DONE]\ndata: {}\n": false,
		"error: [DONE]\n":          false, "data: {\ndata: [DONE]\n": false, "data: [DONE] x\n": false,
	} {
		var a Assembler
		for _, l := range cutAll([]string{body}) {
			a.Push(l, func(Event) {})
		}
		at, ok := a.Ending()
		testkit.That(t, ok == want && (!ok || at == 0), "%q: ending at %d, %v, want %v", body, at, ok, want)
	}
}

// The first bytes say whether a body is a stream of events, and more bytes do not
// change what they say.
func TestFormOf(t *testing.T) {
	for body, want := range map[string]Form{
		"": Undecided, "\xef": Undecided, "\xef\xbb\xbf": Undecided, "\r\n \t": Undecided, "dat": Undecided,
		"event":    Undecided,
		"data: {}": Events, "data:{}": Events, "event: ping\n": Events, ": wait": Events, ":": Events, "id: 1": Events,
		"retry: 10": Events, "\xef\xbb\xbfdata: x": Events, "\r\n\r\n  data: x": Events, "\n\n:\n\n": Events,
		"{\"a\":1}": Lines, "[1]": Array, "<!doctype html>": Other, "data": Undecided, "database is down": Other,
		"eventually": Other, "upstream error": Other, "\xef\xbb\xbf{": Lines, "datum: 1": Other, "\x00data:": Other,
	} {
		if got := FormOf([]byte(body)); got != want {
			t.Errorf("%q: %d, want %d", body, got, want)
		}
		for n := range body {
			if got := FormOf([]byte(body[:n])); got != Undecided && got != want {
				t.Errorf("%q: its first %d bytes say %d, all say %d", body, n, got, want)
			}
		}
	}
}

func TestKindOf(t *testing.T) {
	for line, want := range map[string]Kind{
		"": Blank, ":": Comment, ": data: x": Comment, ":[DONE]": Comment,
		"data": Field, "data:": Field, "data: \t ": Field, "event: ping": Field, "id: 1": Field, "database: x": Field,
		"[DONE]": Field, " data: x": Field,
		"data: x": Data, "data:x": Data, "data: [DONE] x": Data, "error: {}": Data, "error:": Data, "error: [DONE]": Data,
		"data: [DONE]": Data, `data: "[DONE]"`: Data,
	} {
		testkit.Is(t, KindOf([]byte(line)), want, line)
	}
	line := []byte(`data: {"choices":[{"delta":{"content":"x"}}]}`)
	testkit.Allocates(t, 0, 100, func() { KindOf(line) })
}

// What KindOf says of a line by itself is what the assembler makes of it: an
// event comes of data alone, and a comment of a comment.
func TestKindsAreWhatBecomesOfLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"data", "error", "event", "id", ":", ":", " ", "\t", "[DONE]", `"[DONE]"`, "{",
			"}", "x", "世"})
		line := ""
		for range rapid.IntRange(0, 5).Draw(t, "pieces") {
			line += piece.Draw(t, "piece")
		}
		var a Assembler
		var got []Kind
		emit := func(e Event) {
			switch {
			case e.Comment:
				got = append(got, Comment)
			default:
				got = append(got, Data)
			}
		}
		a.Push(Line{Data: []byte(line), At: metrics.NoStamp}, emit)
		a.Flush(emit)
		want := KindOf(bytes.TrimLeft([]byte(line), " \t")) // blanks before the first line do not count
		if want == Field || want == Blank {
			testkit.Given(t, len(got) == 0, "%q is %d and made %v", line, want, got)
			return
		}
		testkit.Given(t, len(got) == 1 && got[0] == want, "%q is %d and made %v", line, want, got)
	})
}

// TestBare: objects of lines and of an array are events with all bytes of the body, however
// the body is cut, and an object is complete with its last brace.
func TestBare(t *testing.T) {
	objects := []string{`{"a":"}]\"{,"}`, `{"b":{"c":[{}]}}`, "{\n  \"d\": \"\\\\\"\n}"}
	for name, tt := range map[string]struct {
		body string
		want []string
		form Form
	}{
		"lines":                     {objects[0] + "\n\r\n" + objects[1] + "\n", objects[:2], Lines},
		"the last line without end": {objects[0] + "\n" + objects[1], objects[:2], Lines},
		"array":                     {"[" + strings.Join(objects, "\n,\r\n") + "\n]\n", objects, Array},
		"an array that breaks off":  {"[" + objects[0] + ",\n{\"x\":", []string{objects[0], `{"x":`}, Array},
		"events where lines may be": {"data: " + objects[0] + "\n\n: ping\n\n", []string{objects[0], "ping"}, Events},
	} {
		if got := FormOf([]byte(tt.body)); got != tt.form {
			t.Errorf("%s: form %d, want %d", name, got, tt.form)
		}
		for step := 1; step <= len(tt.body); step++ {
			c, a := Cutter{Array: tt.form == Array}, Assembler{Bare: true}
			var got []string
			bytes := 0
			push := func(line []byte, size int) {
				bytes += size
				a.Push(Line{Data: line, Bytes: int32(size)}, func(ev Event) { got = append(got, string(ev.Data)) })
			}
			for from := 0; from < len(tt.body); from += step {
				to := min(from+step, len(tt.body))
				for p := []byte(tt.body[from:to]); len(p) > 0; {
					line, size, rest, ok := c.Next(p)
					if !ok {
						break
					}
					push(line, size)
					p = rest
				}
				ends := strings.HasSuffix(tt.body[:to], objects[0])
				testkit.Given(t, tt.form != Array || !ends || len(got) == 1,
					"%s in pieces of %d: %d events behind the first brace that closes", name, step, len(got))
			}
			if line, size, ok := c.Rest(); ok {
				push(line, size)
			}
			a.Flush(func(ev Event) { got = append(got, string(ev.Data)) })
			d := cmp.Diff(tt.want, got)
			testkit.Given(t, d == "", "%s in pieces of %d: %s", name, step, d)
			testkit.That(t, tt.form != Lines || bytes == len(tt.body),
				"%s in pieces of %d: %d bytes of %d", name, step, bytes, len(tt.body))
		}
	}
}
