package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
	"tokscope/probe/secret"
	"tokscope/probe/session"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// hostile are pieces of text that no terminal and no JSON reader should meet raw.
var hostile = []string{
	"\x1b[2J", "\x1b]0;x\x07", "\x9b2J", "\xff", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x00", "\r", "\n", "\t",
	"\x7f", "\u0080", "\u009b31m",
	"\u202e", "\u2066", "\u061c", "\u200e", "\u200f", "\u200b", "\u200d", "\u2060", "\ufeff", "\u2028", "\u2029",
	"\u00ad", "\u180e", "\u3164",
	"\ufe0f", "\U000e0001", "\U000e0041", "\U000e0100", "\ufffe", "\U0001f600", "ü", "漢", `"`, `\`, `\u001b`, "</script>",
	"a", "1",
}

type filler struct{ rnd *rand.Rand }

func (f filler) text() string {
	var s string
	for range 1 + f.rnd.IntN(6) {
		s += hostile[f.rnd.IntN(len(hostile))]
	}
	return s
}

// raw is a JSON value as a server may send it: valid for encoding/json, with
// any byte from 0x7f on inside its strings.
func (f filler) raw() json.RawMessage {
	b := []byte(`{"prompt_tokens":1,"n":"`)
	for _, c := range []byte(f.text() + "\x9b2J\xff\x7f") {
		if c >= 0x20 && c != '"' && c != '\\' {
			b = append(b, c)
		}
	}
	return append(b, `"}`...)
}

// fill puts hostile text into every string and byte slice that v holds.
func (f filler) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Pointer:
		if v.IsNil() && v.Type().Elem().Kind() == reflect.Struct && v.CanSet() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			f.fill(v.Elem())
		}
	case reflect.Slice:
		switch {
		case v.Type() == reflect.TypeFor[json.RawMessage]():
			v.Set(reflect.ValueOf(f.raw()))
			return
		case v.Type().Elem().Kind() == reflect.Uint8:
			v.SetBytes([]byte(f.text()))
			return
		case v.Len() == 0 && v.CanSet():
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String || v.Type().Elem().Kind() != reflect.Int {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(f.text()).Convert(v.Type().Key()), reflect.ValueOf(1).Convert(v.Type().Elem()))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() || v.Type() == reflect.TypeFor[metrics.Histogram]() {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				f.fill(v.Field(i))
			}
		}
	}
}

func filled[T any](f filler) T {
	var v T
	f.fill(reflect.ValueOf(&v).Elem())
	return v
}

// checkHarmless fails for a document that is not what docs/session-format.md
// promises.
func checkHarmless(t *testing.T, name string, doc []byte, lines bool) {
	t.Helper()
	testkit.That(t, len(doc) != 0, "%s: nothing was written", name)
	testkit.That(t, utf8.Valid(doc), "%s: not UTF-8: %q", name, doc)
	for _, r := range string(doc) {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point) {
			t.Errorf("%s: holds %U raw", name, r)
		}
	}
	parts := [][]byte{doc}
	if lines {
		parts = bytes.SplitAfter(bytes.TrimSuffix(doc, []byte("\n")), []byte("\n"))
	}
	for _, part := range parts {
		testkit.That(t, json.Valid(part), "%s: no JSON: %q", name, part)
	}
}

// Every writer that makes JSON field by field, or in parts, turns hostile text in any
// field into harmless JSON. TestDocumentsRoundTrip holds it for the others.
func TestEveryWriterIsHarmless(t *testing.T) {
	f := filler{testkit.Rand(t, 0)}
	stream := func(id int) metrics.Stream {
		v := filled[metrics.Stream](f)
		v.ID, v.State = id, metrics.Failed
		v.Chunks = []metrics.Chunk{{At: 1, TextEnd: int32(len(v.Text) / 2)}, {At: 2, TextEnd: int32(len(v.Text)),
			Kind: metrics.ToolCall, Name: 3}}
		return v
	}
	read := func(path string) []byte {
		data := testkit.Must(os.ReadFile(path))(t)
		return data
	}
	for range probetest.Cases(40, 10) {
		dir := t.TempDir()
		v := stream(1)
		run := metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
		doc := result.DocumentOf(f.text(), []metrics.Run{run}, nil)
		doc.WithTexts(secret.NewScrubber())
		var b bytes.Buffer
		testkit.OK(t, doc.Write(&b))
		checkHarmless(t, "document", b.Bytes(), false)

		var lines bytes.Buffer
		live := session.NewLive(&lines)
		file := testkit.Must(session.Create(dir, session.Options{Version: f.text(), Raw: true, Started: time.Now()}))(t)
		file.Sentences = func(any, time.Time) []string { return []string{f.text()} }
		ev := sse.Event{Name: []byte(f.text()), Data: []byte(f.text()), Field: f.text()}
		folded := client.Folded{ID: 1, Event: &ev, Chunks: v.Chunks, Texts: [][]byte{v.ChunkText(0), v.ChunkText(1)}}
		for _, s := range []client.Sink{live, file} {
			s.Begin(v)
			if r, ok := s.(client.Recorder); ok {
				r.Head(1, &client.Head{Proto: f.text(), Headers: http.Header{f.text(): {f.text(), f.text()}},
					Withheld: []string{f.text()}})
				r.Read(1, &transport.Read{Data: []byte(f.text())})
				r.Body(1, []byte(f.text()))
			}
			s.Event(&folded)
			session.Finish(s, v)
		}
		load := file.NewLoad()
		view := filled[loadstat.View](f)
		point := filled[loadstat.Point](f)
		load.Begin(&view)
		load.Point(&point)
		load.Objectives(1, view.SLOs)
		load.End(&view)
		testkit.OK(t, live.Close(context.Background()))
		testkit.OK(t, file.Close())
		checkHarmless(t, "ndjson", lines.Bytes(), true)
		checkHarmless(t, "session file", read(file.Path()), true)

		if t.Failed() {
			t.FailNow()
		}
	}
}

// What a server said in its usage is still there, without its raw bytes.
func TestUsageKeepsItsValue(t *testing.T) {
	v := metrics.Stream{State: metrics.Done, Usage: metrics.NoUsage()}
	v.Usage.Raw = json.RawMessage("{\"prompt_tokens\":1,\"n\":\"\x9b2J\xff\u200e\U000e0041漢\"}")
	doc := result.DocumentOf("v", []metrics.Run{{Stream: v}}, nil)
	var b bytes.Buffer
	testkit.OK(t, doc.Write(&b))
	for _, want := range []string{`"prompt_tokens": 1,`, `"n": "\ufffd2J\ufffd\u200e\udb40\udc41漢"`} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("%s is missing in %s", want, b.Bytes())
		}
	}
}
