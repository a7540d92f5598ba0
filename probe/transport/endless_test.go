package transport_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
)

// A server that sends events without text for ever is ended by the bound of
// events: it is never idle.
func TestEndlessEmptyEvents(t *testing.T) {
	o := defaults()
	o.Bounds.Events = 500
	virtual(t, o, func(r *harness) {
		got := r.ask("2 tokens @ 1ms; 100000 empty @ 1ms; hang")
		if got.err == nil || got.err.Kind != metrics.FaultTooLarge || !strings.Contains(got.err.Message, "500") || len(got.data()) < 490 {
			t.Errorf("%d events, ended with %+v", len(got.data()), got.err)
		}
	})
}

// docs/config.md states the bounds that a stream has.
func TestBoundsAreDocumented(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/config.md"))(t)
	b := transport.DefaultBounds()
	testkit.Has(t, string(page),
		fmt.Sprintf("| events and other data lines | %d,%03d |", b.Events/1000, b.Events%1000),
		fmt.Sprintf("| one event | %d MiB |", b.EventBytes>>20),
		fmt.Sprintf("| the body | %d MiB |", b.BodyBytes>>20),
		fmt.Sprintf("| response headers | %d KiB |", b.HeaderBytes>>10),
	)
}
