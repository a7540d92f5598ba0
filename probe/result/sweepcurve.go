package result

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"tokscope/metrics/loadstat"
)

// SweepLoadOf returns the JSON form of how p makes requests begin.
func SweepLoadOf(p *loadstat.SweepPlan) SweepLoad {
	return SweepLoad{
		Open: len(p.Rates) > 0, Poisson: p.Poisson, ThinkMs: msOf(p.Think), DurationMs: msOf(p.Duration),
		Requests: p.Requests, SharedPrefix: p.SharedPrefix, Input: Drawn(p.Input),
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
