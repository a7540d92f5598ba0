package client_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// A status outside 2xx is a fault with its number and a next step, also where no
// answer to a request has such a status.
func TestStatusOfNoStream(t *testing.T) {
	for status, kind := range map[string]metrics.FaultKind{
		"101 Switching Protocols": metrics.FaultProtocol, "000 Nothing": metrics.FaultProtocol,
		"300 Multiple Choices": metrics.FaultRedirect, "304 Not Modified": metrics.FaultHTTP,
		"401 Unauthorized": metrics.FaultAuth, "429 Too Many Requests": metrics.FaultRateLimit,
		"500 Internal Server Error": metrics.FaultHTTP,
	} {
		t.Run(status, func(t *testing.T) {
			_, target := newClosing(t, func(_ *closing, c net.Conn, _ int) bool {
				fmt.Fprintf(c, "HTTP/1.1 %s\r\nLocation: /v2\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", status)
				return false
			})
			e := newEngine(t, client.Options{})
			f := ended(e.Start(context.Background(), target, metrics.Workload{Prompt: "x", MaxTokens: 4})).Fault
			code, _ := strconv.Atoi(status[:3])
			if f == nil || f.Kind != kind || f.Status != code || f.Next == "" {
				t.Errorf("ended with %+v", f)
			}
		})
	}
}
