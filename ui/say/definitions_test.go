package say

import (
	"testing"

	"tokscope/metrics/figure"
)

// TestDefinitions holds that every figure has one definition, whole or as a part of
// another that is whole.
func TestDefinitions(t *testing.T) {
	seen := map[figure.ID]*Definition{}
	for i := range definitions {
		d := &definitions[i]
		if seen[d.ID] != nil {
			t.Errorf("%d is defined twice", d.ID)
		}
		seen[d.ID] = d
	}
	for _, d := range definitions {
		if d.Text == "" {
			if in := seen[d.In]; in == nil || in.Text == "" {
				t.Errorf("%s is explained nowhere", d.ID.Label())
			}
			d = *seen[d.In]
		}
		if d.Formula == "" || d.Unit == "" || d.Undefined == "" || d.ID >= figure.Count && d.Label == "" {
			t.Errorf("the definition %+v lacks a part", d)
		}
	}
}
