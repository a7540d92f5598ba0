package sse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics/testkit"
)

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
