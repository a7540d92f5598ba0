package app

import (
	"bytes"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
	"tokscope/probe/sim"
)

// The embedded endpoint lists its context, so a depth beyond it is not sent. Its
// prefix cache holds no prompt that is new, and all whole blocks of one that is
// not.
func TestDepthOnTheEmbeddedEndpoint(t *testing.T) { synctest.Test(t, depthOnTheEmbeddedEndpoint) }

func depthOnTheEmbeddedEndpoint(t *testing.T) {
	wire := make(probetest.Pipes)
	srv := testkit.Must(sim.Start(sim.Options{Listener: wire, Sleep: time.Sleep}))(t)
	e := client.New(client.Options{NoPathProbe: true, Dial: wire.Dial,
		Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }})
	defer func() { e.Close(); testkit.OK(t, srv.Close(t.Context())) }()
	a := &App{Options: Options{Engine: e, Version: "test", Target: endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: srv.URL()}, Auth: endpoint.AuthNone,
	}}}
	d := testkit.Must(a.Sweep(loadstat.SweepPlan{Work: metrics.Workload{Prompt: "x", MaxTokens: 24},
		Depths: []int{500, metrics.MaxLength}, Requests: 1, Users: []int{1}, ServerMetrics: "off"}))(t)
	_, needed := d.Question()
	testkit.That(t, !needed, "a load on this machine needs consent")
	out := testkit.Must(d.Run(t.Context()))(t).Depth
	if len(out.Rows) != 2 || out.Rows[0].TooLong || !out.Rows[1].TooLong || out.Context < 1000 || out.Fault != nil {
		t.Fatalf("%+v", out)
	}
	r := out.Rows[0]
	if c, w := r.Cold, r.Warm; c.Ended != 1 || w.Ended != 1 || !c.Cached.OK || c.Cached.V != 0 || !c.TTFT.OK ||
		!c.Prefill.OK || w.Prompt != c.Prompt || w.Cached.V < w.Prompt.V-16 || r.TPOT.N != 2 {
		t.Errorf("%+v", r)
	}
	var b bytes.Buffer
	testkit.OK(t, d.Write(&b, loadstat.SweepVerdicts{}, nil, nil))
	var doc result.Depth
	if err := result.Unmarshal(b.Bytes(), &doc); err != nil || len(doc.Rows) != 2 || doc.Context != out.Context ||
		doc.Rows[0].Cold.TTFT.V != r.Cold.TTFT.V || doc.Stamps == "" {
		t.Errorf("%v\n%s", err, b.String())
	}
}
