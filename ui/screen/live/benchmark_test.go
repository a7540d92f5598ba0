package live

import (
	"fmt"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// long is a running stream of over 5000 chunks, with the text of a long
// answer.
func long() *View {
	return layOut("reused", "prefill 90ms", "2500 x 4ms", "stall 2s", "2498 x 4ms", "60000 x 4ms", "done").view(22 * time.Second)
}

// BenchmarkFrame200x50AllChanged is a frame in the middle of a stream of 5000
// chunks: a new chunk, every tint a step further, every row of the terminal
// painted. The budget is 1 ms and 200 allocations.
func BenchmarkFrame200x50AllChanged(b *testing.B) {
	benchmarkFrame(b, 200, 50, true)
}

// BenchmarkFrame200x50Moving draws the usual frame: unchanged rows are not
// painted again.
func BenchmarkFrame200x50Moving(b *testing.B) {
	benchmarkFrame(b, 200, 50, false)
}

func benchmarkFrame(b *testing.B, w, h int, all bool) {
	v := long()
	s := newPicture()
	g := draw.New(w, h)
	pal := [2]*themes.Palette{themes.Compile(themes.Default(true), themes.TrueColor), themes.Compile(themes.Default(true), themes.TrueColor)}
	var to draw.Patch
	var out []byte
	chunks, text := v.Stream.Chunks, v.Stream.Text
	n := len(chunks) - 2000
	size := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		at := n + i%2000
		v.Stream.Chunks = chunks[:at]
		v.Stream.Text = text[:chunks[at-1].TextEnd]
		v.Now = chunks[at-1].At + 1e6
		s.Draw(g, g.Bounds(), v)
		p := pal[0]
		if all {
			p = pal[i%2] // another palette makes the patch start over
		}
		out = to.Append(out[:0], g, p)
		size += len(out)
	}
	if size == 0 {
		b.Fatal("nothing painted")
	}
}

// BenchmarkFrame200x50Unchanged draws an unchanged view again; the root does
// not even do that.
func BenchmarkFrame200x50Unchanged(b *testing.B) {
	v := long()
	s := newPicture()
	g := draw.New(200, 50)
	pal := themes.Compile(themes.Default(true), themes.TrueColor)
	var to draw.Patch
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		s.Draw(g, g.Bounds(), v)
		out = to.Append(out[:0], g, pal)
	}
}

// BenchmarkAppend is the cost of a chunk by the length of the text before it.
// It must not grow with that length.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1000, 60000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			v := layOut("reused", "prefill 90ms", fmt.Sprint(n+5000, " x 4ms"), "done").view(time.Hour)
			st := v.Stream
			chunks, text := st.Chunks, st.Text
			s, at := newPicture(), len(chunks)
			for b.Loop() {
				if at++; at > len(chunks) {
					b.StopTimer()
					s, at = newPicture(), n
					st.Chunks, st.Text = chunks[:at], text[:chunks[at-1].TextEnd]
					s.prepare(&View{Stream: st, Now: chunks[at-1].At}, 70)
					b.StartTimer()
				}
				st.Chunks, st.Text = chunks[:at], text[:chunks[at-1].TextEnd]
				s.prepare(&View{Stream: st, Now: chunks[at-1].At}, 70)
			}
		})
	}
}

// TestFrameAllocations checks the budget of a frame in which everything
// changes: at most 200 allocations for drawing and painting.
func TestFrameAllocations(t *testing.T) {
	v := long()
	s := newPicture()
	g := draw.New(200, 50)
	pal := [2]*themes.Palette{themes.Compile(themes.Default(true), themes.TrueColor), themes.Compile(themes.Default(true), themes.TrueColor)}
	chunks, text := v.Stream.Chunks, v.Stream.Text
	var to draw.Patch
	var out []byte
	at := len(chunks) - 500
	testkit.Allocates(t, 200, 200, func() {
		at++
		v.Stream.Chunks, v.Stream.Text, v.Now = chunks[:at], text[:chunks[at-1].TextEnd], chunks[at-1].At+1e6
		s.Draw(g, g.Bounds(), v)
		out = to.Append(out[:0], g, pal[at%2])
	}, "a frame")
}
