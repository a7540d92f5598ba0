package transport_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
	"tokscope/probe/ws"
)

// BenchmarkWebSocketStamps compares stamps of messages with those of a plain reader of
// another connection, who reads the clock behind each read: how long after the beginning of
// its write an event is said to have come. Both have an event each millisecond in one run.
func BenchmarkWebSocketStamps(b *testing.B) {
	const events = 500
	clock := transport.NewClock()
	tr := transport.New(clock, transport.Options{Proxy: noProxy, Bounds: transport.DefaultBounds()})
	defer tr.Close()
	conns, asked := make(chan *websocket.Conn), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := testkit.Must(websocket.Accept(w, r, nil))(b)
		for {
			if _, _, err := c.Read(context.Background()); err != nil {
				return
			}
			conns <- c
			<-asked
		}
	}))
	defer s.Close()
	plain, writer := tcpPair(b)
	defer plain.Close()
	defer writer.Close()
	event := []byte(`{"type":"response.output_text.delta","sequence_number":1,"delta":"a token or two"}`)
	frame := ws.Append(nil, ws.OpText, event, false)
	var ours, theirs []metrics.Stamp
	for b.Loop() {
		c := transport.NewWaking(clock)
		asSocket(c)
		done := make(chan error, 1)
		go func() {
			_, err := tr.Do(testkit.Must(http.NewRequestWithContext(transport.With(context.Background(), c),
				http.MethodPost, s.URL, http.NoBody))(b))
			done <- err
		}()
		to := <-conns
		sent, came := make([]metrics.Stamp, 2*events), make(chan metrics.Stamp, events)
		go func() {
			for range events {
				buf := make([]byte, 2*len(frame))
				if n, err := plain.Read(buf); err != nil || n != len(frame) {
					b.Errorf("a read of %d bytes, %v", n, err)
				}
				came <- clock.Now()
			}
		}()
		for i := range events {
			time.Sleep(time.Millisecond)
			for k := range 2 { // each is the first one half of the time
				if (i+k)%2 == 0 {
					sent[2*i] = clock.Now()
					testkit.OK(b, to.Write(context.Background(), websocket.MessageText, event))
				} else {
					sent[2*i+1] = clock.Now()
					_ = testkit.Must(writer.Write(frame))(b)
				}
			}
		}
		send(to, socketEnd)
		testkit.OK(b, <-done)
		var batch transport.Batch
		n := 0
		for more := true; more; {
			<-c.Wake()
			more = c.Drain(&batch)
			for _, l := range batch.Lines {
				if n < events {
					ours = append(ours, l.At-sent[2*n])
				}
				n++
			}
		}
		c.Free()
		for i := range events {
			theirs = append(theirs, <-came-sent[2*i+1])
		}
		asked <- struct{}{}
	}
	for name, all := range map[string][]metrics.Stamp{"ours": ours, "plain": theirs} {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2])/1e3, name+"_p50_µs")
		b.ReportMetric(float64(all[len(all)*99/100])/1e3, name+"_p99_µs")
	}
	b.ReportMetric(float64(ours[len(ours)/2])/float64(theirs[len(theirs)/2]), "ratio_p50")
	b.ReportMetric(0, "ns/op")
}

// tcpPair returns both ends of a connection on loopback.
func tcpPair(b *testing.B) (here, there net.Conn) {
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(b)
	defer listener.Close()
	here = testkit.Must(net.Dial("tcp", listener.Addr().String()))(b)
	return here, testkit.Must(listener.Accept())(b)
}
