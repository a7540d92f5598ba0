package explain

import (
	"regexp"
	"testing"

	"tokscope/ui/uitest/golden"
)

// lost are words that the next size leaves out or words otherwise. A figure in
// large numerals is no word.
var lost = map[string]string{
	"lens chat, 40x12 to 80x24":    "bandwidth-bound",
	"phases, 40x12 to 80x24":       "7.52 1/11",
	"seesaw, 40x12 to 80x24":       "7.52 4/11",
	"goodput, 40x12 to 80x24":      "7.52 10/11",
	"uses, 40x12 to 80x24":         "7.52 11/11",
	"broken, 40x12 to 80x24":       "TTFT TPOT per tok/s aggregate",
	"slowed, 40x12 to 80x24":       "7.52 4/11",
	"slowed, 120x40 to 200x50":     "81.1 914 p99 14.3",
	"text panel, 40x12 to 80x24":   "7.52 1/11",
	"lens agent, 40x12 to 80x24":   "7.52 1/11",
	"lens voice, 40x12 to 80x24":   "7.52 11/11",
	"chunk, 80x24 to 100x30":       "7.52",
	"many, 80x24 to 100x30":        "10.4 57",
	"pools, 80x24 to 100x30":       "7.72 more",
	"past, 80x24 to 100x30":        "1.91",
	"hybrid, 80x24 to 100x30":      "9.02 988",
	"uses, 80x24 to 100x30":        "18 31 21",
	"busy, 80x24 to 100x30":        "7.52",
	"refused, 80x24 to 100x30":     "7.52",
	"broken, 80x24 to 100x30":      "6.66",
	"lens chat, 80x24 to 100x30":   "7.52 more",
	"lens voice, 80x24 to 100x30":  "18 31",
	"many, 120x40 to 200x50":       "56",
	"pools, 120x40 to 200x50":      "more",
	"hybrid, 120x40 to 200x50":     "340",
	"seesaw, 120x40 to 200x50":     "81.1 914 p99 14.3",
	"goodput, 120x40 to 200x50":    "81.1 914 p99 14.3",
	"uses, 120x40 to 200x50":       "p99",
	"refused, 120x40 to 200x50":    "81.1 8.39 119 914 p99 14.3",
	"text panel, 120x40 to 200x50": "81.1 914 p99 14.3",
	"lens voice, 120x40 to 200x50": "p99",
	"hybrid, 200x50 to 300x80":     "141 20.2",
	"decode, 80x24 to 100x30":      "6.66",
	"many, 200x50 to 300x80":       "51",
	"decode, 200x50 to 300x80":     "51",
	"pools, 200x50 to 300x80":      "51",
	"broken, 200x50 to 300x80":     "51",
	"uses, 200x50 to 300x80":       "31 21",
	"lens voice, 200x50 to 300x80": "31 21 20×300",
}

// skipped are words that do not count: names and hints that stand elsewhere, or only where.
var skipped = regexp.MustCompile(`^(Llama|8B|H100|it|waits|for|bytes|memory|arithmetic|rest|FLOP/B|done|room|other|panels|since|last)$`)

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	golden.Larger(t, states, steps, skipped, lost, shownAt)
}

// TestNoWarningIsCut checks every state at all sizes from 80x24.
func TestNoWarningIsCut(t *testing.T) { golden.Uncut(t, states, shownAt) }
