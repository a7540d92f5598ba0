package metrics

import (
	"unicode"
	"unicode/utf8"
)

// How tokens are estimated without a count.
//
// Before they look for tokens, the vocabularies in use divide a text into parts: at
// blanks, and before punctuation. A part is one token at least. Servers do not split
// tokens, so what a chunk holds of a part is one at least, too:
//
//	tokens ≈ parts + chunks that begin within a part + chunks of blanks, or without a text
//
// That is exact where each chunk is one token. Where a chunk has several it is too low,
// as rare words are several tokens: by 1 % in plain English, 12 % in German, 17 % in code
// (TestEstimateOfRealTokens), and by half in languages that a vocabulary hardly has. So
// it is always labeled.
//
// Some gateways cut the text by its length, and not between tokens: all chunks are as
// long as the first, of one character or while parts begin within them, or have fewer
// than two letters on average. Then it is the parts alone.
const (
	// tokensPerHan: an ideograph is 0.6 to 1.5 tokens, depending on the vocabulary.
	tokensPerHan = 0.75
	// charsPerToken are the most of a tool call, whose arguments may be no words.
	charsPerToken = 4.0
	// tokensPerSEA is a guess, see charsPerWordSEA.
	tokensPerSEA = 1 / (charsPerWordSEA * WordsPerToken)
	// Of evenChunks or more one may have another length, at the end of the reasoning.
	evenChunks, evenMost = 8, 1
	// minCharsPerChunk characters of ASCII a chunk on average are whole tokens.
	minCharsPerChunk = 2
)

// partCounter counts the parts of a text that arrives in chunks. The zero value is ready.
type partCounter struct {
	parts    int     // of scripts with blanks
	han, sea int     // characters of scripts without
	within   float64 // tokens of chunks that begin no part
	last     class   // of the last character

	chunks, several int // several: with two parts or more
	chars, wide     int // wide: others than ASCII
	length, newest  int // characters of the first and of the last chunk
	odd             int // chunks that are not as long as the first, without the last
}

// class is what a character is to a vocabulary.
type class uint8

const (
	classBlank class = iota
	classLetter
	classMark
	classUnspaced
)

// add counts the text of the next chunk.
func (p *partCounter) add(text []byte) {
	if p.chunks++; p.chunks > 1 && p.newest != p.length {
		p.odd++
	}
	before, chars, own := p.begun(), p.chars, 0.0
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
			p.wide++
		}
		p.chars++
		if begins := p.character(r); i == 0 && !begins && p.last != classBlank {
			own = 1
		}
		i += size
	}
	p.newest = p.chars - chars
	if p.chunks == 1 {
		p.length = p.newest
	}
	p.within += own
	own += p.begun() - before
	p.within += max(1-own, 0)
	if own >= 2 {
		p.several++
	}
}

// character counts r and reports whether it begins a part.
func (p *partCounter) character(r rune) (begins bool) {
	was := p.last
	switch p.last = classOf(r); {
	case p.last == classBlank:
		return false
	case p.last == classUnspaced:
		if scriptOf(r) == scriptSEA {
			p.sea++
		} else {
			p.han++
		}
		return true
	case was == classLetter && (r == '\'' || r == '’'): // don't
		p.last = classLetter
		return false
	case was == p.last, was == classMark: // a mark leads the word after it
		return false
	}
	p.parts++
	return true
}

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		switch b := byte(r); {
		case b == ' ' || b >= '\t' && b <= '\r':
			return classBlank
		case b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9':
			return classLetter
		}
		return classMark
	}
	switch {
	case unicode.IsSpace(r):
		return classBlank
	case unicode.IsPunct(r) || unicode.IsSymbol(r):
		return classMark
	case scriptOf(r) != scriptSpaced:
		return classUnspaced
	}
	return classLetter
}

// begun returns the parts, in tokens.
func (p *partCounter) begun() float64 {
	return float64(p.parts) + float64(p.han)*tokensPerHan + float64(p.sea)*tokensPerSEA
}

// tokens returns the estimate by the rules above.
func (p *partCounter) tokens() float64 {
	even := p.chunks >= evenChunks && p.odd <= evenMost && (p.several > 0 || p.length == 1)
	letters := 2*p.wide < p.chars && p.chars < minCharsPerChunk*p.chunks
	if even || letters {
		return p.begun()
	}
	return p.begun() + p.within
}
