package sim

import (
	"math"
	"strconv"
	"sync"
	"unicode/utf8"

	"tokscope/probe/sim/text"
)

// Bounds of the alternatives per token: OpenAI's.
const (
	maxTopChat        = 20
	maxTopCompletions = 5
)

// parseLogprobs reads logprobs, which is true or false for chat and a number
// of alternatives for completions.
func (r *request) parseLogprobs(f *fields) {
	if !r.chat {
		if n := f.integer("logprobs", 0, maxTopCompletions); n != nil {
			r.logs, r.topLogs = true, int(*n)
		}
		return
	}
	r.logs = f.boolean("logprobs")
	n := f.integer("top_logprobs", 0, maxTopChat)
	if n == nil {
		return
	}
	if r.topLogs = int(*n); r.topLogs > 0 && !r.logs {
		f.fail("top_logprobs", "top_logprobs needs logprobs to be true")
	}
}

// details reports whether an answer lists its tokens.
func (r *request) details() bool { return r.logs || r.returnTokenID }

// tokenLog is the place of a choice in its log of tokens.
type tokenLog struct {
	tokens int // logged so far
	runes  int // of their text
}

// likelihood is a made-up distribution of the next token. It has no meaning,
// but the form of a real one: probabilities fall with the rank, and their sum
// is at most 1.
type likelihood struct {
	hash  uint32
	first float64 // probability of rank 1
	rank  int     // of the chosen token, from 1
}

// likelihoodOf returns the distribution at a position of a choice. The same
// token at the same position always has the same one.
func likelihoodOf(token string, at int, greedy bool) likelihood {
	h := (hashOf(token) ^ uint32(at)*2654435761) * 2246822519
	l := likelihood{hash: h, first: .35 + .64*float64(h>>12&1023)/1024, rank: 1}
	if draw := h >> 22 % 100; !greedy && draw >= 88 {
		if l.rank = 2; draw >= 96 {
			l.rank = 3 + int(h>>4%6)
		}
	}
	return l
}

// logprob returns the natural logarithm of the probability of a rank.
func (l *likelihood) logprob(rank int) float64 {
	if rank == 1 {
		return math.Log(l.first)
	}
	const fall = .55
	return math.Log((1 - l.first) * (1 - fall) * math.Pow(fall, float64(rank-2)))
}

// top returns the tokens of the ranks 1 to n, all different.
func (l *likelihood) top(chosen string, n int) []string {
	pool := alternatives()
	list := make([]string, 0, n)
	at := int(l.hash >> 8)
	for rank := 1; rank <= n; rank++ {
		if rank == l.rank {
			list = append(list, chosen)
			continue
		}
		for pool[at%len(pool)] == chosen {
			at++
		}
		list = append(list, pool[at%len(pool)])
		at++
	}
	return list
}

// alternatives returns different tokens in the order of their first use in
// the English passages, more than any list of alternatives is long.
var alternatives = sync.OnceValue(func() (list []string) {
	seen := map[string]bool{}
	for _, p := range text.Passages("en") {
		for t := range text.All(p.Body) {
			if !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
	return list
})

// logprobs appends the log of tokens in the shape of the route, or null if
// the request did not ask for it.
func (j *job) logprobs(b []byte, log *tokenLog, tokens []string) []byte {
	switch {
	case !j.req.logs:
		return append(b, "null"...)
	case j.req.chat:
		b = append(b, `{"content":[`...)
		for i, tok := range tokens {
			l := j.likelihood(log, tok)
			b = chatLog(separate(b, i), tok, l.logprob(l.rank))
			b = append(b, `,"top_logprobs":[`...)
			for k, t := range l.top(tok, j.req.topLogs) {
				b = append(chatLog(separate(b, k), t, l.logprob(k+1)), '}')
			}
			b = append(b, "]}"...)
		}
		return append(b, "]}"...)
	}
	var names, probs, tops, offsets []byte
	for i, tok := range tokens {
		offsets = strconv.AppendInt(separate(offsets, i), int64(log.runes), 10)
		l := j.likelihood(log, tok)
		names = appendJSON(separate(names, i), tok)
		probs = appendLogprob(separate(probs, i), l.logprob(l.rank))
		tops = append(separate(tops, i), '{')
		for k, t := range l.top(tok, j.req.topLogs) {
			tops = appendJSON(separate(tops, k), t)
			tops = appendLogprob(append(tops, ':'), l.logprob(k+1))
		}
		if l.rank > j.req.topLogs { // the chosen token is always in it
			tops = appendJSON(separate(tops, j.req.topLogs), tok)
			tops = appendLogprob(append(tops, ':'), l.logprob(l.rank))
		}
		tops = append(tops, '}')
	}
	b = append(append(b, `{"text_offset":[`...), offsets...)
	b = append(append(b, `],"token_logprobs":[`...), probs...)
	b = append(append(b, `],"tokens":[`...), names...)
	b = append(append(b, `],"top_logprobs":[`...), tops...)
	return append(b, `]}`...)
}

// likelihood returns the distribution of the next token of a log.
func (j *job) likelihood(log *tokenLog, tok string) likelihood {
	l := likelihoodOf(tok, log.tokens, j.req.greedy)
	log.tokens++
	log.runes += utf8.RuneCountInString(tok)
	return l
}

// chatLog starts the object of a token, without its closing brace.
func chatLog(b []byte, tok string, logprob float64) []byte {
	b = appendJSON(append(b, `{"token":`...), tok)
	b = appendLogprob(append(b, `,"logprob":`...), logprob)
	b = append(b, `,"bytes":[`...)
	for i := range len(tok) {
		b = strconv.AppendUint(separate(b, i), uint64(tok[i]), 10)
	}
	return append(b, ']')
}

func appendLogprob(b []byte, x float64) []byte { return strconv.AppendFloat(b, x, 'f', 6, 64) }

// separate appends the comma before every item but the first.
func separate(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// tokenIDs appends the ids of tokens as an array.
func (j *job) tokenIDs(b []byte, tokens []string) []byte {
	b = append(b, '[')
	for i, tok := range tokens {
		b = strconv.AppendInt(separate(b, i), int64(j.words.id(tok)), 10)
	}
	return append(b, ']')
}
