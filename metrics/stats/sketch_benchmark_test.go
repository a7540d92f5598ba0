package stats

import "testing"

// BenchmarkSketch adds a time, as every chunk of a load does.
func BenchmarkSketch(b *testing.B) {
	var s Sketch
	v := 7.0
	for b.Loop() {
		s.Add(v, 1)
		if v *= 1.01; v > 1000 {
			v = 7
		}
	}
}
