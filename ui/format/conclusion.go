package format

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics/verdict"
)

// ShortConclusion is the width of ConclusionShort, in columns: a terminal of
// 80 with a blank at both ends.
const ShortConclusion = 78

// clause is one finding in words, without the period at its end.
type clause struct {
	code        verdict.Code
	long, short string
}

// Conclusion writes findings as sentences, in their order: "First token after
// 276 ms, 262 ms of it prefill. Then 113 tok/s, 21× reading." It is "" without
// findings.
func Conclusion(found []verdict.Finding) string {
	all := clauses(found)
	forms := make([]form, len(all))
	for i := range forms {
		forms[i] = formLong
	}
	return said(all, forms)
}

// ConclusionShort is ConclusionFit of ShortConclusion columns.
func ConclusionShort(found []verdict.Finding) string { return ConclusionFit(found, ShortConclusion) }

// ConclusionFit writes as much of findings as fits into w columns: all clauses
// that fit in their short form, then the first of them in the long form. It
// never cuts a clause.
func ConclusionFit(found []verdict.Finding, w int) string {
	all := clauses(found)
	forms := make([]form, len(all))
	text := ""
	for _, larger := range []form{formShort, formLong} {
		for i := range forms {
			was := forms[i]
			if larger == formLong && was == formNone {
				continue
			}
			forms[i] = larger
			if next := said(all, forms); ansi.StringWidth(next) <= w {
				text = next
			} else {
				forms[i] = was
			}
		}
	}
	return text
}

// form is how a clause is said.
type form uint8

const (
	formNone form = iota
	formShort
	formLong
)

// said joins clauses to sentences. The speed continues the sentence of the
// first token when both are short.
func said(all []clause, forms []form) string {
	var b strings.Builder
	last, before := verdict.Code(""), formNone
	for i := range all {
		c := &all[i]
		text := c.long
		switch forms[i] {
		case formNone:
			continue
		case formShort:
			text = c.short
		}
		switch follows := last == verdict.FirstToken && c.code == verdict.Speed; {
		case b.Len() == 0:
			b.WriteString(capital(text))
		case follows && before == formShort && forms[i] == formShort:
			b.WriteString(", " + text)
		case follows:
			b.WriteString(". Then " + text)
		default:
			b.WriteString(". " + capital(text))
		}
		last, before = c.code, forms[i]
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	return b.String()
}

// clauses writes each finding. Findings with the same words are said once.
func clauses(found []verdict.Finding) []clause {
	out := make([]clause, 0, len(found))
	paused := false
next:
	for i := range found {
		f := &found[i]
		paused = paused || f.Code == verdict.Silent
		c := clause{code: f.Code}
		switch write := conclusions[f.Code]; {
		case f.Suspect != nil:
			c.long, c.short = doubtWords(f.Suspect)
		case write != nil:
			c.long, c.short = write(f)
		}
		if c.long == "" {
			continue
		}
		for j := range out {
			if out[j].long == c.long || out[j].short == c.short {
				continue next
			}
		}
		if paused && f.Code == verdict.Speed {
			c.code, c.long, c.short = "", "before the pause "+c.long, c.short+" before it"
		}
		out = append(out, c)
	}
	return out
}
