package report

import (
	"strings"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Origin says which program on which machine made a report. Its zero value is
// left out of the report.
type Origin struct {
	Version string // of tokscope
	System  string // "linux/amd64"
	CPUs    int
}

// String is "tokscope v1.2.3, linux/amd64, 8 CPUs"; "" for the zero Origin.
func (o Origin) String() string {
	if o == (Origin{}) {
		return ""
	}
	return sanitize.Line(format.Join(", ", "tokscope "+o.Version, o.System, format.Plural(o.CPUs, "CPU", "CPUs")),
		outsideMost)
}

// started is the UTC time of a request, "" without one.
func started(s *metrics.Stream) string {
	if s.Wall.IsZero() {
		return ""
	}
	return s.Wall.UTC().Format("2006-01-02 15:04:05 UTC")
}

// ran says in one line where a sentence comes from: time, target, model,
// address, the server's id of the request, program and machine.
func ran(s *metrics.Stream, by Origin) string {
	id := ""
	if s.RequestID != "" {
		id = "request id " + s.RequestID
	}
	parts := []string{started(s)}
	for _, p := range []string{s.Endpoint.Name, s.Endpoint.URL,
		firstOf(s.Model, s.Endpoint.Model), s.Conn.Remote, id, by.String()} {
		if p = sanitize.Line(p, outsideMost); p != parts[len(parts)-1] {
			parts = append(parts, p)
		}
	}
	return strings.TrimPrefix(format.Join(" · ", parts...), " · ")
}
