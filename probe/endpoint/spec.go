package endpoint

import (
	"slices"
	"strings"

	"tokscope/metrics"
)

// Spec is a target as a person writes it:
//
//	TARGET[#model][+cold|+warm|+http1|+http2|+direct]
//
// TARGET is all that Resolver.Resolve takes. The words after + may stand in any
// order. The same endpoint can so be raced against itself.
type Spec struct {
	Target string // without model and words
	Model  string // "" names none
	// Connection is the connection of each request; ReuseAuto is as the
	// workload says.
	Connection metrics.Reuse
	// HTTP is 1 or 2, 0 as the profile says.
	HTTP int
	// Direct leaves out the proxy of the environment.
	Direct bool
}

// specWords are the words after +.
var specWords = []string{"cold", "warm", "http1", "http2", "direct"}

// ParseSpec splits arg. A + in the target or the model is kept, unless what
// follows it at the end is one of the words. A word that is nearly one, and two
// that contradict each other, are refused with a *metrics.Fault.
func ParseSpec(arg string) (Spec, error) {
	var s Spec
	rest := strings.TrimSpace(arg)
	for {
		i := strings.LastIndexByte(rest, '+')
		if i < 0 {
			break
		}
		word := strings.ToLower(rest[i+1:])
		if !slices.Contains(specWords, word) {
			if near := Closest(word, specWords); near != "" {
				return s, Refuse("the target ends with +"+word, "did you mean +"+near+
					"? the words after + are cold, warm, http1, http2 and direct")
			}
			break
		}
		if err := s.add(word); err != nil {
			return s, err
		}
		rest = strings.TrimSpace(rest[:i])
	}
	target, model, named := strings.Cut(rest, "#")
	if named && strings.TrimSpace(model) == "" {
		return s, Refuse("no model follows the # of the target", "write TARGET#MODEL, or leave the # out")
	}
	s.Target, s.Model = strings.TrimSpace(target), strings.TrimSpace(model)
	return s, nil
}

// add sets what word means.
func (s *Spec) add(word string) error {
	contrary := func(a, b string) error {
		return Refuse("+"+a+" and +"+b+" exclude each other", "keep one of them")
	}
	switch word {
	case "cold", "warm":
		reuse := map[string]metrics.Reuse{"cold": metrics.ReuseCold, "warm": metrics.ReuseWarm}[word]
		if s.Connection != metrics.ReuseAuto && s.Connection != reuse {
			return contrary("cold", "warm")
		}
		s.Connection = reuse
	case "http1", "http2":
		version := int(word[len(word)-1] - '0')
		if s.HTTP != 0 && s.HTTP != version {
			return contrary("http1", "http2")
		}
		s.HTTP = version
	case "direct":
		s.Direct = true
	}
	return nil
}

// apply changes t as s says. The error says what t cannot do.
func (s *Spec) apply(t *Target) error {
	if s.Model != "" {
		if t.Kind == metrics.EndpointEmbedded && t.Model != "" {
			return Refuse("the target names its model twice, before and after the #", "write MODEL@MACHINE, or demo#MODEL")
		}
		t.Model = s.Model
	}
	switch s.HTTP {
	case 1:
		t.HTTP2 = false
	case 2:
		if t.Kind == metrics.EndpointEmbedded || !strings.HasPrefix(t.URL, "https://") {
			return Refuse("+http2 needs https: HTTP/2 is not offered without TLS", "leave +http2 out, or give an https address")
		}
		t.HTTP2 = true
	}
	t.Connection = s.Connection
	t.Direct = t.Direct || s.Direct
	return nil
}
