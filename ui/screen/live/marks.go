package live

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/ui/say"
)

// marks are the chunks of a stream that a person looks for, in their order: those after a
// pause, the first of reasoning, answer or call behind another one, and the last one
// before a failure.
func (s *picture) marks(v *View) (chunks []int) {
	for i := range v.Figures.Stalls {
		chunks = append(chunks, v.Figures.Stalls[i].Chunk)
	}
	for i := 1; i < len(s.body.text.parts); i++ {
		chunks = append(chunks, s.body.text.parts[i].first)
	}
	if st := v.Stream.State; st == metrics.Failed || st == metrics.Truncated {
		chunks = append(chunks, len(v.Stream.Chunks)-1)
	}
	slices.Sort(chunks)
	return slices.DeleteFunc(slices.Compact(chunks), func(i int) bool { return i < 0 || i >= len(v.Stream.Chunks) })
}

// nextMark puts the cursor on the next mark of the run, or for by < 0 on the one before.
// Without a cursor it begins at the beginning, or at the end. In the list of runs it
// selects the next one that did not end well.
func (s *Screen) nextMark(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if s.listed() {
			if !s.pic.list.Find(by, func(r *request.Row) bool { return r.State != metrics.Done }) {
				return s.host.Say(say.NoFailure(by > 0))
			}
			return nil
		}
		marks, at := s.pic.marks(&s.view), s.pic.scope.cursor
		if by < 0 {
			slices.Reverse(marks)
			if at < 0 {
				at = len(s.view.Stream.Chunks)
			}
		}
		i := slices.IndexFunc(marks, func(chunk int) bool { return cmp.Compare(chunk, at) == by })
		if i < 0 {
			return s.host.Say(say.NoMark(by > 0))
		}
		s.pic.setCursor(marks[i])
		return nil
	}
}
