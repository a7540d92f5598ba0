package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"tokscope/metrics"
	"tokscope/probe/session"
	"tokscope/probe/sim"
)

// Bounds of the server of a recording: those of the embedded endpoint.
const (
	replayHeader  = 64 << 10
	replayTimeout = 10 * time.Second
)

// serveReplay serves the recorded answers of s.Replay until ctx ends.
func serveReplay(ctx context.Context, s Serving) error {
	if s.KeyEnv != "" {
		return &metrics.Fault{Kind: metrics.FaultConfig,
			Message: "a recording is served without a key", Next: "leave out --require-key-env"}
	}
	h, err := session.NewHandler(sim.SleepExactly, s.ReplayID, s.Replay...)
	if err != nil {
		return err
	}
	guarded, err := sim.Guard(s.Sim, h)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", s.Sim.Addr)
	if err != nil {
		return fmt.Errorf("%w; %w", err, ErrTaken)
	}
	srv := &http.Server{Handler: guarded, ReadHeaderTimeout: replayTimeout,
		MaxHeaderBytes: replayHeader, IdleTimeout: 2 * time.Minute}
	fmt.Fprintln(s.Out, "http://"+ln.Addr().String()+"/v1")
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving ended: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), servingEndsWithin)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		_ = srv.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
