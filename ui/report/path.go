package report

import (
	"io"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// mostStalls is the number of stalls that a report explains.
const mostStalls = 5

// pathFacts are the lines about the network beneath a run, none where it was
// not looked at.
func pathFacts(s *metrics.Stream, f *metrics.Figures) (out []fact) {
	text := say.Path(s.Path)
	if text == "" {
		return nil
	}
	if s.Conn.Proxy != "" {
		text += ", as far as the proxy"
	}
	out = append(out, fact{"path", text})
	said := 0
	for _, t := range f.Stalls {
		g := s.Path.Gap(t.Chunk)
		if g == nil {
			continue
		}
		if said++; said > mostStalls {
			break
		}
		out = append(out,
			fact{"stall", format.Ms(t.Ms) + " at chunk " + format.Count(t.Chunk+1) + ": " + say.PathCause(g)})
	}
	if text := say.PathConnects(s.Path); text != "" {
		out = append(out, fact{"silence", text})
	}
	return out
}

// printPath prints the network beneath the last request that ended well and was
// looked at, and what its longest stall rests on.
func printPath(w io.Writer, runs []metrics.Run) {
	for i := len(runs) - 1; i >= 0; i-- {
		s := &runs[i].Stream
		if s.State != metrics.Done {
			continue
		}
		for _, f := range pathFacts(s, &runs[i].Figures) {
			tail := ""
			if f.name == "path" {
				tail = ofTheLast(runs)
			}
			row(w, f.name, "%s%s", f.text, tail)
		}
		return
	}
}
