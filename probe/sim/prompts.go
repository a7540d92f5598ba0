package sim

import (
	"strconv"

	"tokscope/probe/sim/physics"
	"tokscope/probe/sim/rawjson"
	"tokscope/probe/sim/text"
)

// Bounds of the prompts of one request.
const (
	maxPlans = 256     // prompts times n
	maxIDs   = 1 << 18 // token ids kept of one prompt, more than the longest context
)

// prompt is one prompt of the completions route: a text or token ids.
type prompt struct {
	text string
	ids  []int32 // at most maxIDs
	all  int     // number of ids, those that are not kept included
}

// parsePrompts reads a string, token ids, or a list of either.
func (r *request) parsePrompts(f *fields) {
	v := f.raw("prompt")
	var first rawjson.Kind
	rawjson.Items(v, func(_ int, x []byte) bool { first = rawjson.KindOf(x); return false })
	switch kind := rawjson.KindOf(v); {
	case kind == rawjson.None:
		f.fail("prompt", "prompt is missing")
	case kind == rawjson.String, first == rawjson.Number:
		r.addPrompt(f, "prompt", v)
	case first == rawjson.String, first == rawjson.Array:
		if n := rawjson.Count(v); n > maxPlans {
			f.fail("prompt", "prompt holds %d prompts, at most %d are taken", n, maxPlans)
			return
		}
		rawjson.Items(v, func(i int, x []byte) bool {
			r.addPrompt(f, "prompt["+strconv.Itoa(i)+"]", x)
			return f.err == nil
		})
	default:
		f.wrongPrompt("prompt", v)
	}
}

func (f *fields) wrongPrompt(name string, v []byte) {
	f.fail(name, "%s must be a string or token ids, or a list of either, got %s", name, rawjson.KindOf(v))
}

// addPrompt reads one prompt.
func (r *request) addPrompt(f *fields, name string, v []byte) {
	var p prompt
	switch rawjson.KindOf(v) {
	case rawjson.String:
		p.text = rawjson.Text(v)
	case rawjson.Array:
		if p = f.ids(name, v); p.all == 0 && f.err == nil {
			f.wrongPrompt(name, v)
		}
	default:
		f.wrongPrompt(name, v)
	}
	r.prompts = append(r.prompts, p)
}

// ids reads an array of token ids.
func (f *fields) ids(name string, v []byte) (p prompt) {
	rawjson.Items(v, func(i int, x []byte) bool {
		id, err := strconv.ParseInt(string(x), 10, 32)
		if err != nil || id < 0 {
			f.fail(name, "%s[%d] must be a token id, 0 to 2147483647, got %s", name, i, idInWords(x))
			return false
		}
		if p.all++; p.all <= maxIDs {
			p.ids = append(p.ids, int32(id))
		}
		return true
	})
	return p
}

func idInWords(v []byte) string {
	if kind := rawjson.KindOf(v); kind != rawjson.Number {
		return kind.String()
	}
	return clip(string(v))
}

// counted is a prompt as the engine sees it.
type counted struct {
	last   string   // the text to answer
	tokens int      // at least 1
	hashes []uint64 // of its whole blocks
}

// count returns the request's prompts as the engine sees them.
func (r *request) count(v *vocabulary) []counted {
	if r.chat {
		all, last := r.chatText(true)
		c := counted{last: last}
		c.tokens, c.hashes = blocks(all)
		return []counted{c}
	}
	list := make([]counted, len(r.prompts))
	for i := range r.prompts {
		p, c := &r.prompts[i], &list[i]
		if p.all == 0 {
			c.last = p.text
			c.tokens, c.hashes = blocks(p.text)
		} else {
			c.last, c.hashes = v.blocks(p.ids)
			c.tokens = p.all
		}
		c.tokens = max(c.tokens, 1)
	}
	return list
}

// blocks returns the number of tokens of a prompt and the hashes of its whole
// blocks. Each hash includes all blocks before it.
func blocks(prompt string) (int, []uint64) {
	h := newBlockHash()
	for t := range text.All(prompt) {
		h.add(t)
	}
	return h.tokens, h.hashes
}

// blockHash hashes the whole blocks of a prompt, token by token.
type blockHash struct {
	sum    uint64
	tokens int
	hashes []uint64
}

func newBlockHash() blockHash { return blockHash{sum: 14695981039346656037} }

func (h *blockHash) add(token string) {
	for i := range len(token) {
		h.sum = (h.sum ^ uint64(token[i])) * 1099511628211
	}
	h.sum = (h.sum ^ 0xff) * 1099511628211
	h.tokens++
	if h.tokens%physics.Block == 0 {
		h.hashes = append(h.hashes, h.sum)
	}
}
