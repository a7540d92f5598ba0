package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// record returns a run of a fake backend: a first token after 262 ms, then chunks
// 7 ms apart, with a stall of 310 ms before chunk 40.
func recordedRun(id int, gap time.Duration) metrics.Run {
	b := uitest.New()
	b.Advance(5 * time.Second)
	b.Begin(metrics.Workload{Name: "chat", Prompt: "How does a model answer?", MaxTokens: 400})
	b.Advance(14 * time.Millisecond)
	b.Sent()
	b.Advance(262 * time.Millisecond)
	words := strings.Fields("Between your question and the first word of the answer the language model reads . It takes the whole question at once , turns it into small pieces , and sends all of them through its layers together , the way you might look at a page before you speak about it . Nothing is written yet . From where you sit there is only a short silence , and most of it is this reading .")
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

// TestReplayByKeys steps through a recording by keys, and back to Live with the
// recorded run pinned.
func TestReplayByKeys(t *testing.T) {
	play(t, "replay", 120, 40, Options{First: screen.Replay}, func(r *harness) {
		if r.shown() != screen.Live || !strings.Contains(r.screen(), "no recording is open") {
			t.Fatalf("without a recording it shows %s:\n%s", r.shown(), r.screen())
		}
		r.b.SetReplay(file, recordedRun(11, 7*time.Millisecond), recordedRun(12, 9*time.Millisecond))
		r.spawn(r.m.show(r.m.screens.find(screen.Replay)))
		r.drain()
		for _, c := range []struct{ key, want string }{
			{"space", " replay 1x"}, {"space", "replay paused 1x"}, {"-", "paused 0.5x"}, {"+", "paused 1x"},
			{".", "0.26 of 1.12 s"}, {"n", "310 ms after 39"}, {"n", "no stall after this moment"}, {"home", "0.00 of 1.12 s"}, {"N", "no stall before"},
			{"end", "done"}, {"=", "unpin"}, {"down", "╭ request 12 ─"}, {"down", "the last request"}, {"n", "pinned #11"},
			{"D", "request 12 to its end as other tools define it"}, {"esc", "pinned #11"},
			{"end", "vs #11"}, {"D", "request 12 as other tools define it"}, {"D", "vs #11"},
		} {
			if r.press(c.key); !strings.Contains(r.screen(), c.want) {
				t.Fatalf("%q does not show %q:\n%s", c.key, c.want, r.screen())
			}
		}
		if s := r.m.Summary(); !strings.Contains(s, "Run 12") {
			t.Errorf("the summary does not name the recorded runs:\n%s", s)
		}
		r.press("esc", "esc")
		if _, open := r.b.ReplayState(); open || r.shown() != screen.Live {
			t.Fatalf("esc leaves the replay open %v on %s", open, r.shown())
		}
		r.b.Advance(time.Second)
		r.do("space sent")
		r.b.Advance(300 * time.Millisecond)
		r.b.Chunk("Live ")
		r.b.Advance(time.Second)
		r.do(`chunk:"too." finish wait:1s > vs #11`)
	})
}

// TestReplayWaits leaves a replay that runs: it waits, and the header of the other
// screens says so.
func TestReplayWaits(t *testing.T) {
	play(t, "replay", 120, 40, Options{}, func(r *harness) {
		r.b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
		r.spawn(r.m.show(r.m.screens.find(screen.Replay)))
		r.do("drain space 1")
		if s, _ := r.b.ReplayState(); !s.Paused || r.shown() != screen.Live {
			t.Errorf("%+v on %s", s, r.shown())
		}
		r.do("wait:1s > replay paused")
		r.do(`: "the replay" enter`)
		if r.shown() != screen.Replay {
			t.Errorf("the palette shows %s:\n%s", r.shown(), r.screen())
		}
	})
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
				r.b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
				r.spawn(r.m.show(r.m.screens.find(screen.Replay)))
				r.drain()
				r.do("home n")
				sheet.Text("paused on a stall, "+name, r.screen())
				pinned := recordedRun(10, 9*time.Millisecond)
				r.m.look.Pinned = &pinned
				r.press("esc", "end")
				sheet.Text("against a pinned live run, "+name, r.screen())
				r.b.Missing(metrics.ReplayIncomplete)
				r.press("home", ".")
				sheet.Text("incomplete, "+name, r.screen())
			})
		}
	}
}

// recordedLoad returns a load that failed in part, and of which the file has those
// requests.
func recordedLoad(about loadstat.Replay, ended *request.Log) uitest.RecordedLoad {
	point := func(users int, speed float64) loadstat.Point {
		return loadstat.Point{Users: users, Steady: true, From: 1e9, To: 6e9,
			Speed: metrics.Known(speed, 3), Total: metrics.Known(speed*float64(users), 0), Requests: 3}
	}
	v := loadstat.View{Began: 1e9, Now: 9e9, Path: []loadstat.Point{point(1, 149), point(2, 120)},
		Live: point(2, 120), Drive: loadstat.Drive{Users: 2}, SLOs: []slo.Objective{{Name: "ttft", Limit: 500}},
		Sent: 44, Done: 40, Failed: 4}
	about.File = file
	return uitest.RecordedLoad{View: v, About: about, Ended: ended}
}

// openLoads opens a recording with these loads and shows the Load screen.
func openLoads(r *harness, loads ...uitest.RecordedLoad) {
	r.b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
	r.b.SetLoads(loads...)
	r.spawn(r.m.show(r.m.screens.find(screen.LoadReplay)))
	r.do("drain home")
}

// TestLoadReplayByKeys goes through the loads of a recording by keys, to its
// requests and back. It sends nothing, and time changes nothing.
func TestLoadReplayByKeys(t *testing.T) {
	play(t, "replay", 120, 40, Options{First: screen.LoadReplay}, func(r *harness) {
		if r.shown() != screen.Live || !strings.Contains(r.screen(), "no recording of a load is open") {
			t.Fatalf("without a recording it shows %s:\n%s", r.shown(), r.screen())
		}
		sent := len(r.b.Calls())
		openLoads(r,
			recordedLoad(loadstat.Replay{Load: 4, Sent: 44, Recorded: 3, Stopped: "the budget\x1b[2J is used up"}, uitest.Requests(0, 3)),
			recordedLoad(loadstat.Replay{Load: 7, Sent: -1, NoEnd: true}, nil))
		for _, want := range []string{"load 1 of 2, last window, 2 users: 120 tok/s", "ended after 8 s", "44 requests sent",
			"40 requests", "errors 4", "the budget␛[2J is used up", "ttft ≤ 500 ms", "╭ requests ─ 3 ended", "3 of 44 in the file"} {
			r.sees(want)
		}
		before := r.screen()
		r.wait(3 * time.Second)
		if after := r.screen(); after != before {
			t.Errorf("it changes by itself:\n%s", after)
		}
		for _, c := range []struct{ key, want string }{
			{"v", "frontier"}, {"v", "over prompt length"}, {"v", "per-user falls"}, {"left", "this is the first load of the recording"},
			{"right", "load 2 of 2"}, {"right", "this is the last load of the recording"}, {"left", "load 1 of 2"},
			{"enter", "request 3, recorded"}, {"esc", "╭ requests ─ 3 ended"},
		} {
			r.press(c.key)
			r.sees(c.want)
		}
		r.do("right > cut off after 8 s | errors –  429 –  no end in file")
		r.press("tab")
		if r.shown() != screen.Replay {
			t.Fatalf("tab shows %s", r.shown())
		}
		r.do("tab > load 2 of 2")
		r.press("esc")
		if _, _, open := r.b.LoadReplay(); open || r.shown() != screen.Live {
			t.Errorf("esc leaves the replay open %v on %s", open, r.shown())
		}
		openLoads(r, recordedLoad(loadstat.Replay{Load: 4}, nil))
		if s := r.screen(); !strings.Contains(s, "load 4") || strings.Contains(s, "load 4 of") {
			t.Errorf("a load that is alone:\n%s", s)
		}
		if have := r.b.Calls()[sent:]; len(have) > 0 {
			t.Errorf("it asked for %q", have)
		}
	})
}

// TestReplayNamesTheWayOut holds that the footer of a replay has it at any width.
func TestReplayNamesTheWayOut(t *testing.T) {
	for _, w := range []int{40, 60, 80} {
		play(t, "replay", w, 12, Options{}, func(r *harness) {
			load := recordedLoad(loadstat.Replay{Load: 1, Sent: 44}, nil)
			openLoads(r, load, load)
			for _, s := range []screen.Name{screen.Replay, screen.LoadReplay} {
				r.spawn(r.m.show(r.m.screens.find(s)))
				r.do("drain home")
				rows := strings.Split(r.screen(), "\n")
				if s == screen.LoadReplay && w == 80 && strings.Contains(r.screen(), "…") {
					t.Errorf("something is cut:\n%s", r.screen())
				}
				if foot := rows[len(rows)-1]; !strings.Contains(foot, "esc live") {
					t.Errorf("%s at %d columns: %q", s, w, foot)
				}
			}
		})
	}
}

// TestReplayNamesARequestOnce checks that the text panel, the header and the list of
// runs have one name for the shown request: its number in the file.
func TestReplayNamesARequestOnce(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {100, 30}, {80, 24}, {200, 50}} {
		play(t, "replay", size[0], size[1], Options{First: screen.Replay}, func(r *harness) {
			r.b.SetReplay(file, recordedRun(6, 7*time.Millisecond), recordedRun(35, 9*time.Millisecond))
			r.spawn(r.m.show(r.m.screens.find(screen.Replay)))
			r.drain()
			r.do("down end")
			text := r.screen()
			header, _, _ := strings.Cut(text, "\n")
			if !strings.Contains(text, "╭ request 35 ─") && (size[0] > 80 || !strings.Contains(text, "╭ #35 ─")) || !strings.Contains(header, "request 35 (2 of 2)") && !strings.Contains(header, "#35") || strings.Contains(text, "stream 35") || strings.Contains(header, "request 2 ") {
				t.Errorf("%v: %q in\n%s", size, header, text)
			}
		})
	}
}
