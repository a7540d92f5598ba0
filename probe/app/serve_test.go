package app

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sim"
)

// TestServe checks that every error names the mistake and maps to its exit
// code. A running endpoint prints its address and ends with ctx.
func TestServe(t *testing.T) {
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = l.Close() }()
	serving := Serving{Sim: sim.Options{Addr: "127.0.0.1:0", Speed: 1}, Env: func(string) string { return "" },
		Out: io.Discard, Log: io.Discard}

	taken := serving
	taken.Sim.Addr = l.Addr().String()
	if err := Serve(t.Context(), taken); !errors.Is(err, ErrTaken) || !strings.HasSuffix(err.Error(),
		"; choose another with --addr") || strings.Count(err.Error(), taken.Sim.Addr) != 1 {
		t.Errorf("an address that is taken: %v", err)
	}
	keyless := serving
	keyless.KeyEnv = "NO_SUCH_KEY"
	var f *metrics.Fault
	if err := Serve(t.Context(), keyless); !errors.As(err, &f) || f.Kind != metrics.FaultConfig ||
		!strings.Contains(err.Error(), "NO_SUCH_KEY") {
		t.Errorf("a key that is not there: %v", err)
	}
	odd := serving
	odd.Mode = "sideways"
	if err := Serve(t.Context(), odd); err == nil || errors.Is(err, ErrTaken) {
		t.Errorf("a mode that does not exist: %v", err)
	}
	unknown := serving
	unknown.Sim.Model, unknown.Hardware = "llama-3.1-8b", "abacus"
	testkit.Refuses(t, Serve(t.Context(), unknown), "abacus")

	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	serving.Out = w
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, serving) }()
	line := make([]byte, 200)
	n, err := r.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "http://127.0.0.1:") {
		t.Errorf("printed %q, %v", line[:n], err)
	}
	cancel()
	testkit.Is(t, <-ended, nil, "an orderly end")
}
