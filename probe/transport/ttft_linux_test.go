package transport_test

import (
	"testing"

	"tokscope/metrics/testkit"
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
				server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true, TLS: secure}))(b)
				defer server.Close()
				c := newClient(kind, server)
				defer c.close()
				plan := probetest.MustParse(text)
				var r report
				for b.Loop() {
					var got []probetest.Seen
					for range count {
						got = append(got, c.measure(1, server.URL(text))...)
					}
					logs := testkit.Must(server.Logs())(b)
					for _, g := range got {
						if g.Err != nil {
							b.Fatal(g.Err)
						}
						testkit.OK(b, r.Add(plan, logs[g.Request-1], g))
					}
				}
				r.print(b)
			})
		}
	}
}
