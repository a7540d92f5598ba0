package draw

import (
	"strconv"
	"testing"
)

func TestMemoWritesAValueOnce(t *testing.T) {
	var m Memo[int, string]
	n := 0
	write := func(v int) string { n++; return strconv.Itoa(v) }
	for _, c := range []struct {
		v, n int
		want string
	}{{0, 1, "0"}, {0, 1, "0"}, {7, 2, "7"}, {7, 2, "7"}, {0, 3, "0"}} {
		if got := m.Of(c.v, write); got != c.want || n != c.n {
			t.Errorf("%q written %d times, want %q and %d", got, n, c.want, c.n)
		}
	}
}
