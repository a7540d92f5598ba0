package live

import "tokscope/metrics/verdict"

// conclude returns what v shows.
func conclude(v *View) []verdict.Finding {
	return verdict.Of(verdict.Input{Stream: &v.Stream, Figures: &v.Figures, Now: v.Now, Earlier: v.Runs, Lens: v.Lens, Task: v.Task})
}
