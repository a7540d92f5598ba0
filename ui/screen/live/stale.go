package live

import (
	"cmp"
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// other names what the shown run differs in from the next request, "" where
// it does not: then its figures are not those of what the header names.
func (o *own) other() string {
	st, e, w := &o.view.Stream, &o.view.Endpoint, &o.work
	switch {
	case !st.State.Ended():
		return ""
	case !st.Endpoint.Same(e):
		return safeName(st.Endpoint.Name)
	case e.Model != "" && e.Model != st.Endpoint.Model && !strings.EqualFold(e.Model, st.Model):
		return safeName(cmp.Or(st.Endpoint.Model, st.Model))
	case st.Work.Prompt != w.Prompt || st.Work.System != w.System || st.Work.InputTokens != w.InputTokens ||
		st.Work.Messages != w.Messages || st.Work.Tools != w.Tools:
		return safeName(st.Work.Name)
	case st.Work.MaxTokens != w.MaxTokens && st.Work.MaxTokens == 0:
		return "open length"
	case st.Work.MaxTokens != w.MaxTokens:
		return "up to " + format.Count(st.Work.MaxTokens) + " tokens"
	}
	return ""
}

// dim takes the color from the figures of another run. Their box keeps its
// name.
func (s *picture) dim(p *canvas, lay *plan) {
	if p.v.Other == "" {
		return
	}
	p.Grid.Style(lay.said, themes.Dim)
	for _, r := range [...]draw.Rect{lay.text, lay.now, lay.scope, lay.lens, lay.chunk} {
		if r.H > 2 && !p.boxless {
			r = r.Inset(1, 1)
		}
		if !p.messaged || r.H > 1 {
			p.Grid.Style(r, themes.Dim)
		}
	}
}
