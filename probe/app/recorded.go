package app

import (
	"io"

	"tokscope/metrics"
	"tokscope/probe/replay"
)

// Recorded returns the requests of a session file with their figures, computed
// anew: that with the number id, or all of them for 0. path "-" is stdin.
// Requests without events have no chunks.
func Recorded(path string, id int, stdin io.Reader, pace metrics.Pace) ([]metrics.Run, error) {
	rec, err := replay.Open(path, stdin)
	if err != nil {
		return nil, err
	}
	found, err := rec.Find(id)
	if err != nil {
		return nil, err
	}
	out := make([]metrics.Run, 0, len(found))
	for _, q := range found {
		s := replay.StreamOf(q).Final()
		out = append(out, metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{Pace: pace})})
	}
	return out, nil
}
