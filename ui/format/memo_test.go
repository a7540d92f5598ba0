package format

import "testing"

func TestMemoWritesAValueOnce(t *testing.T) {
	var m Memo[int]
	n := 0
	write := func(v int) string { n++; return Count(v) }
	for _, c := range []struct {
		v, n int
		want string
	}{{0, 1, "0"}, {0, 1, "0"}, {7, 2, "7"}, {7, 2, "7"}, {0, 3, "0"}} {
		if got := m.Text(c.v, write); got != c.want || n != c.n {
			t.Errorf("%q written %d times, want %q and %d", got, n, c.want, c.n)
		}
	}
}
