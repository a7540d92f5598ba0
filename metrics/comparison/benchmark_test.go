package comparison

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkOf compares samples of so many requests with five figures each.
func BenchmarkOf(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{50, 1000, 50_000} {
		x, y := drawn(random, n, 1, 0.2), drawn(random, n, 1.1, 0.2)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Of(x, y)
			}
		})
	}
}
