package metrics

import "testing"

func TestServedOtherwise(t *testing.T) {
	for _, c := range []struct {
		asked, served, want Service
	}{
		{Service{}, Service{Tier: "priority"}, Service{}},
		{Service{Tier: "priority"}, Service{}, Service{}},
		{Service{Tier: "priority"}, Service{Tier: "default"}, Service{Tier: "priority"}},
		{Service{Tier: "flex"}, Service{Tier: "standard"}, Service{Tier: "flex"}},
		{Service{Tier: "auto"}, Service{Tier: "flex"}, Service{}},
		{Service{Tier: "standard_only"}, Service{Tier: "standard"}, Service{}},
		{Service{Tier: "fast"}, Service{Tier: "priority"}, Service{}},
		{Service{Tier: "Priority"}, Service{Tier: "priority"}, Service{}},
		{Service{Speed: "fast"}, Service{Speed: "standard", Tier: "batch"}, Service{Speed: "fast"}},
		{Service{Tier: "priority", Speed: "fast"}, Service{Tier: "on_demand", Speed: "fast"}, Service{Tier: "priority"}},
	} {
		s := Served{Service: c.served}
		if got := s.Otherwise(c.asked); got != c.want {
			t.Errorf("asked %+v, served %+v: %+v, want %+v", c.asked, c.served, got, c.want)
		}
	}
}
