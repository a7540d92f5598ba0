package dialect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/sse"
	"tokscope/probe/ws"
)

// played are the APIs of testdata/apis that the program speaks, with the form of the file.
var played = []struct {
	file string
	form sse.Form
}{
	{"chat", dialect.Speaks("chat").Form},
	{"messages", dialect.Speaks("messages").Form},
	{"responses", dialect.Speaks("responses").Form},
	{"responses-ws", dialect.Speaks("responses-ws").Form},
	{"completions", dialect.Speaks("completions").Form},
	{"ollama", dialect.Speaks("ollama").Form},
	{"ollama-generate", dialect.Speaks("ollama-generate").Form},
	{"gemini", sse.Undecided},
	{"gemini-array", dialect.Speaks("gemini").Form},
}

// figuresOf are the figures of testdata/apis/expected.json; nil is unknown.
type figuresOf struct {
	TTFT     *float64  `json:"ttft_ms"`
	Thinking *float64  `json:"first_thinking_ms"`
	TTFC     *float64  `json:"ttfc_ms"`
	Tool     *float64  `json:"first_tool_ms"`
	Last     *float64  `json:"last_output_ms"`
	Gaps     []float64 `json:"gaps_ms"`
	Tokens   *float64  `json:"output_tokens"`
	Thought  *float64  `json:"thinking_tokens"`
	Prompt   *float64  `json:"prompt_tokens"`
	Cached   *float64  `json:"cached_tokens"`
	TPOT     *float64  `json:"tpot_ms"`
	Bytes    int       `json:"body_bytes"`
	Writes   int       `json:"writes"`
}

// piece is what one read brings.
type piece struct {
	at   metrics.Stamp
	data []byte
}

// TestOneStreamInEachAPI: the same stream gives the same figures in each API, whatever the
// pieces in which it arrives.
func TestOneStreamInEachAPI(t *testing.T) {
	var want map[string]figuresOf
	testkit.OK(t, json.Unmarshal(testkit.Must(os.ReadFile("testdata/apis/expected.json"))(t), &want))
	rnd := testkit.Rand(t, 29)
	for _, api := range played {
		t.Run(api.file, func(t *testing.T) {
			writes := writesOf(t, api.file)
			check := func(how string, pieces []piece) {
				got := play(t, pieces, api.form)
				got.Writes = len(writes)
				diff := cmp.Diff(want[api.file], got)
				testkit.Given(t, diff == "", "%s (-want +got)\n%s", how, diff)
			}
			check("by the server's writes", writes)
			check("byte by byte", cutAt(writes, func(piece) (at []int) {
				for i := range 1 << 12 {
					at = append(at, i)
				}
				return at
			}))
			for i := range 40 {
				check(fmt.Sprintf("random pieces, %d", i), cutAt(writes, func(w piece) (at []int) {
					for range rnd.IntN(4) {
						at = append(at, rnd.IntN(len(w.data)+1))
					}
					return at
				}))
			}
		})
	}
}

// writesOf reads a body as its server wrote it.
func writesOf(t *testing.T, file string) (writes []piece) {
	body := testkit.Must(os.ReadFile(filepath.Join("testdata/apis", file+".body")))(t)
	times := testkit.Must(os.ReadFile(filepath.Join("testdata/apis", file+".times")))(t)
	for line := range bytes.Lines(times) {
		var w struct {
			MS    float64
			Bytes int
		}
		testkit.OK(t, json.Unmarshal(line, &w))
		if w.Bytes > 0 {
			writes = append(writes, piece{metrics.Stamp(w.MS * 1e6), body[:w.Bytes]})
			body = body[w.Bytes:]
		}
	}
	testkit.Given(t, len(body) == 0, "%s: %d bytes have no time", file, len(body))
	return writes
}

// cutAt cuts each write at the offsets that at returns.
func cutAt(writes []piece, at func(piece) []int) (pieces []piece) {
	for _, w := range writes {
		cuts, from := append(at(w), len(w.data)), 0
		slices.Sort(cuts)
		for _, to := range cuts {
			if to > from && to <= len(w.data) {
				pieces, from = append(pieces, piece{w.at, w.data[from:to]}), to
			}
		}
	}
	return pieces
}

// messages takes the messages of a WebSocket.
type messages func(text []byte)

func (m messages) Begins()                       {}
func (m messages) Message(_ ws.Op, text []byte)  { m(text) }
func (m messages) Control(op ws.Op, data []byte) {}

// record takes a response that arrives in pieces, of so many bytes.
func record(t *testing.T, pieces []piece, form sse.Form) (v metrics.Stream, bytesOf int) {
	v = metrics.NoStream(0)
	v.ID, v.Marks.Start, v.Marks.Sent = 1, 0, 0
	v.Work.Prompt = "tea for six"
	r := client.NewRebuild(v)
	cutter, asm := sse.Cutter{Array: form == sse.Array}, sse.Assembler{Bare: form != sse.Undecided}
	push := func(line []byte, size int, read int, at metrics.Stamp) {
		bytesOf += size
		asm.Push(sse.Line{Data: line, Bytes: int32(size), Read: int32(read), At: at, User: at, Kernel: true},
			func(ev sse.Event) { r.Event(ev, nil, nil) })
	}
	end := pieces[len(pieces)-1].at
	var frames ws.Reader
	overSocket := pieces[0].data[0]&0x80 != 0 // no text begins so
	for i, p := range pieces {
		arrived := bytes.Clone(p.data)
		if overSocket {
			bytesOf += len(arrived)
			testkit.OK(t, frames.Feed(arrived, messages(func(text []byte) { push(text, 0, i, p.at) })))
			arrived = nil
		}
		for rest := arrived; ; {
			line, size, next, ok := cutter.Next(rest)
			if !ok {
				break
			}
			push(line, size, i, p.at)
			rest = next
		}
		for k := range arrived { // nothing may live on in a piece that is gone
			arrived[k] = 'X'
		}
	}
	if line, size, ok := cutter.Rest(); ok {
		push(line, size, len(pieces)-1, end)
	} else {
		bytesOf += size
	}
	asm.Flush(func(ev sse.Event) { r.Event(ev, nil, nil) })
	testkit.Need(t, r.End(true), nil)
	v = r.View()
	v.State, v.Marks.FirstByte, v.Marks.End, v.Now = metrics.Done, pieces[0].at, end, end
	return v, bytesOf
}

// play measures a response that arrives in pieces.
func play(t *testing.T, pieces []piece, form sse.Form) (f figuresOf) {
	v, n := record(t, pieces, form)
	f.Bytes = n
	m := metrics.Measure(&v, metrics.Options{})
	f.TTFT, f.TTFC, f.Last, f.TPOT = known(m.TTFT), known(m.TTFC), known(m.Total), known(m.TPOT)
	f.Tokens, f.Thought, f.Prompt, f.Cached =
		known(m.Tokens), known(m.ReasonTokens), known(m.PromptTokens), known(m.CachedTokens)
	for i := range v.Chunks {
		c := &v.Chunks[i]
		switch at := float64(c.At) / 1e6; {
		case c.Kind == metrics.Reasoning && f.Thinking == nil:
			f.Thinking = &at
		case c.Kind == metrics.ToolCall && f.Tool == nil:
			f.Tool = &at
		}
		if gap, ok := v.Gap(i); ok {
			f.Gaps = append(f.Gaps, gap)
		}
	}
	return f
}

// known returns a figure as expected.json has it.
func known(v metrics.Value) *float64 {
	if !v.OK {
		return nil
	}
	rounded := math.Round(v.V*1e4) / 1e4
	return &rounded
}
