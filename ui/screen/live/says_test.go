package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// says checks the words on g. Before some of them stands what is asked of them: with
// "not:" they are missing, with "top:" the screen begins with them, with "warn:" they
// are a warning, and with "calm:" none.
func says(t *testing.T, what string, g *draw.Grid, words ...string) {
	t.Helper()
	text := g.Plain()
	for _, w := range words {
		ask, rest, ok := strings.Cut(w, ":")
		switch {
		case ok && ask == "not":
			ok = !strings.Contains(text, rest)
		case ok && ask == "top":
			ok = strings.HasPrefix(text, rest)
		case ok && (ask == "warn" || ask == "calm"):
			_, _, role := find(t, g, rest)
			ok = (role == themes.Warn) == (ask == "warn")
		default:
			ok = strings.Contains(text, w)
		}
		testkit.That(t, ok, "%s: not %q in\n%s", what, w, text)
	}
}

// at are sizes: "80x24 120x40".
func at(text string) (list [][2]int) {
	for f := range strings.FieldsSeq(text) {
		var w, h int
		if _, err := fmt.Sscanf(f, "%dx%d", &w, &h); err != nil {
			panic(err)
		}
		list = append(list, [2]int{w, h})
	}
	return list
}

// with is a scene that f changes.
func with(name string, f func(v *View)) *View {
	v := scene(name)
	f(v)
	return v
}

// maximized is v with that panel alone.
func maximized(v *View, p Panel) *View {
	v.Max = p
	return v
}

// measured is v with the figures of its stream as it is now.
func measured(v *View) *View {
	v.Figures = metrics.Measure(&v.Stream, metrics.Options{})
	return v
}

// stallOf is a stream that comes to a stand after 1.3 s, as it stood at d.
func stallOf(d time.Duration) *View {
	return layOut("reused", "prefill 90ms", "60 x 20ms", "stall 40s", "done").view(d)
}

const ms = time.Millisecond

// TestSays is the table of what must be on the screen, or must not: in which state,
// at which sizes of the terminal, which words. It is the place for "X is shown" and
// "X is said".
func TestSays(t *testing.T) {
	const all, larger, from100, boxed = "40x12 80x24 120x40 200x50", "80x24 120x40 200x50",
		"100x30 120x40 200x50 300x80", "80x24 80x50 100x30 120x40 200x50 300x80"
	asking := with("connecting", func(v *View) {
		v.Stream.Asking, v.Stream.Marks, v.Stream.Conn = true, metrics.NewMarks(), metrics.Connection{}
		v.Stream.Marks.Start, v.Stream.DataDeadline = 0, metrics.NoStamp
		measured(v)
	})
	stopped := layOut("reused", "prefill 100s").view(81400 * ms)
	stopped.Stream.State, stopped.Stream.Marks.End = metrics.Cancelled, stopped.Now
	stopped.Stream.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped by you"}
	measured(stopped)
	clock := with("waiting", func(v *View) { v.Now += 1e9 }) // the figures stay as they are
	first := with("waiting", func(v *View) {                 // the clock stops with the chunk
		v.Stream = layOut("connect 48ms", "prefill 400ms", "2 x 20ms", "done").at(470 * ms)
		v.Now = v.Stream.Now
	})
	noFigures := with("decoding", func(v *View) {
		v.Figures.Speed, v.Figures.TPOT = metrics.Unknown(metrics.WhyNoTokens), metrics.Unknown(metrics.WhyNoTokens)
	})
	notes := func(list ...metrics.Note) *View { return with("done", func(v *View) { v.Stream.Notes = list }) }
	alias := metrics.Note{Code: metrics.NoteModelAlias, Text: "the server calls the model m-2024-08-06"}
	other := metrics.Note{Code: metrics.NoteOtherModel, Text: "another model answered: mid"}
	late := func(s metrics.Source) *View {
		return with("decoding", func(v *View) { v.Observer.LateP99, v.Stream.Stamps = 4*ms, s })
	}
	doubted := func(s ...metrics.Suspicion) *View {
		return with("done", func(v *View) { v.Figures.Suspect, v.Findings = s, []verdict.Finding{} })
	}
	unstamped := func(name string) *View {
		return with(name, func(v *View) {
			v.Stream.Stamps, v.Stream.Events, v.Observer.LateP99, v.Observer.N = metrics.SourceUser, 0, 4*ms, 10
		})
	}
	priced := func(currency string) *View {
		return maximized(with("timings", func(v *View) {
			v.Stream.Endpoint.Price = metrics.Price{In: 0.5, Out: 2, Currency: currency}
			v.Figures.PromptTokens, v.Figures.Tokens = metrics.Known(1000, 0), metrics.Known(500, 0)
			v.Figures.CachedTokens, v.Figures.TokenSource = metrics.Known(100, 0), metrics.TokensUsage
		}), NowPanel)
	}
	uploaded := layOut("reused", "prefill 900ms", "30 x 40ms", "done").view(-1)
	uploaded = withPath(uploaded, func(p *metrics.Path) { p.Acked, p.Upload = uploaded.Stream.Marks.Sent+400e6, true })

	silent := func(v *View) { v.Now = v.Stream.LastData + 6e9 }
	searches := func(v *View, took metrics.Stamp) *View { // a tool of the server runs before the first token
		from, to := v.Stream.Marks.Sent+1e9, metrics.NoStamp
		if took > 0 {
			to = from + took
		}
		v.Stream.Server, v.Stream.Waits = nil, []metrics.Wait{{Name: "web_search", From: from, To: to}}
		measured(v).Findings = conclude(v)
		return v
	}
	slow := layOut("reused", "prefill 5s", "60 x 20ms", "done")
	pinned, later := ended(1, 50, nil), layOut("reused", "prefill 90ms", "80 x 20ms", "stall 2s", "30 x 20ms", "done")
	pin := func(v *View) *View {
		v.Pinned, v.Findings = &pinned, nil
		return v
	}
	failed := func(id, status int, kind metrics.FaultKind) metrics.Run {
		return ended(id, 50, func(s *metrics.Stream) {
			s.State, s.Fault = metrics.Failed, &metrics.Fault{Kind: kind, Status: status, Message: "no"}
		})
	}

	noPace := []string{"not:0 stalls", "not:stalls    0", "not:stalls   0"}

	for _, c := range []struct {
		what  string
		view  *View
		sizes string
		words []string
	}{
		// the sentence on top
		{"waiting", scene("waiting"), boxed, []string{"top: No token for 410 ms"}},
		{"decoding", scene("decoding"), boxed, []string{"41.0 ms"}},
		{"stalled", scene("stalled"), boxed, []string{"top: Nothing for 4.29 s after chunk 94"}},
		{"done", scene("done"), boxed, []string{"top: First token after 41.0 ms, 32.8 ms of it prefill. Then 141 tok/s"}},
		{"refused", scene("refused"), boxed, []string{"top: Failed 69.9 ms after sent, no token: HTTP 401"}},
		{"idle", scene("idle"), boxed, []string{"top: no request sent yet"}},
		{"of another endpoint", with("done", func(v *View) {
			v.Endpoint = metrics.Endpoint{Name: "groq", URL: "https://api.groq.com/openai/v1"}
		}), "80x40 120x40", []string{"top: last run, demo: ", "41.0 ms"}},
		{"no row for it", scene("done"), "79x24 80x23 40x12", []string{"not: First token after"}},
		{"it counts a silence", stallOf(1300 * ms), "80x24", []string{" 90.0 ms to first token"}},
		{"it counts a silence", stallOf(3 * time.Second), "80x24", []string{" Nothing for 1.71 s"}},
		{"it counts a silence", stallOf(6 * time.Second), "80x24", []string{" Nothing for 4.71 s"}},

		// the smallest terminal
		{"idle", scene("idle"), "40x12", []string{"TTFT", "speed", "not:–", "the prompt goes to demo"}},
		{"connecting", scene("connecting"), "40x12", []string{"connecting ─ at most 400 tokens", " TCP"}},
		{"waiting", scene("waiting"), "40x12", []string{"410 ms", "not:–", " no byte of an answer yet"}},
		{"progress", scene("progress"), "40x12", []string{" queued or in prefill", " 25 % of 2,048 tokens"}},
		{"decoding", scene("decoding"), "40x12", []string{"decoding ─ 121 chunks", "~6.20 ms", "reading 36x"}},
		{"done", scene("length"), "40x12", []string{"✓ done (length) ─ 901/400 tokens"}},
		{"refused", scene("refused"), "40x12", []string{"HTTP 401 · invalid_api_key", "key provided: [redacted]␛[2J"}},
		{"limited", scene("limited"), "40x12", []string{" ✗ HTTP 429 Too Many Requests: slow", "again in 7s, or send fewer"}},
		{"unreachable", scene("unreachable"), "40x12", []string{"the connection was refused by", "the port is right"}},
		{"definitions", with("done", func(v *View) { v.Definitions = true }), "40x12",
			[]string{"╭ what the figures mean ──", "│ TTFT = first chunk − sent  (ms)     │"}},

		{"definitions", maximized(with("done", func(v *View) { v.Definitions = true }), ScopePanel), "80x24",
			[]string{"╭ what the figures mean ──", "TTFT = first chunk − sent"}},

		// the wait
		{"asking is not connecting", asking, all, []string{"asking", "not:connecting"}},
		{"a bound", scene("longwait"), "120x40", []string{"times out in 90 s (first byte 120 s)"}},
		{"a bound", scene("longwait"), "80x24", []string{"times out in 90 s"}},
		{"no alarm for nothing", scene("waiting"), "120x40", []string{"not:times out"}},
		{"the bound of a silence", stallOf(12 * time.Second), "120x40", []string{"times out in 20 s (idle 30 s)"}},
		{"the clock", scene("waiting"), "80x24", []string{"wait 410 ms"}},
		{"the clock between figures", clock, "80x24", []string{"wait 1.41 s"}},
		{"the clock stops", first, "80x24", []string{"TTFT    400 ms "}},
		{"a stopped wait", stopped, "80x24", []string{">81.4 s"}},
		{"a stopped wait", stopped, "120x40", []string{"no event"}},
		{"unknown is not zero", with("refused", func(v *View) { v.Stream.State = metrics.Cancelled }), "120x40",
			[]string{"connect "}},
		{"an upload", uploaded, "120x40", []string{"upload 400 ms"}},
		{"no chunks, no counts", scene("waiting"), all, []string{"not:0 stalls", "not:0 bursts", "not:stalls    0",
			"not:bursts    0"}},
		{"no chunks, no counts", scene("refused"), all, []string{"not:0 stalls", "not:0 bursts", "not:stalls    0",
			"not:bursts    0"}},
		{"no stamps, no source", unstamped("waiting"), "120x40", []string{"not:stamps", "not:blurred"}},
		{"no stamps, no source", unstamped("refused"), "120x40", []string{"not:stamps", "not:blurred"}},

		{"a stopped wait", stoppedWait(), "120x40 200x50", []string{"> 8.18 s", "no byte", "✓ request sent",
			"○ waiting for the answer", "8.18 s  until you stopped it", "not:failed", "· waiting for a token"}},
		{"a stopped wait", stoppedWait(), "80x24", []string{">8.18 s", "✓ request sent", "○ waiting for the answer",
			"8.18 s", "· waiting for a token"}},
		{"thinking that is counted, and not sent", with("waiting", func(v *View) {
			v.Stream.Marks.FirstEvent, v.Stream.Usage.Reasoning = v.Now-1e8, 840
		}), "80x24 120x40", []string{"thinking ", "840 tokens so far"}},
		{"thinking that has begun, and is not sent", with("waiting", func(v *View) {
			v.Stream.Marks.FirstEvent, v.Stream.Thinks = v.Now-1e8, true
		}), "80x24 120x40", []string{"thinking ", "no text of it yet"}},
		{"Ollama loads a model", with("waiting", func(v *View) { v.Stream.Endpoint.API = "ollama" }), "80x24 120x40",
			[]string{"the model may be loading"}},
		{"a tool before the first token", searches(slow.view(4*time.Second), 0), "80x24 120x40",
			[]string{"waiting for web_search",
				"wait 500 ms", "web_search 3.0", ": the server's tool web_search has run for 3.0",
				"the server's tool web_search works",
				"not:queue"}},
		{"after it", searches(slow.view(-1), 3e9), "80x24 120x40",
			[]string{", 3.00 s of it the server's tool web_search", "web_search 3.00 s"}},
		{"its parts", searches(slow.view(-1), 3e9), "120x40",
			[]string{"TTFT: first byte 500 ms, wait 1.50 s, web_search 3.00 s"}},

		// the figures
		{"what is left of a limit", maximized(limited(6000, 4000), NowPanel), "120x40", []string{
			"tokens left      4,000        of 6,000 reset in 50 s", "pace             200/s        2 answers",
			"used up in       20 s         before the reset", "requests left    –            not reported"}},
		{"too few answers", maximized(limited(4000), NowPanel), "120x40", []string{"needs 2 answers in 60 s "}},
		{"nothing left", maximized(limited(6000, 0), NowPanel), "120x40", []string{"used up in       now"}},
		{"a limit beside the figures", limited(6000, 4000), "300x80", []string{"limit   4,000 tokens, reset in 50 s"}},
		{"its sum beside the total", scene("done"), "120x40", []string{"total   1.07 s", "not:+ 0 ms"}},
		{"its sum beside the total", scene("done"), "200x50", []string{"total   1.07 s = TTFT + 145 × TPOT ",
			"not:residual"}},
		{"its sum beside the total", scene("done"), "300x80", []string{"= TTFT + 145 × TPOT ", "not:+ 0 ms"}},
		{"speed in chunks", noFigures, "120x40", []string{"speed chunks/s"}},
		{"speed in chunks", scene("decoding"), "200x50", []string{"chunks/s"}},
		{"the median", scene("done"), "80x24", []string{"p50 41.5 "}},
		{"gaps unknown", layOut("reused", "prefill 90ms", "60 x 20ms", "burst 120", "20 x 20ms", "done").view(-1), "200x50",
			[]string{"bursts  1, 119 gaps unknown"}},
		{"held back", layOut("reused", "prefill 1200ms", "60 x 50us", "done").view(-1), all, noPace},
		{"held back with a pause", layOut("connect 30ms", "prefill 2400ms", "40 x 30us", "stall 3ms", "50 x 40us",
			"length").view(-1), all, noPace},
		{"held back for long", layOut("reused", "prefill 31s", "300 x 100us", "done").view(-1), all, noPace},
		{"the cost of stalls alone", layOut("reused", "prefill 90ms", "80 x 20ms", "stall 2s", "50 x 40ms", "done").view(-1),
			"120x40",
			[]string{"pause   1, 35 % of decode"}},
		{"retried", with("done", func(v *View) { v.Stream.Retried = 1 }), "200x50", []string{"warn:, retried"}},
		{"late, not seen by the kernel", late(metrics.SourceKernel), "120x40", []string{"calm:stamps  kernel ",
			"not:4.00 ms"}},
		{"late with our own stamps", late(metrics.SourceUser), "200x50", []string{"stamps  user", "warn:, blurred by"}},
		{"firsts", maximized(scene("reasoning"), NowPanel), "120x40", []string{"TTFT token       220 ms       +",
			"TTFC content     1.08 s       +", "TPOT             ~19.4 ms", "per user         ~51.6 tok/s"}},
		{"the first choice", maximized(with("timings",
			func(v *View) { v.Stream.Marks.FirstRole = v.Stream.Marks.Sent + 12e6 }), NowPanel),
			"200x50", []string{"first choice     12.0 ms"}},
		{"no first choice", maximized(scene("waiting"), NowPanel), "200x50",
			[]string{"first choice     –            no event yet"}},
		{"no price", maximized(scene("timings"), NowPanel), "200x50",
			[]string{"cost             –            no price is configured"}},
		{"a price", priced("EUR"), "200x50", []string{"cost             0.001500 EUR cached tokens in full"}},
		{"a price in a long currency", priced("credits"), "200x50", []string{"cost             0.001500     credits"}},

		{"what is usual", with("done", func(v *View) {
			v.Stream.Usual = &metrics.Usual{TTFT: metrics.Band{N: 45, Median: 170, Low: 150, High: 200}}
		}), "80x24 120x40", []string{"usual 170"}},
		{"nothing twice, and no zero", layOut("reused", "prefill 90ms", "120 x 7ms", "done").view(-1),
			"80x24 100x30 120x40 200x50 300x80", []string{"not:lag", "not:per user", "not:+ 0 ms", "not:╭ reading",
				"not:pauses  0", "not:pause   0", "not:bursts  0", "figures"}},
		{"the pinned one, at 900 ms", pin(later.view(900 * ms)), "120x40",
			[]string{"vs #1 +40.0 ms", "at the end", "not:than #1"}},
		{"the pinned one, at 3.2 s", pin(later.view(3200 * ms)), "120x40",
			[]string{"vs #1 +40.0 ms", "at the end", "not:than #1"}},
		{"the pinned one, at the end", pin(later.view(-1)), "120x40",
			[]string{"vs #1 +40.0 ms", "not:at the end", "slower than #1"}},
		{"the pinned one itself", pin(after(pinned)), "120x40", []string{"not:#1", "1="}},

		// a silence while it lasts
		{"without a tool of the server", with("decoding", silent), "80x24 120x40", []string{"stalled"}},
		{"while a tool of the server works", with("decoding", func(v *View) {
			silent(v)
			v.Stream.Waits = []metrics.Wait{{Name: "web_search", From: v.Stream.LastData, To: metrics.NoStamp}}
			v.Findings = conclude(v)
		}), "80x24 120x40", []string{"waiting for web_search", "web_search 6.0", "not:he pause", "not:stalled",
			"not:nothing for", "not:Nothing for"}},
		{"a silence", stallOf(6 * time.Second), all, []string{"▲ stalled"}},
		{"a silence", stallOf(6 * time.Second), larger, []string{"longest", "4.71 s"}},
		{"a silence", stallOf(6 * time.Second), "200x50", []string{"still going on", "cost known when it ends"}},
		{"no stall yet", stallOf(1600 * ms), "80x24", []string{"decoding"}},
		{"slow, not stuck", layOut("reused", "prefill 90ms", "9 x 1.5s", "done").view(12 * time.Second), "80x24",
			[]string{"decoding"}},
		{"slow, not stuck", layOut("reused", "prefill 90ms", "9 x 1.5s", "done").view(12 * time.Second), "120x40",
			[]string{"nothing for 1.41 s"}},

		// the scope
		{"what lies outside", scene("stalled"), "80x24 120x40 200x50", []string{" 2.00 s", "4.29 s", "2× paused 6.29 s"}},
		{"no row without a figure", scene("done"), "120x40 200x50", []string{"not:stalls 0", "not:bursts 0", "not: pace "}},
		{"no half figure", scene("done"), "20x6", []string{"TTFT    41.0 ms", "speed   141 tok/s"}},
		{"where the answer begins", scene("reasoning"), "120x40", []string{"⠶ reasoning 858 ms", "⠶ answer "}},
		{"no answer behind reasoning", scene("decoding"), "120x40", []string{"not:⢐ answer"}},
		{"reasoning after the answer", with("reasoning", func(v *View) {
			v.Figures.Reasoning.First.V = v.Figures.Answer.First.V + 1
		}), "120x40", []string{"not:⢐ answer"}},

		// notes and doubts
		{"another name of the model", notes(alias), "120x60", []string{"calm:  the server calls the model"}},
		{"another model", notes(other, alias), "120x40", []string{"warn:! another model answered: mid"}},
		{"a note", notes(metrics.Note{Text: "usage refused by the server; asked again\x1b[31m without it"}), "120x40",
			[]string{"warn:! usage refused by the server; asked again␛[31m without it"}},
		{"a doubt", doubted(metrics.Suspicion{Code: metrics.SuspectChoices, N: 2}), "120x40",
			[]string{"! 2 choices at once: gaps, TPOT, speed and words are those of"}},
		{"other choices", with("decoding", func(v *View) {
			v.Stream.Chunks = append([]metrics.Chunk(nil), v.Stream.Chunks...)
			v.Stream.Chunks[9].Choice = 1
		}), "120x40", []string{"chunks of other choices are not shown"}},
		{"a long note to its end", doubted(metrics.Suspicion{Code: metrics.SuspectMultiToken, Ratio: 2.76}), "120x40",
			[]string{"! a chunk carries 2.76 tokens: a gap between chunks is not", "│   gap between tokens "}},
		{"a long note in few words", doubted(metrics.Suspicion{Code: metrics.SuspectMultiToken, Ratio: 2.76}), "80x24",
			[]string{"! 2.76 tokens a chunk "}},

		// failures
		{"broken", scene("error"), all, []string{"✗ failed", "the server broke the", "next  ask again", "again:"}},
		{"truncated", scene("truncated"), all, []string{"▲ truncated", "without", "next  the server or a proxy"}},
		{"stopped", scene("stopped"), all, []string{"stopped", "what arrived is"}},
		{"refused", scene("refused"), all, []string{"✗ failed", "the server refused the key", "next  check GROQ_API_KEY"}},
		{"a refused list of models", with("refused", func(v *View) {
			m := &v.Stream.Marks
			end := m.End
			*m = metrics.NewMarks()
			m.Start, m.End, v.Stream.Head = 0, end, nil
		}), "80x50 120x40", []string{"not sent: the server was asked first", "not:connecting", "not:waiting for"}},
		{"a refused upgrade", with("refused", func(v *View) {
			v.Stream.Marks.Headers, v.Stream.Marks.Sent = v.Stream.Marks.Sent+2e6, metrics.NoStamp
		}), "80x50 120x40", []string{"· request not sent", "✓ server answered", "HTTP 401", "not:✗ sending"}},
		{"an answer over a WebSocket", with("waiting", func(v *View) {
			v.Stream.Marks.Headers = v.Stream.Marks.Sent + 2e6
			v.Stream.Head = &metrics.ResponseHead{Status: 101, Proto: "WebSocket"}
		}), "80x24 120x40", []string{"✓ server answered", "not:HTTP 101"}},
		{"words that stand for others", with("done", func(v *View) { v.Stream.TextRemoved = true }), all,
			[]string{"not:reader, "}},
		{"one keep-alive", with("waiting", func(v *View) { v.Stream.Comments = 1 }), "80x24",
			[]string{"1 keep-alive arrived"}},
		{"an escape of the server", scene("refused"), "120x40", []string{"not:\x1b", "␛[2J"}},
		{"the head of a broken stream", maximized(cutWithHead(), TextPanel), "120x40",
			[]string{"✗ the server broke the connection",
				"next  ask again", "HTTP/1.1 200 OK", "X-Request-Id: req-17␛[2J", "long end", "3 more headers",
				"not shown: Set-Cookie", "worker died"}},
		{"the head of a broken stream", cutWithHead(), "200x50", []string{"HTTP/1.1 200 OK"}},

		// the session
		{"all its runs", after(twentyRuns()...), "120x40", []string{"session ─ 20 runs"}},
		{"what failed", after(failed(1, 500, metrics.FaultHTTP), failed(2, 429, metrics.FaultRateLimit), ended(3, 50, nil)),
			"120x40", []string{"✗ 500 server error", "✗ 429 rate limited", "✓ stop"}},
		{"runs that are left out", with("done", func(v *View) { v.RunsLeftOut = 180 }), "120x40",
			[]string{"session ─ last 3 of 183 runs"}},

		// the lens
		{"earlier runs", with("done", func(v *View) {
			v.Lens, v.Runs = "chat", append(earlierRuns(v), metrics.Run{Stream: v.Stream, Figures: v.Figures})
		}), "120x40", []string{"median of 2 earlier runs", "250 ms ✓", "100 tok/s ✓"}},
		{"a lens in a box", through("chat", "done"), "120x40 200x50 80x60", []string{"lens ─ chat"}},
		{"a lens in a row", through("chat", "done"), "80x24 120x30", []string{"chat ✓", "not:lens ─"}},
		{"no room for a lens", through("chat", "done"), "40x12 300x18", []string{"not:chat ✓", "not:lens ─"}},
	} {
		for _, size := range at(c.sizes) {
			says(t, fmt.Sprint(c.what, " at ", size), frame(c.view, size[0], size[1]), c.words...)
		}
	}
	for result, want := range map[metrics.ConnectResult]string{
		metrics.ConnectOK: "answered in 12.0 ms", metrics.ConnectRefused: "refused", metrics.ConnectTimeout: "not answered",
		metrics.ConnectFailed: "not answered",
	} {
		for _, plan := range []string{"reused; silence 4s", "reused; prefill 90ms; 30 x 40ms; silence 3s"} {
			v := layOut(strings.Split(plan, "; ")...).view(3900 * ms)
			v = withPath(v, func(p *metrics.Path) {
				p.Connects = []metrics.PathConnect{{At: v.Stream.Now - 1e8, Elapsed: 12 * ms, Result: result}}
			})
			says(t, plan, frame(v, 120, 40), ": "+want)
		}
	}
	for source, want := range map[metrics.TokenSource]string{
		metrics.TokensUsage: "from server", metrics.TokensContinuous: "from server", metrics.TokensIDs: "token ids",
		metrics.TokensTimings: "from server", metrics.TokensLogprobs: "logprobs", metrics.TokensEstimated: "estimated",
	} {
		for _, size := range at(larger) {
			v := with("done", func(v *View) { v.Figures.TokenSource = source })
			says(t, fmt.Sprint("tokens at ", size), frame(v, size[0], size[1]), want)
		}
	}
}
