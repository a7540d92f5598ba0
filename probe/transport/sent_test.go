package transport

import (
	"net"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport/stamp"
)

// An answer that is read before net/http has said that the request is written
// takes nothing from the moment at which it was sent: a server that answers at
// once, on a machine whose writer has lost the processor.
func TestSentWhenTheAnswerIsFirst(t *testing.T) {
	here, there := net.Pipe()
	defer func() { _, _ = here.Close(), there.Close() }()
	go func() { _, _ = there.Read(make([]byte, 100)) }()
	for _, ended := range []bool{false, true} {
		clock := stamp.NewClock()
		c := NewWaking(clock)
		c.timing.link = &link{rx: stamp.Wrap(here, clock, false)}
		c.change(func(s *RequestState) { s.Marks.GotConn = clock.Now() })
		go func() { _, _ = there.Read(make([]byte, 100)) }()
		_, err := c.timing.link.rx.Write([]byte("POST"))
		testkit.Given(t, err == nil, "%v", err)
		c.intake.stamps.At = clock.Now()
		c.intake.responseBegins()
		if s := c.state().Marks.Sent; s.Known() {
			t.Errorf("sent %v before anybody said so", s)
		}
		if ended {
			c.finish(clock.Now(), nil)
		} else {
			c.wroteRequest()
		}
		m := c.state().Marks
		testkit.That(t, m.Sent.Known() && m.Sent >= m.GotConn && m.Sent <= m.FirstByte,
			"ended %v: sent %v, between the connection at %v and the first byte at %v", ended, m.Sent, m.GotConn, m.FirstByte)
		c.wroteRequest() // late, or again: nothing changes
		again := c.state().Marks.Sent
		testkit.That(t, again == m.Sent && again != metrics.NoStamp, "sent %v, then %v", m.Sent, again)
	}
}
