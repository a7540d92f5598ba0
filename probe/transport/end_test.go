package transport

import (
	"net"
	"net/http"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport/stamp"
)

// counting counts pushes.
type counting struct{ n int }

func (w *counting) RequestChanged(*RequestState) { w.n++ }

// Goroutines of net/http may report marks after the end, for example of a
// canceled request. They change nothing and push nothing.
func TestLateMarksAreIgnored(t *testing.T) {
	here, there := net.Pipe()
	defer func() { _, _ = here.Close(), there.Close() }()
	go func() { _, _ = there.Read(make([]byte, 100)) }()
	clock := NewClock()
	for name, mark := range map[string]func(c *Capture){
		"dial":          func(c *Capture) { c.timing.dial.set(&c.timing.dial.marks.ConnectDone, clock.Now(), false) },
		"written":       func(c *Capture) { c.written(c.timing.link) },
		"wrote request": func(c *Capture) { c.wroteRequest() },
		"first byte":    func(c *Capture) { c.gotFirstByte() },
		"tapped byte":   func(c *Capture) { c.intake.responseBegins() },
		"headers":       func(c *Capture) { c.intake.responseHeaders() },
		"head":          func(c *Capture) { c.answered(&http.Response{StatusCode: 200, Proto: "HTTP/1.1"}) },
		"end":           func(c *Capture) { c.finish(clock.Now(), nil) },
	} {
		begun := func() (*Capture, *counting) {
			c, w := NewWaking(clock), &counting{}
			c.Watch(w)
			l := &link{rx: stamp.Wrap(here, clock, false)}
			d := newDialMarks(clock.Now())
			d.watch(c)
			c.setDial(d)
			c.timing.link, c.timing.wrote = l, name == "written"
			c.intake.stamps.At = clock.Now()
			if name == "written" {
				go func() { _, _ = there.Read(make([]byte, 100)) }()
				testkit.Must(l.rx.Write([]byte("POST")))(t)
			}
			return c, w
		}
		c, w := begun()
		if mark(c); w.n != 2 && name != "wrote request" {
			t.Errorf("%s: %d states pushed while the request runs, want 2", name, w.n)
		}
		c, w = begun()
		c.finish(clock.Now(), &metrics.Fault{Kind: metrics.FaultCancelled})
		was, pushed := *c.state(), w.n
		mark(c)
		testkit.Is(t, w.n, pushed, name, "pushed after the end")
		testkit.Same(t, *c.state(), was, name, "changed an ended request")
	}
}
