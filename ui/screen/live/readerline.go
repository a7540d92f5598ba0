package live

import (
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// readerLine is the last row of the text panel: where a human reader is by
// now. A long silence of the stream takes its place.
func (s *textPanel) readerLine(p *canvas, r draw.Rect) {
	l := p.Row(r, 0)
	st := &p.v.Stream
	if ms, ok := p.silence(); ok {
		num, unit := p.clock(ms)
		l.Write(themes.Stall, "▲")
		l.Write(themes.Warn, p.Join(" nothing for ", num, " ", unit))
		if st := &p.v.Stream; len(st.Path.ConnectsSince(st.LastData)) > 0 {
			if !l.Whole(themes.Dim, p.connects("; a connect each second: ", st.Path)) {
				l.Whole(themes.Dim, p.connects("; connects: ", st.Path))
			}
		}
		if left, bound, ok := p.countdown(); ok && l.Whole(themes.Warn, p.Join("; ", left)) {
			l.Whole(themes.Dim, bound)
		}
		return
	}
	h := p.ghost
	if !h.Begun {
		if len(s.text.parts) > 0 && s.text.parts[0].kind == metrics.Reasoning {
			l.Cut(themes.Dim, "the reader starts with the answer")
		}
		return
	}
	narrow := l.Left() < 56
	if narrow {
		l.Write(themes.Dim, p.Join(p.Int(int(p.wpm())), " wpm "))
	} else {
		l.Write(themes.Dim, p.Join("a reader at ", p.Int(int(p.wpm())), " wpm "))
	}
	switch {
	case h.Done:
		l.Write(themes.Dim, "kept up to the end")
		return
	case h.Waiting:
		l.Write(themes.Warn, "waits")
	case narrow:
		l.Write(themes.Dim, "here")
	case st.State.Ended():
		l.Write(themes.Dim, "was here when it ended")
	default:
		l.Write(themes.Dim, "is here")
	}
	if h.to <= h.from {
		return
	}
	l.Skip(1)
	l.Write(themes.Ghost, "▸")
	l.Skip(1)
	ahead := ""
	if n := h.lead(); n > 0 {
		ahead = p.Join("  ", p.wide(p.Count(n), 3), draw.Either(n == 1, " word behind", " words behind"))
		if narrow {
			ahead = p.Join("  ", p.wide(p.Count(n), 3), " behind")
		}
	}
	room := l.Left() - draw.Width(ahead) - 2
	if room < 6 {
		ahead, room = "", l.Left()-2
	}
	l.Write(themes.Dim, "“")
	end := l.End
	l.End = l.X + max(min(room, 36), 0)
	l.Raw(themes.Ghost, s.around(p))
	l.End = end
	l.Write(themes.Dim, "”")
	if ahead != "" {
		l.To(l.End - draw.Width(ahead))
		l.Write(themes.Dim, ahead)
	}
}

// doubtWords writes a doubt about the figures.
func doubtWords(s metrics.Suspicion) string { return say.Suspicion(&s) }

// noteText is the weightiest of what the figures must be read with, "" without
// any, and how many more there are.
// plain reports that it is not a warning.
func (s *textPanel) noteText(p *canvas) (first, more string, plain bool) {
	st := &p.v.Stream
	if p.v.Message != "" && !p.messaged {
		return s.noted.of(text{p.v.Message, 200}, oneLine), "", !p.v.Warn
	}
	doubts := s.unsaid(p)
	n := len(st.Notes) + len(doubts)
	if s.text.hidden > 0 {
		n++
		first = "chunks of other choices are not shown"
	}
	if len(doubts) > 0 {
		first = s.doubt.Text(doubts[0], doubtWords)
	} else if len(st.Notes) > 0 {
		at := s.shownNote(st)
		first, plain = st.Notes[at].Text, st.Notes[at].Code == metrics.NoteModelAlias
	}
	if n > 1 {
		more = p.Join(" (", p.Count(n-1), " more)")
	}
	return s.noted.of(text{first, 200}, oneLine), more, plain
}

// unsaid are the doubts that the conclusion on the screen does not name.
func (s *textPanel) unsaid(p *canvas) []metrics.Suspicion {
	if slices.Equal(s.said, p.said) && slices.Equal(s.suspect, p.v.Figures.Suspect) {
		return s.doubts
	}
	s.said, s.suspect = p.said, append(s.suspect[:0], p.v.Figures.Suspect...)
	s.doubts = s.doubts[:0]
	for i := range p.v.Figures.Suspect {
		if d := &p.v.Figures.Suspect[i]; !slices.Contains(p.said, verdict.Code(d.Code)) {
			s.doubts = append(s.doubts, *d)
		}
	}
	return s.doubts
}

// noteRows is how many rows the note takes of a panel of that size; the place of
// one is always kept, so that the text does not jump when a note comes.
func (s *textPanel) noteRows(p *canvas, in draw.Rect) int {
	first, more, _ := s.noteText(p)
	if in.H >= roomForNotes && 2+draw.Width(first)+draw.Width(more) > in.W {
		return 2
	}
	return 1
}

// roomForNotes is the height of the text panel from which a note may take two
// rows.
const roomForNotes = 9

// note shows the note in r; the last row of it ends in an ellipsis where it is
// too long.
func (s *textPanel) note(p *canvas, r draw.Rect) {
	rest, more, plain := s.noteText(p)
	if rest == "" {
		return
	}
	if (p.v.Message == "" || p.messaged) && !noteFits(rest, r.W-2, r.H, draw.Width(more)) {
		rest, more = s.noteBrief(p, r.W-2)
	}
	role, sign := themes.Warn, "! "
	switch {
	case plain && p.v.Message != "" && !p.messaged:
		role, sign = themes.Strong, "▸ "
	case plain:
		role, sign = themes.Dim, "  "
	}
	for i := range r.H {
		l := p.Row(r, i)
		l.Write(role, draw.Either(i == 0, sign, "  "))
		if i < r.H-1 {
			row := rest
			row, rest = breakLine(rest, l.Left())
			l.Raw(role, row)
			continue
		}
		end := l.End
		l.End -= draw.Width(more)
		l.Raw(role, rest)
		l.End = end
		l.Write(themes.Dim, more)
	}
}

// noteFits reports whether a note fits rows of w columns, the last of which ends
// with more columns of other text.
func noteFits(text string, w, rows, more int) bool {
	if strings.HasSuffix(text, "…") {
		return false // cut already
	}
	for range rows - 1 {
		_, text = breakLine(text, w)
	}
	return draw.Width(text)+more <= w
}

// noteBrief is the note in a few words that fit w columns, and how many more
// there are.
func (s *textPanel) noteBrief(p *canvas, w int) (text, more string) {
	doubts, st := s.unsaid(p), &p.v.Stream
	n := len(st.Notes) + len(doubts)
	if s.text.hidden > 0 {
		n++
	}
	switch {
	case len(doubts) > 0:
		text = s.brief.Text(doubts[0], briefWords)
	case len(st.Notes) > 0:
		text = say.NoteBrief(&st.Notes[s.shownNote(st)])
	default:
		text = "other choices are hidden"
	}
	if n > 1 {
		if more = p.Join(" (", p.Count(n-1), " more)"); draw.Width(text)+draw.Width(more) > w {
			more = p.Join(" +", p.Count(n-1))
		}
	}
	return text, more
}

// briefWords writes a doubt in a few words.
func briefWords(s metrics.Suspicion) string { return say.SuspicionBrief(&s) }

// shownNote is the index of the note that matters most: another name of the
// model says the least.
func (s *textPanel) shownNote(st *metrics.Stream) int {
	at := len(st.Notes) - 1
	for at > 0 && st.Notes[at].Code == metrics.NoteModelAlias {
		at--
	}
	return at
}

// breakLine splits s after the last word that fits w columns.
func breakLine(s string, w int) (row, rest string) {
	at := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != ' ' {
			continue
		}
		if draw.Width(s[:i]) > w {
			break
		}
		at = i
	}
	return s[:at], strings.TrimLeft(s[at:], " ")
}
