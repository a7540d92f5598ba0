package history

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"tokscope/metrics"
	"tokscope/probe/files"
)

const (
	saltName  = "salt"
	saltBytes = 32
)

// readSalt returns the key, which the first call makes. Where it cannot be kept,
// it holds for this run of the program alone.
func (s *Store) readSalt() []byte {
	if key := s.keptSalt(); key != nil {
		return key
	}
	key := make([]byte, saltBytes)
	_, _ = rand.Read(key) // never fails
	unlock, err := s.lock(lockWithin)
	if err != nil {
		return key
	}
	defer unlock()
	if other := s.keptSalt(); other != nil { // of another process, meanwhile
		return other
	}
	_ = s.replace(saltName, key, true)
	return key
}

// keptSalt returns the key in the folder, nil without one.
func (s *Store) keptSalt() []byte {
	if data, err := files.Read(s.path(saltName), saltBytes); err == nil && len(data) == saltBytes {
		return data
	}
	return nil
}

// digest returns 64 bits of what a custom w sends, in hexadecimal; "" for a preset, which
// needs no key. That is random and stays on this machine in a file of the store: a digest
// alone does not let anybody try prompts, as a plain hash would for short ones.
func digest(key func() []byte, w *metrics.Workload) string {
	if !custom(w) {
		return ""
	}
	h := hmac.New(sha256.New, key())
	texts := []string{w.System, w.Prompt}
	if w.Messages != "" {
		texts = append(texts, string(w.Messages), string(w.Tools))
	}
	writeTexts(h, texts...)
	if w.Temperature != nil {
		h.Write(binary.LittleEndian.AppendUint64([]byte("temperature"), math.Float64bits(*w.Temperature)))
	}
	if w.Seed != nil {
		h.Write(binary.LittleEndian.AppendUint64([]byte("seed"), uint64(*w.Seed)))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
