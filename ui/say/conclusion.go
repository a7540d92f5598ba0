package say

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
)

// ShortConclusion is the width of a conclusion on a terminal of 80 columns, with a
// blank at both ends.
const ShortConclusion = 78

// Conclusion writes findings as sentences, in their order: "First token after
// 276 ms, 262 ms of it prefill. Then 113 tok/s, 21× reading." It is "" without
// findings.
func Conclusion(found []verdict.Finding) string {
	s, _ := conclude(found)
	return s.String()
}

// ConclusionFit writes as much of findings as fits into w columns: first the details
// go, of the last finding first, then whole findings. said are the codes of those in
// it.
func ConclusionFit(found []verdict.Finding, w int) (text string, said []verdict.Code) {
	whole, codes := conclude(found)
	for i, c := range whole.within(w) {
		if codes[i] != "" && c.Text != "" {
			said = append(said, codes[i])
		}
	}
	return whole.Fit(w), said
}

// detail is the rank of a detail, more than those of whole findings: it goes before
// them. A clause of rank 1 goes right before its finding.
const detail = 1000

// conclude writes findings as clauses. A finding has its code at its first one; a
// lag has none, for what it does to the figures stands beside them.
func conclude(found []verdict.Finding) (s Sentence, codes []verdict.Code) {
	paused, last := false, verdict.Code("")
	for i := range found {
		f := &found[i]
		clauses := findingWords(f)
		if len(clauses) == 0 {
			continue
		}
		first := &clauses[0]
		switch paused = paused || f.Code == verdict.Silent; {
		case f.Code == verdict.Speed && paused:
			first.Text = begin(s, "before the pause "+first.Text)
		case f.Code == verdict.Speed && last == verdict.FirstToken:
			first.Text, first.Brief = ". Then "+first.Text, ", "+first.Text
		default:
			first.Text = begin(s, first.Text)
			if first.Brief != "" {
				first.Brief = begin(s, first.Brief)
			}
		}
		for j, c := range clauses {
			c.Rank += 2 * i
			s, codes = append(s, c), append(codes, "")
			if j == 0 && f.Code != verdict.Code(metrics.SuspectLate) {
				codes[len(codes)-1] = f.Code
			}
		}
		last = f.Code
	}
	if len(s) > 0 {
		s, codes = append(s, Clause{Text: "."}), append(codes, "")
	}
	return s, codes
}

// begin begins a sentence behind s.
func begin(s Sentence, text string) string {
	return format.Either(len(s) > 0, ". ", "") + capital(text)
}

// findingWords writes a finding, without a period at its end; nil for an unknown
// code.
func findingWords(f *verdict.Finding) Sentence {
	switch {
	case f.Suspect == nil:
	case f.Suspect.Code == metrics.SuspectLate:
		return Sentence{{Text: SuspicionBrief(f.Suspect)}}
	default:
		return suspicion(f.Suspect)
	}
	if write := conclusions[f.Code]; write != nil {
		return write(f)
	}
	return nil
}

// details is a clause that goes first where room is short.
func details(text string) Clause { return Clause{Text: text, Rank: detail} }
