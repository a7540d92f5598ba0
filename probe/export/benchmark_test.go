package export

import "testing"

// BenchmarkAdd adds a request of 200 chunks, which happens at its end, on the
// goroutine that ends streams.
func BenchmarkAdd(b *testing.B) {
	a := answer{id: 1, endpoint: "groq", model: "m", preset: "chat", prompt: 30, output: 200}
	for i := range 200 {
		a.chunks = append(a.chunks, 200+7*float64(i))
	}
	r := played(a)
	e, _ := filled(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		e.Add(&r.s, &r.f)
	}
}

// BenchmarkPage writes the page of one series.
func BenchmarkPage(b *testing.B) {
	r := played(answer{id: 1, endpoint: "groq", model: "m", preset: "chat", chunks: []float64{200, 207, 214}, prompt: 30, output: 3})
	e, _ := filled(b, []request{r})
	b.ReportAllocs()
	for b.Loop() {
		pageOf(e.sums(), "v1", true)
	}
}
