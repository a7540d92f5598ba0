package live

import (
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// readerLine is the last row of the text panel: where a human reader is by
// now. A long silence of the stream takes its place.
func (s *Screen) readerLine(p *pen, r draw.Rect) {
	l := p.Row(r, 0)
	st := &p.v.Stream
	if ms, ok := p.silence(); ok {
		num, unit := p.clock(ms)
		l.Write(themes.Stall, "▲")
		l.Write(themes.Warn, p.Join(" nothing for ", num, " ", unit))
		if left, bound, ok := p.countdown(); ok && l.Whole(themes.Warn, p.Join("; ", left)) {
			l.Whole(themes.Dim, bound)
		}
		return
	}
	h := &s.ghost
	if !h.Begun {
		if len(s.text.parts) > 0 && s.text.parts[0].kind == metrics.Reasoning {
			l.Cut(themes.Dim, "the reader begins with the answer")
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
		l.Write(themes.Dim, "was here at the end")
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
		ahead = p.Join("  ", p.wide(p.Int(n), 3), " words behind")
		if narrow {
			ahead = p.Join("  ", p.wide(p.Int(n), 3), " behind")
		}
	}
	room := l.Left() - draw.Width(ahead) - 2
	if room < 6 {
		ahead, room = "", l.Left()-2
	}
	l.Write(themes.Dim, "“")
	end := l.End
	l.End = l.X + max(min(room, 36), 0)
	l.Raw(themes.Ghost, s.around())
	l.End = end
	l.Write(themes.Dim, "”")
	if ahead != "" {
		l.To(l.End - draw.Width(ahead))
		l.Write(themes.Dim, ahead)
	}
}

// noteText is the weightiest of what the figures must be read with, "" without
// any, and how many more there are.
func (s *Screen) noteText(p *pen) (first, more string) {
	st := &p.v.Stream
	n := len(st.Notes) + len(p.v.Figures.Suspect)
	if s.text.hidden > 0 {
		n++
		first = "the chunks of other choices are not shown"
	}
	if len(p.v.Figures.Suspect) > 0 {
		first = p.v.Figures.Suspect[0].Text
	} else if len(st.Notes) > 0 {
		first = st.Notes[len(st.Notes)-1].Text
	}
	if n > 1 {
		more = p.Join(" (", p.Int(n-1), " more)")
	}
	return s.noted.line(first, 200), more
}

// noteRows is how many rows the note takes of a panel of that size; the place of
// one is always kept, so that the text does not jump when a note comes.
func (s *Screen) noteRows(p *pen, in draw.Rect) int {
	first, more := s.noteText(p)
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
func (s *Screen) note(p *pen, r draw.Rect) {
	rest, more := s.noteText(p)
	if rest == "" {
		return
	}
	for i := range r.H {
		l := p.Row(r, i)
		l.Write(themes.Warn, draw.Either(i == 0, "! ", "  "))
		if i < r.H-1 {
			row := rest
			row, rest = breakLine(rest, l.Left())
			l.Raw(themes.Warn, row)
			continue
		}
		end := l.End
		l.End -= draw.Width(more)
		l.Raw(themes.Warn, rest)
		l.End = end
		l.Write(themes.Dim, more)
	}
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
