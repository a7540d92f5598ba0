package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
	"tokscope/ui/safe"
)

// readerLine is the last row of the text panel: where a human reader is by
// now. A long silence of the stream takes its place. The row above it holds
// what the figures must be read with.
func (s *Screen) readerLine(p *pen, r cell.Rect) {
	s.note(p, p.Line(r.X, r.Y-1, r.W))
	l := p.Row(r, 0)
	st := &p.v.Stream
	if ms, ok := p.silence(); ok {
		num, unit := p.clock(ms)
		l.Put(themes.Stall, "▲")
		l.Put(themes.Warn, p.Join(" nothing for ", num, " ", unit))
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
		l.Put(themes.Dim, p.Join(p.Int(int(p.wpm())), " wpm "))
	} else {
		l.Put(themes.Dim, p.Join("a reader at ", p.Int(int(p.wpm())), " wpm "))
	}
	switch {
	case h.Done:
		l.Put(themes.Dim, "kept up to the end")
		return
	case h.Waiting:
		l.Put(themes.Warn, "waits")
	case narrow:
		l.Put(themes.Dim, "here")
	case st.State.Ended():
		l.Put(themes.Dim, "was here at the end")
	default:
		l.Put(themes.Dim, "is here")
	}
	if h.to <= h.from {
		return
	}
	l.Put(themes.Ghost, " ▸ ")
	ahead := ""
	if n := int(h.Lead); n > 0 {
		ahead = p.Join("  ", p.wide(p.Int(n), 3), " words behind")
		if narrow {
			ahead = p.Join("  ", p.wide(p.Int(n), 3), " behind")
		}
	}
	room := l.Left() - cell.Width(ahead) - 2
	if room < 8 {
		ahead, room = "", l.Left()-2
	}
	l.Put(themes.Dim, "“")
	end := l.End
	l.End = l.X + max(min(room, 36), 0)
	l.Raw(themes.Ghost, s.around())
	l.End = end
	l.Put(themes.Dim, "”")
	if ahead != "" {
		l.To(l.End - cell.Width(ahead))
		l.Put(themes.Dim, ahead)
	}
}

// note shows the weightiest note and says how many more there are.
func (s *Screen) note(p *pen, l line) {
	st := &p.v.Stream
	n := len(st.Notes) + len(p.v.Figures.Suspect)
	first := ""
	if s.text.hidden > 0 {
		n++
		first = "the chunks of other choices are not shown"
	}
	if n == 0 {
		return
	}
	if len(p.v.Figures.Suspect) > 0 {
		first = p.v.Figures.Suspect[0].Text
	} else if len(st.Notes) > 0 {
		first = st.Notes[len(st.Notes)-1].Text
	}
	more := ""
	if n > 1 {
		more = p.Join(" (", p.Int(n-1), " more)")
	}
	l.Put(themes.Warn, "! ")
	end := l.End
	l.End -= cell.Width(more)
	l.Raw(themes.Warn, safe.Line(first, 200))
	l.End = end
	l.Put(themes.Dim, more)
}
