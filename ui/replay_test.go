package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// record returns a run of a fake backend: a first token after 262 ms, then chunks
// 7 ms apart, with a stall of 310 ms before chunk 40.
func recordedRun(id int, gap time.Duration) metrics.Run {
	b, e := uitest.New().Backend, uitest.Demo
	e.Model = "llama-3.1-8b"
	b.Use("", e)
	b.Advance(5 * time.Second)
	b.Begin(metrics.Workload{Name: "chat", Prompt: "How does a model answer?", MaxTokens: 400})
	b.Advance(14 * time.Millisecond)
	b.Sent()
	b.Advance(262 * time.Millisecond)
	words := strings.Fields("Between your question and the first word of the answer the language model reads . It " +
		"takes the whole question at once , turns it into small pieces , and sends all of them through its layers " +
		"together , the way you might look at a page before you speak about it . Nothing is written yet . From where you " +
		"sit there is only a short silence , and most of it is this reading .")
	for i := range 80 {
		b.Chunk(words[i%len(words)] + " ")
		if b.Advance(gap); i == 38 {
			b.Advance(310*time.Millisecond - gap)
		}
	}
	b.Finish()
	run := b.Runs()[0]
	run.Stream.ID = id
	return run
}

const file = "session-20261120-140509.123-4711.ndjson"

// replays opens a recording of these requests and shows it.
func replays(r *harness, requests ...metrics.Run) {
	r.b.SetReplay(file, requests...)
	r.spawn(r.m.show(r.m.screens.find(screen.Replay)))
	r.drain()
}

// TestReplayGolden holds a replay paused on a stall, and one compared with a
// pinned live run.
func TestReplayGolden(t *testing.T) {
	sheet := golden.NewSheet(t, "replay")
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		for _, ascii := range []bool{false, true} {
			if ascii && size[0] != 80 {
				continue
			}
			play(t, "replay", size[0], size[1], Options{ASCII: ascii}, func(r *harness) {
				name := fmt.Sprintf("%dx%d", size[0], size[1])
				if ascii {
					name += ", ASCII"
				}
				replays(r, recordedRun(11, 7*time.Millisecond))
				r.do("home n")
				sheet.Text("paused on a stall, "+name, r.screen())
				pinned := recordedRun(10, 9*time.Millisecond)
				r.m.look.Pinned = &pinned
				r.press("esc", "end")
				sheet.Text("against a pinned live run, "+name, r.screen())
				r.b.Lack(0, 11, false)
				r.press("home", ".")
				sheet.Text("incomplete, "+name, r.screen())
			})
		}
	}
}

// recordedLoad returns a load that failed in part, and of which the file has those
// requests.
func recordedLoad(id, sent int, requests []metrics.Run) uitest.RecordedLoad {
	point := func(users int, speed float64) loadstat.Point {
		return loadstat.Point{Users: users, Steady: true, From: 1e9, To: 6e9,
			Speed: metrics.Known(speed, 3), Total: metrics.Known(speed*float64(users), 0), Requests: 3}
	}
	v := loadstat.View{Began: 1e9, Now: 9e9, Path: []loadstat.Point{point(1, 149), point(2, 120)},
		Drive: loadstat.Drive{Users: 2}, SLOs: []slo.Objective{{Name: "ttft", Limit: 500}}, Sent: sent, Done: 40, Failed: 4}
	return uitest.RecordedLoad{ID: id, View: v, Requests: requests}
}

// openLoads opens a recording with these loads and shows the Load screen.
func openLoads(r *harness, loads ...uitest.RecordedLoad) {
	r.b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
	r.b.SetLoads(loads...)
	r.spawn(r.m.show(r.m.screens.find(screen.LoadReplay)))
	r.do("drain home")
}
