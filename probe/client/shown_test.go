package client

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
)

// An endpoint that was shown before is masked by a key that is learned later.
func TestShownLearnsKeys(t *testing.T) {
	e := New(Options{})
	defer e.Close()
	const key = "zq81-not-a-known-shape-44"
	target := endpoint.Target{Endpoint: metrics.Endpoint{Name: "host", URL: "http://host/" + key + "/v1"}}
	testkit.Is(t, e.Shown(target), target.Endpoint, "without a key")
	e.scrub.Add(secret.NewSecret(key))
	once := e.Shown(target)
	if once.URL == target.URL || once.Name != "host" {
		t.Errorf("with a key %+v", once)
	}
	testkit.Is(t, e.Shown(target), once, "again")
	other := target
	other.Name = key
	if got := e.Shown(other); got.Name == key {
		t.Errorf("another endpoint %+v", got)
	}
	// The first of these calls follows another endpoint.
	testkit.Allocates(t, 0, 100, func() { e.Shown(target) }, "a known endpoint")
}
