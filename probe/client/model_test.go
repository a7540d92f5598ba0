package client_test

import (
	"context"
	"fmt"
	"net"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// A note says that another model answered than the one that was asked for.
func TestOtherModelIsNoted(t *testing.T) {
	for _, tt := range []struct{ answered, code string }{
		{"m", ""}, {"m-2026-11-22", metrics.NoteModelAlias}, {"mid", metrics.NoteOtherModel},
	} {
		_, target := newClosing(t, func(_ *closing, c net.Conn, _ int) bool {
			_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
			for _, delta := range []string{`{"content":"a"}`, `{"content":"b"}`} {
				_, _ = fmt.Fprintf(c, "data: {\"model\":%q,\"choices\":[{\"delta\":%s}]}\n\n", tt.answered, delta)
			}
			_, _ = fmt.Fprint(c, "data: [DONE]\n\n")
			return false
		})
		e := client.New(client.Options{})
		s := e.StartQuiet(context.Background(), target, metrics.Workload{Prompt: "x"})
		<-s.Done()
		v := s.Snapshot()
		codes := ""
		for _, n := range v.Notes {
			codes += n.Code
		}
		if codes != tt.code || v.Model != tt.answered {
			t.Errorf("%q for %q: notes %q", v.Model, target.Model, codes)
		}
		e.Close()
	}
}
