package transport_test

import (
	"testing"

	"tokscope/probe/probetest"
)

// BenchmarkTTFT is the error of the time to first token of one user who asks
// again and again over a warm connection.
func BenchmarkTTFT(b *testing.B) {
	const (
		text  = "prefill 20ms; 3 tokens @ 1ms"
		count = 60
	)
	for _, secure := range []bool{false, true} {
		for _, kind := range []string{"kernel", "user", "goopenai"} {
			b.Run(word(secure, "tls", "plain")+"/"+kind, func(b *testing.B) {
				server, err := probetest.Spawn(probetest.Options{Timed: true, TLS: secure})
				if err != nil {
					b.Fatal(err)
				}
				defer server.Close()
				c := newClient(kind, server)
				defer c.close()
				plan := probetest.MustParse(text)
				var r report
				for b.Loop() {
					var got []seen
					for range count {
						got = append(got, c.measure(1, server.URL(text))...)
					}
					logs, err := server.Logs(c.do())
					if err != nil {
						b.Fatal(err)
					}
					for _, g := range got {
						if g.err != nil {
							b.Fatal(g.err)
						}
						r.compare(b, plan, logs[g.request-1], g)
					}
				}
				r.print(b)
			})
		}
	}
}
