package uitest

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/program"
	"tokscope/probe/sim"
)

// Program runs programs as the session does, for tests of what waits for them.
var Program = program.Run

// Load and Race are what the program measures on the screens of these names.
type (
	Load = app.Load
	Race = app.Race
)

// Session returns the session of the program, and what ends it. Every endpoint, Demo and the
// profiles "work", "one", "two", "here" and "there" among them, is the embedded one, over pipes:
// in a bubble, all of it is in virtual time.
func Session(t testing.TB, notify func()) (s *app.Session, end func()) {
	wire := make(probetest.Pipes)
	server := must(sim.Start(sim.Options{Listener: wire, AllowHosts: []string{"*"}, Sleep: time.Sleep}))
	engine := client.New(client.Options{NoPathProbe: true, Dial: wire.Dial,
		Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }})
	r := &endpoint.Resolver{Env: func(string) string { return "" }, Profiles: map[string]endpoint.Profile{},
		Embedded: func(string) (bool, error) { return true, nil }}
	for _, name := range []string{"work", "one", "two", "here", "there"} {
		r.Profiles[name] = endpoint.Profile{URL: "http://" + name + ".example.com/v1", Model: server.Model(),
			InsecureHTTP: true}
	}
	demo := func(model string) (endpoint.Target, error) {
		t, err := r.Resolve("demo")
		t.Endpoint = Demo
		t.Model = cmp.Or(model, Demo.Model)
		return t, err
	}
	s = app.New(app.Options{Engine: engine, Resolver: r, Target: must(demo("")), Embedded: demo,
		Notify: notify, Version: "test"})
	return s, func() {
		s.Wait()
		engine.Close()
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
