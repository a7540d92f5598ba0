package sim

import (
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
)

// Bounds of a vocabulary.
const (
	vocabularySize = 128000 // ids are below it
	maxLearned     = 64000  // tokens known at once
)

// vocabulary gives tokens their ids and finds the tokens of ids. It learns a
// token when it is first asked for, because the tokenizer has rules and no
// list. A token's id is its hash, or the next free id. When it is full, it
// forgets the tokens that it learned first. It is safe for concurrent use.
type vocabulary struct {
	mu     sync.Mutex
	ids    map[string]int32
	tokens map[int32]string
	order  []string // oldest first, from oldest on
	oldest int
}

func newVocabulary() *vocabulary {
	return &vocabulary{ids: map[string]int32{}, tokens: map[int32]string{}}
}

// id returns the id of a token.
func (v *vocabulary) id(token string) int32 {
	v.mu.Lock()
	defer v.mu.Unlock()
	if id, ok := v.ids[token]; ok {
		return id
	}
	token = strings.Clone(token) // it may be a piece of a long prompt
	if len(v.order) < maxLearned {
		v.order = append(v.order, token)
	} else {
		old := v.order[v.oldest]
		delete(v.tokens, v.ids[old])
		delete(v.ids, old)
		v.order[v.oldest] = token
		v.oldest = (v.oldest + 1) % maxLearned
	}
	id := int32(hashOf(token) % vocabularySize)
	for v.tokens[id] != "" {
		id = (id + 1) % vocabularySize
	}
	v.ids[token], v.tokens[id] = id, token
	return id
}

// token returns the token of an id. ok is false if nothing with this id was
// learned, or it was forgotten.
func (v *vocabulary) token(id int32) (string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	t, ok := v.tokens[id]
	return t, ok
}

// blocks returns the text of the known ids and the hashes of all whole
// blocks. They are those of the same text if every id is known.
func (v *vocabulary) blocks(ids []int32) (string, []uint64) {
	var known strings.Builder
	h := newBlockHash()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, id := range ids {
		t, ok := v.tokens[id]
		if ok {
			known.WriteString(t)
		} else {
			t = "\xfe" + strconv.Itoa(int(id)) // no token begins with this byte
		}
		h.add(t)
	}
	return known.String(), h.hashes
}

// hashOf returns a hash of a token. It decides everything about a token that
// looks random.
func hashOf(token string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(token))
	return h.Sum32()
}
