package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// A status that no answer to a request has is said in our words.
func TestStatusOfNoAnswer(t *testing.T) {
	for _, status := range []string{"101 Switching Protocols", "000 Nothing"} {
		t.Run(status, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
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
						fmt.Fprintf(c, "HTTP/1.1 %s\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", status)
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
			if f == nil || f.Kind != metrics.FaultProtocol || !strings.Contains(f.Message, "HTTP status "+status[:3]) || f.Next == "" {
				t.Errorf("ended with %+v", f)
			}
		})
	}
}
