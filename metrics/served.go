package metrics

import "strings"

// Service is a class of service of a provider. Its words are the provider's: redacted,
// but unsanitized. "" is not named.
type Service struct {
	Tier  string `json:"tier,omitempty"`  // service_tier
	Speed string `json:"speed,omitempty"` // Anthropic's
}

// Served is what an answer says of how it was served. The zero value: it says nothing.
type Served struct {
	Service
	Region     string `json:"region,omitempty"`
	Deployment string `json:"deployment,omitempty"` // of a gateway's model
	// Fallbacks and Retries are the failed attempts behind a gateway, which the wait
	// holds: with another deployment, and with the same. 0: none, or not told.
	Fallbacks int `json:"fallbacks,omitempty"`
	Retries   int `json:"retries,omitempty"`
}

// Attempts reports whether there were attempts before the one that answered.
func (s *Served) Attempts() bool { return s.Fallbacks+s.Retries > 0 }

// Otherwise returns the parts of asked that were served as something else; the zero
// Service where the answer keeps to it or says nothing.
func (s *Served) Otherwise(asked Service) (was Service) {
	differ := func(asked, served string) bool {
		return asked != "" && served != "" && plainTier(asked) != "auto" && plainTier(asked) != plainTier(served)
	}
	if differ(asked.Tier, s.Tier) {
		was.Tier = asked.Tier
	}
	if differ(asked.Speed, s.Speed) {
		was.Speed = asked.Speed
	}
	return was
}

// plainTier is a tier under one name: providers answer "standard_only" with "standard"
// and "fast" with "priority". "auto" leaves the choice to the provider.
func plainTier(name string) string {
	switch name = strings.ToLower(name); name {
	case "standard", "standard_only", "on_demand":
		return "default"
	case "fast":
		return "priority"
	}
	return name
}
