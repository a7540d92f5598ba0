package format

// Memo keeps the text of the last value, so that a frame does not write it
// again. The zero Memo is empty. It belongs to one goroutine.
type Memo[T comparable] struct {
	of      T
	written string
	full    bool
}

// Text returns write(v), from memory where v is the last value.
func (m *Memo[T]) Text(v T, write func(T) string) string {
	if !m.full || m.of != v {
		m.of, m.written, m.full = v, write(v), true
	}
	return m.written
}
