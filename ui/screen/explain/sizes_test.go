package explain

import (
	"regexp"
	"testing"

	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// smallest are rows of each state at 40x12, in their order. The golden file has
// "chunk".
var smallest = map[string][]string{
	"empty":      {"● running                       0.000 s", "TTFT      –  TPOT      –", "per user      – tok/s  aggregate      –", "the first requests are being sent"},
	"decode":     {"● running                       1.147 s", "TTFT      –  TPOT      –", "per user      – tok/s  aggregate      –", "6.66 ms decode for 1 user", "KV <1 % bandwidth-bound"},
	"slow":       {"● running                      12.759 s", "7.52 ms decode for 8 users", "KV 4 % bandwidth-bound"},
	"many":       {"● running                      17.267 s", "10.4 ms decode for 64 users", "KV 15 % bandwidth-bound", "bandwidth    ███████████▊░░░░░     69 %", "compute      ▓▓░░░░░░░░░░░░░░░     10 %"},
	"preempt":    {"● running                      16.470 s", "TTFT 92.3 ms  TPOT 28.0 ms", "per user   35.7 tok/s  aggregate      –", "27.7 ms decode for 52 users", "KV >99 % bandwidth-bound"},
	"pools":      {"● running                       2.104 s", "7.72 ms decode for 12 users", "KV 5 % bandwidth-bound"},
	"past":       {" 68 steps back  paused         12.808 s", "14.3 ms prefill 512 + 7 decode", "KV 4 % compute-bound"},
	"dataflow":   {"● running                       1.573 s", "1.36 ms decode for 8 users", "KV 12 % latency-bound: fixed times", "bandwidth    ░░░░░░░░░░░░░░░░░        –", "compute      ▓░░░░░░░░░░░░░░░░      8 %"},
	"hybrid":     {"● running                       7.719 s", "7.42 ms decode for 8 users", "KV <1 % latency-bound: fixed times", "bandwidth    ████░░░░░░░░░░░░░     24 %", "compute      ▏░░░░░░░░░░░░░░░░     <1 %"},
	"phases":     {"● running                      12.808 s", "7.52 ms decode for 8 users", "KV 4 % bandwidth-bound", "1/11 A request has two phases with", "opposite limits: compute in prefill, m…"},
	"seesaw":     {"● running                      12.808 s", "7.52 ms decode for 8 users", "KV 4 % bandwidth-bound", "4/11 One user wastes the machine: a", "batch raises the aggregate far more th…"},
	"goodput":    {"● running                      12.808 s", "7.52 ms decode for 8 users", "KV 4 % bandwidth-bound", "10/11 Throughput keeps rising with more", "users; goodput peaks at some number of…"},
	"uses":       {"● running                      12.808 s", "7.52 ms decode for 8 users", "KV 4 % bandwidth-bound", "11/11 A voice app waits for TTFT, an", "agent for TPOT: good for one can be ba…"},
	"busy":       {"● running                      12.808 s", "7.52 ms decode for 8 users", "KV 4 % bandwidth-bound"},
	"refused":    {"● running                      12.808 s", "7.52 ms decode for 8 users", "KV 4 % bandwidth-bound"},
	"broken":     {" stopped                        1.147 s", "TTFT      –  TPOT      –", "per user      – tok/s  aggregate      –", "the embedded endpoint's port is taken", "by another program: leave and open the", "screen again", "6.66 ms decode for 1 user"},
	"slowed":     {"● running           ▲ slowed to 0.035x", "7.52 ms decode for 8 users", "4/11 One user wastes the machine: a"},
	"text panel": {"1/11 A request has two phases with"},
	"lens chat":  {"7.52 ms decode for 8 users"},
	"lens agent": {"1/11 A request has two phases with"},
	"lens voice": {"11/11 A voice app waits for TTFT, an"},
}

// lost are words that the next size leaves out or words otherwise. A figure in
// large numerals is no word.
var lost = map[string]string{
	"lens chat, 40x12 to 80x24":    "bandwidth-bound",
	"phases, 40x12 to 80x24":       "7.52 KV bandwidth-bound 1/11",
	"seesaw, 40x12 to 80x24":       "7.52 KV bandwidth-bound 4/11",
	"goodput, 40x12 to 80x24":      "7.52 KV bandwidth-bound 10/11",
	"uses, 40x12 to 80x24":         "7.52 KV bandwidth-bound 11/11",
	"broken, 40x12 to 80x24":       "TTFT TPOT per tok/s aggregate",
	"slowed, 40x12 to 80x24":       "7.52 KV bandwidth-bound 4/11",
	"slowed, 120x40 to 200x50":     "81.1 913 p99 14.3 7.52",
	"text panel, 40x12 to 80x24":   "7.52 KV bandwidth-bound 1/11",
	"lens agent, 40x12 to 80x24":   "7.52 KV bandwidth-bound 1/11",
	"lens voice, 40x12 to 80x24":   "7.52 KV bandwidth-bound 11/11",
	"chunk, 80x24 to 100x30":       "7.52",
	"many, 80x24 to 100x30":        "10.4 57",
	"pools, 80x24 to 100x30":       "7.72 more",
	"past, 80x24 to 100x30":        "1.91",
	"hybrid, 80x24 to 100x30":      "7.42 988",
	"uses, 80x24 to 100x30":        "18 31 21",
	"busy, 80x24 to 100x30":        "7.52",
	"refused, 80x24 to 100x30":     "7.52",
	"broken, 80x24 to 100x30":      "6.66",
	"lens chat, 80x24 to 100x30":   "7.52 more",
	"lens voice, 80x24 to 100x30":  "18 31",
	"many, 120x40 to 200x50":       "56",
	"pools, 120x40 to 200x50":      "more",
	"hybrid, 120x40 to 200x50":     "7.42 340",
	"seesaw, 120x40 to 200x50":     "81.1 913 p99 14.3 7.52",
	"goodput, 80x24 to 100x30":     "256",
	"goodput, 120x40 to 200x50":    "81.1 913 p99 14.3 7.52 256",
	"uses, 120x40 to 200x50":       "p99 7.52",
	"refused, 120x40 to 200x50":    "81.1 8.39 119 913 p99 14.3",
	"text panel, 120x40 to 200x50": "81.1 913 p99 14.3 7.52",
	"lens voice, 120x40 to 200x50": "p99 7.52",
	"hybrid, 200x50 to 300x80":     "141 20.2",
	"decode, 200x50 to 300x80":     "51",
	"pools, 200x50 to 300x80":      "51",
	"broken, 200x50 to 300x80":     "51",
	"uses, 200x50 to 300x80":       "31 21",
	"lens voice, 200x50 to 300x80": "31 21 20×300",
}

// skipped are words that do not count: names and hints that stand elsewhere, or only where.
var skipped = regexp.MustCompile(`^(Llama|8B|H100|it|waits|for|bytes|memory|arithmetic|rest|FLOP/B|done|room|other|panels|since|last)$`)

// TestSmallestTerminal checks the rows that matter in every state at 40x12.
func TestSmallestTerminal(t *testing.T) {
	for _, s := range states() {
		if len(smallest[s.name]) == 0 && s.name != "chunk" {
			t.Errorf("%s has no rows", s.name)
		}
		golden.Rows(t, s.name, frame(s.view(), 40, 12), smallest[s.name]...)
	}
}

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	var names []string
	views := map[string]*View{}
	for _, s := range states() {
		names, views[s.name] = append(names, s.name), s.view()
	}
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	golden.Larger(t, names, steps, skipped, lost, func(name string, w, h int) *draw.Grid {
		return frame(views[name], w, h)
	})
}

// TestNoWarningIsCut checks every state at all sizes from 80x24.
func TestNoWarningIsCut(t *testing.T) {
	var names []string
	views := map[string]*View{}
	for _, s := range states() {
		names, views[s.name] = append(names, s.name), s.view()
	}
	golden.Uncut(t, names, func(name string, w, h int) *draw.Grid { return frame(views[name], w, h) })
}
