package record

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"tokscope/metrics"
)

// SweepPlan describes the requested sequence of a sweep's requests.
type SweepPlan struct {
	Open, Poisson bool
	Think         time.Duration   // pause of a user between requests
	Most          time.Duration   // longest duration of a step; 0: unbounded
	Requests      int             // requests per step; 0: as many as fit
	SharedPrefix  bool            // of all prompts
	Input, Output metrics.Lengths // drawn
	Prompts       []string        // from a file; nil for one prompt
}

// SweepLoadOf returns the JSON form of p.
func SweepLoadOf(p SweepPlan) SweepLoad {
	return SweepLoad{
		Open: p.Open, Poisson: p.Poisson, ThinkMs: msOf(p.Think), DurationMs: msOf(p.Most),
		Requests: p.Requests, SharedPrefix: p.SharedPrefix, Input: drawn(p.Input),
		Output: p.Output.String(), Prompts: promptsOf(p.Prompts),
	}
}

// promptsOf describes a list of prompts; "" for an empty list.
func promptsOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%d, sha256 %x", len(list), sha256.Sum256([]byte(strings.Join(list, "\n"))))
}

// drawn returns the lengths in the form of --input-tokens, "" when all are
// equal: the workload has that length.
func drawn(l metrics.Lengths) string {
	if !l.Varies() {
		return ""
	}
	return l.String()
}
