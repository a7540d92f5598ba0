package app

import (
	"cmp"
	"context"
	"io"

	"tokscope/metrics"
	"tokscope/probe/session"
)

// Replay is the backend of a replay on Live: recorded requests, played by a clock
// of their own beside the session's requests.
type Replay struct {
	*base
	*session.Player
}

// OpenReplay opens the session file at path and shows its request id, complete
// and paused at its end; of 0, all requests from the beginning. A large file
// takes a second. Errors are for a person.
func (s *Replay) OpenReplay(ctx context.Context, path string, id int) error {
	err := s.PlayFiles(ctx, nil, metrics.ReplayPlan{Files: []string{path}, ID: id, Speed: 1})
	if err == nil && id != 0 {
		s.ReplayEdge(1)
	}
	return err
}

// PlayFiles opens the files of p, of which "-" is stdin, and begins to play them.
func (s *Replay) PlayFiles(ctx context.Context, stdin io.Reader, p metrics.ReplayPlan) error {
	recs, err := OpenRecordings(p.Files, stdin)
	if err = cmp.Or(err, ctx.Err()); err == nil {
		err = s.Play(p, recs...)
	}
	if err == nil {
		s.notify()
	}
	return err
}
