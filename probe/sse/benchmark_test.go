package sse

import (
	"bytes"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

var event = []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m","choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}],"system_fingerprint":"` + strings.Repeat("x", 90) + `"}` + "\n\n")

// BenchmarkCutter is what an event costs on the path of a stamp.
func BenchmarkCutter(b *testing.B) {
	b.ReportAllocs()
	body := bytes.Repeat(event, 10)
	var c Cutter
	for b.Loop() {
		p := body
		for {
			_, _, rest, ok := c.Next(p)
			if !ok {
				break
			}
			p = rest
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/event")
}

// BenchmarkAssembler is what an event costs the consumer before decoding.
func BenchmarkAssembler(b *testing.B) {
	b.ReportAllocs()
	lines := cutAll([]string{string(event)})
	var a Assembler
	n := 0
	emit := func(e Event) { n += len(e.Data) }
	for b.Loop() {
		for _, l := range lines {
			a.Push(l, emit)
		}
	}
}

// TestNoAllocations checks the allocations that the benchmarks report.
func TestNoAllocations(t *testing.T) {
	lines := cutAll([]string{string(event)})
	var a Assembler
	var c Cutter
	emit := func(Event) {}
	once := func() {
		for _, cut := range [][]byte{event[:100], event[100:]} {
			for {
				_, _, rest, ok := c.Next(cut)
				if !ok {
					break
				}
				cut = rest
			}
		}
		for _, l := range lines {
			a.Push(l, emit)
		}
	}
	once()
	testkit.Allocates(t, 0, 100, once, "an event")
}
