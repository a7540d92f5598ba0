package sim

import (
	"hash/fnv"
	"strconv"

	"tokscope/probe/sim/text"
)

// eachToken calls f for the tokens of a chunk's text. A chunk of count tokens
// whose text was cut by a stop sequence has fewer pieces.
func eachToken(s string, count int, f func(i int, tok string)) {
	for i := 0; i < count && s != ""; i++ {
		t := text.Next(s)
		if i == count-1 {
			t = s
		}
		f(i, t)
		s = s[len(t):]
	}
}

func tokenID(token string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(token))
	return int64(h.Sum32() % 128000)
}

// tokenIDs appends an array of plausible ids, the same for the same token.
func tokenIDs(b []byte, s string, count int) []byte {
	b = append(b, '[')
	eachToken(s, count, func(i int, tok string) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, tokenID(tok), 10)
	})
	return append(b, ']')
}

// logprobs appends the logprobs of count tokens, in the shape of the route, or
// null when nobody asked. The numbers are plausible and mean nothing.
func (j *job) logprobs(b []byte, str string, count int) []byte {
	if !j.req.logs {
		return append(b, "null"...)
	}
	prob := func(tok string) float64 { return -float64(tokenID(tok)%1700) / 1000 }
	if !j.req.chat {
		names, probs := []byte(nil), []byte(nil)
		eachToken(str, count, func(i int, tok string) {
			if i > 0 {
				names, probs = append(names, ','), append(probs, ',')
			}
			names = appendJSON(names, tok)
			probs = strconv.AppendFloat(probs, prob(tok), 'f', 3, 64)
		})
		b = append(append(b, `{"tokens":[`...), names...)
		b = append(append(b, `],"token_logprobs":[`...), probs...)
		return append(b, `],"top_logprobs":null,"text_offset":[]}`...)
	}
	b = append(b, `{"content":[`...)
	eachToken(str, count, func(i int, tok string) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(append(b, `{"token":`...), tok)
		b = strconv.AppendFloat(append(b, `,"logprob":`...), prob(tok), 'f', 3, 64)
		b = append(b, `,"bytes":null,"top_logprobs":[]}`...)
	})
	return append(b, `]}`...)
}
