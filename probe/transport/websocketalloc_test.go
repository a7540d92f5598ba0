//go:build !race

package transport

import (
	"net/http"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport/stamp"
	"tokscope/probe/ws"
)

func TestWebSocketSteadyStateAllocatesNothing(t *testing.T) {
	round := feedRound()
	for range 1000 {
		round()
	}
	testkit.Allocates(t, 0, 1000, round, "an event")
}

// feedRound returns a function that feeds an event in two reads and drains it.
func feedRound() func() {
	c := NewCapture(NewClock(), unheard{})
	c.SetSocket(func([]byte) (bool, int, http.Header) { return false, 0, nil })
	c.bounds.Events, c.bounds.BodyBytes = 0, 0
	c.socket = &websocket{tap: &tap{}}
	c.socket.asks.Store(&asking{c: c, settled: make(chan struct{})})
	c.intake.restart(&c.bounds)
	frame := ws.Append(nil, ws.OpText, []byte(`{"type":"response.output_text.delta","delta":"`+strings.Repeat("x",
		200)+`"}`), false)
	var b Batch
	at := metrics.Stamp(0)
	return func() {
		at++
		c.intake.feed(frame[:100], stamp.Stamps{At: at, User: at, Read: int32(at)})
		c.intake.feed(frame[100:], stamp.Stamps{At: at, User: at, Read: int32(at)})
		c.Drain(&b)
		if len(b.Lines) != 1 {
			panic("no line of an event")
		}
	}
}
