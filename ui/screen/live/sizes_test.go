package live

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// smallest are rows of each state at 40x12, in their order.
var smallest = map[string][]string{
	"idle":        {"ready  at most 400 tokens", "TTFT      – ms     SPEED     – tok/s", "TPOT      – ms     READER    – reading", " ready", " the prompt goes to demo"},
	"connecting":  {"connecting  at most 400 tokens", " connecting", " TCP"},
	"waiting":     {"waiting  at most 400 tokens", "TTFT    410 ms     SPEED     – tok/s", " waiting for the first token", " sent; no answer yet", "  1 ms ┤⠭⡪⡪⡪⡪⡪⡪⡪⡪"},
	"progress":    {"waiting  at most 400 tokens", "TTFT   1.24 s      SPEED     – tok/s", " queued or in prefill", " 512 of 2,048 prompt tokens"},
	"reasoning":   {"decoding  75 chunks", "TTFT    220 ms     SPEED ~59.4 tok/s", "TPOT  ~16.8 ms     READER  14× reading"},
	"tool":        {"✓ done  37/400 tokens", "TTFT    220 ms     SPEED  36.6 tok/s", "TPOT   27.3 ms     READER 8.4× reading"},
	"stalled":     {"▲ stalled  94 chunks", "TTFT   90.0 ms     SPEED ~35.1 tok/s", "TPOT  ~28.5 ms     READER 6.6× reading"},
	"done":        {"✓ done  146/400 tokens", "TTFT   41.0 ms     SPEED   141 tok/s", "TPOT   7.11 ms     READER  36× reading"},
	"timings":     {"✓ done  101/400 tokens", "TTFT   41.0 ms     SPEED   143 tok/s", "TPOT   7.00 ms     READER  37× reading"},
	"error":       {"✗ failed  51 chunks", "TTFT    300 ms     SPEED ~67.0 tok/s", "TPOT  ~14.9 ms     READER  13× reading", " ✗ the server broke the connection in", "   the middle of the answer", " next  ask again; when it happens", "       again, look for a time limit of", "       the server or of a proxy"},
	"truncated":   {"▲ truncated  81 chunks", " ─────────────────────────────────────", " ▲ the stream ended without a finish", "   reason and without [DONE]", " next  the server or a proxy on the", "       way cut it off: ask again, and", "       look at its log"},
	"stopped":     {"○ stopped  81 chunks", "TTFT    120 ms     SPEED ~90.0 tok/s", " · stopped by you; what arrived is", "   kept"},
	"refused":     {"✗ failed", " ✗ the server refused the key", " next  check GROQ_API_KEY, or make a", "       new key at the provider", "   HTTP 401 · invalid_api_key", " │ {\"error\":{\"message\":\"Incorrect API", " │ key provided: [redacted]␛[2J\",", " │  \"type\":\"invalid_request_error\"}}"},
	"limited":     {"✗ failed", " ✗ HTTP 429 Too Many Requests: slow", "   down", " next  the rate limit is reached: try", "       again in 7s, or send fewer"},
	"unreachable": {"✗ failed", " ✗ the connection was refused by", " next  check that the server runs and", "       the port is right"},
	"decoding":    {"decoding  121 chunks", "TTFT   41.0 ms     SPEED  ~190 tok/s", "TPOT  ~5.25 ms     READER  36× reading"},
	"length":      {"✓ done (length)  901/400 tokens"},
}

// lost are words that the next size leaves out or words otherwise. The answer
// wraps elsewhere, an axis of time has other numbers, and from 100x30 on the
// figures are drawn in big digits.
var lost = map[string]string{
	"connecting, 40x12 to 80x24":   "at most 400",
	"waiting, 40x12 to 80x24":      "at most 400",
	"progress, 40x12 to 80x24":     "at most",
	"length, 40x12 to 80x24":       "901/400",
	"error, 40x12 to 80x24":        "proxy",
	"truncated, 40x12 to 80x24":    "look",
	"stopped, 40x12 to 80x24":      "That why many users can share",
	"lens chat, 40x12 to 80x24":    "most 400",
	"tool, 80x24 to 100x30":        "500",
	"stalled, 80x24 to 100x30":     "~28.5 ~35.1 reading pace",
	"error, 80x24 to 100x30":       "~14.9 ~67.0 500",
	"truncated, 80x24 to 100x30":   "~11.1 ~90.0 500",
	"stopped, 80x24 to 100x30":     "first ~11.1 ~90.0 500",
	"decoding, 80x24 to 100x30":    "first ~5.25 ~190",
	"reasoning, 80x24 to 100x30":   "~16.8 ~59.4",
	"timings, 80x24 to 100x30":     "17.0",
	"lens voice, 80x24 to 100x30":  "first ~5.25",
	"lens agent, 80x24 to 100x30":  "Then 7.11",
	"decoding, 120x40 to 200x50":   "gaps unknown 163",
	"stalled, 120x40 to 200x50":    "127",
	"done, 120x40 to 200x50":       "gaps unknown 145",
	"truncated, 120x40 to 200x50":  "108",
	"stopped, 120x40 to 200x50":    "108",
	"length, 120x40 to 200x50":     "connect 30.1",
	"error, 120x40 to 200x50":      "30.1",
	"lens voice, 120x40 to 200x50": "gaps unknown 163",
	"lens agent, 120x40 to 200x50": "gaps unknown 145",
}

// skipped are words that do not count: the smallest screen alone has them, or
// a larger one writes the whole sum.
var skipped = regexp.MustCompile(`^(READER|of|residual)$`)

// TestSmallestTerminal checks the rows that matter in every state at 40x12.
// The lens has no room there.
func TestSmallestTerminal(t *testing.T) {
	for _, name := range states {
		if len(smallest[name]) == 0 {
			t.Errorf("%s has no rows", name)
		}
		golden.Rows(t, name, frame(scene(name), 40, 12), smallest[name]...)
	}
	for _, l := range lenses {
		bare := through(l.lens, l.scene)
		bare.Lens = ""
		if got, want := frame(through(l.lens, l.scene), 40, 12).Plain(), frame(bare, 40, 12).Plain(); got != want {
			t.Errorf("the lens %s changes the smallest screen to\n%s", l.lens, got)
		}
	}
	v := scene("done")
	v.ShowDefinitions = true
	golden.Rows(t, "definitions", frame(v, 40, 12),
		"╭ what the figures mean ──────────────╮",
		"│ TTFT = first chunk − sent  (ms)     │",
		"│   unknown: before the event, and    │",
		"╰─────────────────────────────────────╯")
}

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	views := everyView()
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	names := slices.Sorted(maps.Keys(views))
	golden.Larger(t, names, steps, skipped, lost, func(name string, w, h int) *draw.Grid {
		return frame(views[name](), w, h)
	})
}

// TestNoWarningIsCut checks every state, and every doubt and note about its
// figures, at all sizes from 80x24.
func TestNoWarningIsCut(t *testing.T) {
	views := map[string]*View{}
	for name, view := range everyView() {
		views[name] = view()
	}
	for _, code := range []metrics.SuspectCode{metrics.SuspectBuffered, metrics.SuspectTerminalBurst, metrics.SuspectHeld, metrics.SuspectMultiToken, metrics.SuspectFirstChunk,
		metrics.SuspectFewTokens, metrics.SuspectUsageZero, metrics.SuspectUsageOver, metrics.SuspectUsageAsked, metrics.SuspectUsageFell, metrics.SuspectPromptOver,
		metrics.SuspectPromptCut, metrics.SuspectHidden, metrics.SuspectCompressed, metrics.SuspectTruncated, metrics.SuspectLate, metrics.SuspectStopped, metrics.SuspectMixed,
		metrics.SuspectBody, metrics.SuspectClock, metrics.SuspectServer, metrics.SuspectCached, metrics.SuspectChoices, metrics.SuspectOrder} {
		for _, more := range []int{0, 12} {
			v := scene("done")
			v.Figures.Suspect = []metrics.Suspicion{{Code: code, N: 12_345, Of: 67_890, Ratio: 98.7, Ms: 87_654, Limit: 98_765, Name: "a-long-name", Delay: metrics.Delay{Code: metrics.DelayMixed, P99: 9876, Shared: 0.4}}}
			for range more {
				v.Stream.Notes = append(v.Stream.Notes, metrics.Note{Code: "retried", Text: "the request was sent again"})
			}
			views[fmt.Sprintf("%s and %d more", code, more)] = v
		}
	}
	for _, code := range []string{metrics.NoteOtherModel, "usage_refused", "retried", "max_completion_tokens"} {
		v := scene("done")
		v.Stream.Notes = []metrics.Note{{Code: code, Text: strings.Repeat("a long text of outside ", 9)}}
		views["note "+code] = v
	}
	golden.Uncut(t, slices.Sorted(maps.Keys(views)), func(name string, w, h int) *draw.Grid { return frame(views[name], w, h) })
}

// TestNoDefinitionIsCut checks that the formulas and texts of all definitions
// are whole at every size, scrolled to the end.
func TestNoDefinitionIsCut(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 80}} {
		v := scene("done")
		v.ShowDefinitions, v.Findings = true, []verdict.Finding{}
		s, g := newPicture(), frame(v, size[0], size[1])
		for range 150 {
			s.Draw(g, g.Bounds(), v)
			for _, row := range strings.Split(g.Plain(), "\n") {
				if strings.Contains(row, " = ") && strings.Contains(row, "…") && !strings.Contains(row, "“") {
					t.Fatalf("%v cuts %q", size, row)
				}
			}
			s.Move(1)
		}
	}
}

// TestNoRowIsCutInTheMiddle checks at every width that a pattern of the wait has its
// name, that a row of numbers has its unit beside one of them and once, that the line
// of the request ends with a whole word, and that no reason of the figures is cut. What
// has ended has nothing that is not there "yet".
func TestNoRowIsCutInTheMiddle(t *testing.T) {
	nobody := with("refused", func(v *View) { v.Stream.Marks = metrics.NewMarks(); measured(v) })
	views := map[string]*View{"nobody listens": nobody, "one unit": layOut("connect 2ms", "prefill 400us", "20 x 20ms", "done").view(-1),
		"asked": with("waiting", func(v *View) { v.Stream.Work.InputTokens, v.Stream.Work.MaxTokens = 10000, 300 })}
	for _, name := range []string{"done", "timings", "refused", "waiting", "connecting", "progress"} {
		views[name] = scene(name)
	}
	rules := []struct {
		in  string // of these rows
		cut *regexp.Regexp
	}{
		{"server: ", regexp.MustCompile(`[⣿⡪⡐⠭] *(│|$)|\d {2,}ms`)},
		{"wait ", regexp.MustCompile(`[µ\d]s ms`)},
		{"about 10,000", regexp.MustCompile(`(about|at|most|tokens|connection|\d) *(│|$)`)},
		{"││", regexp.MustCompile(`││.*…`)},
	}
	seen := make([]int, len(rules))
	for name, v := range views {
		for w := 80; w <= 300; w++ {
			text := frame(v, w, 24+w%40).Plain()
			for row := range strings.SplitSeq(text, "\n") {
				for i, rule := range rules {
					if strings.Contains(row, rule.in) {
						if seen[i]++; rule.cut.MatchString(row) {
							t.Errorf("%s, %d columns: cut: %s", name, w, row)
						}
					}
				}
			}
			if v.Stream.State.Ended() && strings.Contains(text, " yet") {
				t.Errorf("%s, %d columns: it has ended, and is not there yet:\n%s", name, w, text)
			}
		}
	}
	for i, n := range seen {
		if n < 100 {
			t.Errorf("%d rows with %q were seen", n, rules[i].in)
		}
	}
}

// TestUnexplainedHasRoom checks that the line of the wait names its unexplained part
// from 80x24 on, whatever the other parts are.
func TestUnexplainedHasRoom(t *testing.T) {
	for _, ms := range []float64{0.06, 2, 35, 347, 2_345, 45_678, 234_567} {
		share := func(name string, server bool) metrics.Share {
			return metrics.Share{Name: name, Ms: metrics.Known(ms, 1), Server: server}
		}
		wait := []metrics.Share{share("dns", false), share("tcp", false), share("tls", false), share(metrics.ShareSend, false)}
		for i, name := range []string{metrics.ServerPrefill, metrics.ServerQueue, metrics.ServerLoad, metrics.ShareServer} {
			wait = append(wait, share(name, true))
			v := scene("timings")
			v.Figures.Wait = append(wait[:len(wait):len(wait)], share(metrics.ShareUnexplained, false))
			v.Figures.TTFT = metrics.Known(ms*float64(i+2), 1)
			for _, size := range at("80x24 100x30 120x40 200x50") {
				says(t, fmt.Sprintf("%v ms in %d parts of the server at %v", ms, i+1, size), frame(v, size[0], size[1]), "unexplained ")
			}
		}
	}
}
