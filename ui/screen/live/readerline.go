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
	s.note(p, p.line(r.X, r.Y-1, r.W))
	l := p.row(r, 0)
	st := &p.v.Stream
	if st.State == metrics.Decoding && st.LastData.Known() && p.v.Now-st.LastData > metrics.Stamp(quiet) {
		l.put(themes.Stall, "▲")
		l.put(themes.Warn, p.join(" nothing for ", p.clock(float64(p.v.Now-st.LastData)/1e6), " s"))
		if left, bound, ok := p.countdown(); ok && l.whole(themes.Warn, p.join("; ", left)) {
			l.whole(themes.Dim, bound)
		}
		return
	}
	h := &s.ghost
	if !h.Begun {
		if len(s.text.parts) > 0 && s.text.parts[0].kind == metrics.Reasoning {
			l.cut(themes.Dim, "the reader begins with the answer")
		}
		return
	}
	narrow := l.left() < 56
	if narrow {
		l.put(themes.Dim, p.join(p.int(int(p.wpm())), " wpm "))
	} else {
		l.put(themes.Dim, p.join("a reader at ", p.int(int(p.wpm())), " wpm "))
	}
	switch {
	case h.Done:
		l.put(themes.Dim, "kept up to the end")
		return
	case h.Waiting:
		l.put(themes.Warn, "waits")
	case narrow:
		l.put(themes.Dim, "here")
	case st.State.Ended():
		l.put(themes.Dim, "was here at the end")
	default:
		l.put(themes.Dim, "is here")
	}
	if h.to <= h.from {
		return
	}
	l.put(themes.Ghost, " ▸ ")
	ahead := ""
	if n := int(h.Lead); n > 0 {
		ahead = p.join("  ", p.wide(p.int(n), 3), " words behind")
		if narrow {
			ahead = p.join("  ", p.wide(p.int(n), 3), " behind")
		}
	}
	room := l.left() - cell.Width(ahead) - 2
	if room < 8 {
		ahead, room = "", l.left()-2
	}
	l.put(themes.Dim, "“")
	end := l.end
	l.end = l.x + max(min(room, 36), 0)
	l.raw(themes.Ghost, s.around())
	l.end = end
	l.put(themes.Dim, "”")
	if ahead != "" {
		l.to(l.end - cell.Width(ahead))
		l.put(themes.Dim, ahead)
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
		more = p.join(" (", p.int(n-1), " more)")
	}
	l.put(themes.Warn, "! ")
	end := l.end
	l.end -= cell.Width(more)
	l.raw(themes.Warn, safe.Line(first, 200))
	l.end = end
	l.put(themes.Dim, more)
}
