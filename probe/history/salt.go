package history

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/files"
)

// salter makes digests of prompts. The key is random and stays on this machine in
// a file of the store: a digest alone does not let anybody try prompts, as a plain
// hash would for short ones.
//
// It reads the key when it first needs it. It is not safe for concurrent use.
type salter struct {
	key  func() []byte
	last metrics.Workload // that of is the digest of
	of   string
}

const (
	saltName  = "salt"
	saltBytes = 32
)

func newSalter(s *Store) *salter {
	return &salter{key: sync.OnceValue(func() []byte { return s.readSalt() })}
}

// readSalt returns the key, which the first call makes. Where it cannot be kept,
// it holds for this run of the program alone.
func (d *directory) readSalt() []byte {
	read := func() []byte {
		if data, err := files.Read(d.path(saltName), saltBytes); err == nil && len(data) == saltBytes {
			return data
		}
		return nil
	}
	if key := read(); key != nil {
		return key
	}
	key := make([]byte, saltBytes)
	_, _ = rand.Read(key) // never fails
	unlock, err := d.lock(lockWithin)
	if err != nil {
		return key
	}
	defer unlock()
	if other := read(); other != nil { // of another process, meanwhile
		return other
	}
	_ = d.replace(saltName, key, true)
	return key
}

// digest returns 64 bits of what a custom w sends, in hexadecimal; "" for a preset.
func (k *salter) digest(w *metrics.Workload) string {
	if !custom(w) {
		return ""
	}
	if same(w, &k.last) && k.of != "" { // as most of the time
		return k.of
	}
	h := hmac.New(sha256.New, k.key())
	texts := []string{w.System, w.Prompt}
	if w.Messages != "" {
		texts = append(texts, string(w.Messages), string(w.Tools))
	}
	for _, text := range texts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	if w.Temperature != nil {
		h.Write(binary.LittleEndian.AppendUint64([]byte("temperature"), math.Float64bits(*w.Temperature)))
	}
	if w.Seed != nil {
		h.Write(binary.LittleEndian.AppendUint64([]byte("seed"), uint64(*w.Seed)))
	}
	k.last, k.of = *w, hex.EncodeToString(h.Sum(nil)[:8])
	return k.of
}

// same reports whether two workloads have the same digest.
func same(a, b *metrics.Workload) bool {
	return a.System == b.System && a.Prompt == b.Prompt && a.Messages == b.Messages && a.Tools == b.Tools &&
		equal(a.Temperature, b.Temperature) && equal(a.Seed, b.Seed)
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
