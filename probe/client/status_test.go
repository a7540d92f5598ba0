package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
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
			ln := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
			var wg sync.WaitGroup
			defer wg.Wait()
			defer ln.Close()
			wg.Go(func() {
				for {
					c, err := ln.Accept()
					if err != nil {
						return
					}
					if req, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
						_, _ = io.Copy(io.Discard, req.Body)
						fmt.Fprintf(c, "HTTP/1.1 %s\r\nLocation: /v2\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", status)
					}
					_ = c.Close()
				}
			})
			e := client.New(client.Options{})
			defer e.Close()
			s := e.Start(context.Background(), endpoint.Target{
				Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "test", URL: "http://" + ln.Addr().String() + "/v1", Model: "m"}, Auth: endpoint.AuthNone, Server: "test",
			}, metrics.Workload{Prompt: "x", MaxTokens: 4})
			<-s.Done()
			f := s.Snapshot().Fault
			code, _ := strconv.Atoi(status[:3])
			if f == nil || f.Kind != kind || f.Status != code || f.Next == "" {
				t.Errorf("ended with %+v", f)
			}
		})
	}
}
