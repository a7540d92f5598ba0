package draw

// Memo keeps what was made of the last key, so that a frame does not make it again.
// The zero Memo is empty. It belongs to one goroutine.
type Memo[K comparable, V any] struct {
	key  K
	made V
	full bool
}

// Of returns make(key), from memory where key is the last one.
func (m *Memo[K, V]) Of(key K, make func(K) V) V {
	if !m.full || m.key != key {
		m.key, m.made, m.full = key, make(key), true
	}
	return m.made
}
