package say

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics/verdict"
	"tokscope/ui/format"
)

// Clause is a part of a sentence, with the sign and the blank before it.
type Clause struct {
	Text  string
	Brief string       // what stands for Text where that is too long, "" for Text itself
	Rank  int          // 0 always stays; where room is short those of the largest go first
	code  verdict.Code // of the finding that begins with it, "" for none
}

// Sentence is a text as its clauses, in their order. Where room is short, Fit and
// FitRows write every clause in brief, drop those of the largest rank until the rest
// fits, and then write in full what still fits, from the first clause on.
type Sentence []Clause

// String is the whole sentence.
func (s Sentence) String() string {
	var b strings.Builder
	for i := range s {
		b.WriteString(s[i].Text)
	}
	return b.String()
}

// Core is the sentence of the clauses that always stay, in brief.
func (s Sentence) Core() string { return s.that(func(string) bool { return false }).String() }

// Fit is the sentence in at most w columns. It ends in "…" where the clauses that
// always stay are wider.
func (s Sentence) Fit(w int) string { return ansi.Truncate(s.within(w).String(), w, "…") }

// within is the part of the sentence that fits into w columns.
func (s Sentence) within(w int) Sentence {
	return s.that(func(text string) bool { return ansi.StringWidth(text) <= w })
}

// FitRows is the sentence in at most so many rows of w columns, as Wrap breaks it.
// The clauses that always stay may take more.
func (s Sentence) FitRows(w, rows int) string {
	if rows == 1 { // without breaking it
		return s.within(w).String()
	}
	return s.that(func(text string) bool { return len(format.Wrap(text, w)) <= rows }).String()
}

// that is the part of the sentence that fits: a dropped clause has no text.
func (s Sentence) that(fits func(string) bool) Sentence {
	if fits(s.String()) {
		return s
	}
	out := slices.Clone(s)
	for i := range out {
		out[i].Text = cmp.Or(out[i].Brief, out[i].Text)
	}
	for !fits(out.String()) {
		last := 0
		for _, c := range out {
			if c.Text != "" {
				last = max(last, c.Rank)
			}
		}
		if last == 0 {
			return out
		}
		for i := range out {
			if out[i].Rank == last {
				out[i].Text = ""
			}
		}
	}
	for i := range out {
		if brief := out[i].Text; brief != "" {
			if out[i].Text = s[i].Text; !fits(out.String()) {
				out[i].Text = brief
			}
		}
	}
	return out
}

// then is the sentence with another behind it, sep between them.
func (s Sentence) then(sep string, next Sentence) Sentence {
	at := len(s)
	s = append(s, next...)
	if at < len(s) {
		s[at].Text = sep + s[at].Text
		if s[at].Brief != "" {
			s[at].Brief = sep + s[at].Brief
		}
	}
	return s
}

// further is the sentence with another behind it, which goes first where room is
// short; "" is none.
func (s Sentence) further(text string) Sentence {
	switch {
	case text == "":
		return s
	case len(s) == 0:
		return Sentence{{Text: text}}
	}
	return append(s, Clause{Text: " " + text, Rank: detail + len(s)})
}

// listed is a sentence of a list, of which the last parts go first.
func listed(head string, parts []string, end string) Sentence {
	s := Sentence{{Text: head}}
	for i, part := range parts {
		if i > 0 {
			part = ", " + part
		}
		s = append(s, Clause{Text: part, Rank: i})
	}
	return append(s, Clause{Text: end})
}

// after is the sentence with ranks larger by n: it goes before what it stands behind.
func (s Sentence) after(n int) Sentence {
	out := slices.Clone(s)
	for i := range out {
		out[i].Rank += n
	}
	return out
}

// capital begins a sentence. The program's name stays as it is.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	word, _, _ := strings.Cut(s, " ")
	if strings.HasPrefix(s, "tokscope") || strings.Contains(word, "_") || !unicode.IsLower(r) { // a name
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
