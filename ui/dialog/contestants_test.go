package dialog

import (
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/ui/keys"
)

// TestContestants checks the ready races and typed targets.
func TestContestants(t *testing.T) {
	now := []string{"a", "b"}
	d := NewContestants(now, metrics.Endpoint{Kind: metrics.EndpointProfile, Name: "work"})
	if c, ok := d.Do(keys.Accept).(Chosen[[]string]); !ok || !slices.Equal(c.Value, now) {
		t.Errorf("the present ones are not selected: %+v", c)
	}
	d.Do(keys.Down)
	if c, ok := d.Do(keys.Accept).(Chosen[[]string]); !ok || !slices.Equal(c.Value, []string{"work", "work+cold"}) {
		t.Errorf("the endpoint in use: %+v", c)
	}
	d.Type("groq#m", true)
	if act := d.Do(keys.Accept); act != nil {
		t.Errorf("one target is accepted: %+v", act)
	}
	d.Type(" http://h:1/v1+direct  x", true)
	if c, ok := d.Do(keys.Accept).(Chosen[[]string]); !ok || !slices.Equal(c.Value, []string{"groq#m", "http://h:1/v1+direct", "x"}) {
		t.Errorf("typed: %+v", c)
	}
	if _, ok := d.Do(keys.Close).(Closed); !ok {
		t.Error("back does not close it")
	}
}
