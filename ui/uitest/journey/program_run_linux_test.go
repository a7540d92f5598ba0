package journey

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/probe/app"
	"tokscope/probe/probetest"
	"tokscope/probe/session"
	"tokscope/ui/uitest/vterm"
)

// benchProgram lets one binary measure the load and compares what it measured
// with the server's log.
func benchProgram(b *testing.B, c programCase, binary string) {
	for b.Loop() {
		server := spawn(b)
		defer server.Close()
		r := &programRun{b: b, c: c, server: server, dir: b.TempDir()}
		var o outcome
		switch c.how {
		case onLive, onIdle, onLoad:
			r.onTerminal(binary, &o)
		default:
			r.headless(binary, &o)
		}
		if c.how != onIdle {
			r.compare(&o)
		}
		o.print(b)
	}
}

// programRun is one run of a binary.
type programRun struct {
	b      *testing.B
	c      programCase
	server *probetest.Process
	dir    string
}

func (r *programRun) stamps() string { return filepath.Join(r.dir, "stamps") }
func (r *programRun) stdout() string { return filepath.Join(r.dir, "stdout") }

// text is the script of the run. With a load one more request takes part in the
// lockstep: that of Live, which the load cancels.
func (r *programRun) text() string {
	switch r.c.how {
	case onLoad:
		return r.c.text(r.c.streams + 1)
	case asSweep: // begins its users itself, and some of them twice
		_, rest, _ := strings.Cut(r.c.text(0), "; spread")
		_, rest, _ = strings.Cut(rest, "; ")
		return rest
	}
	return r.c.text(r.c.streams)
}

func (r *programRun) command(binary string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Env = environment(r.dir)
	if !*unstamped {
		cmd.Env = append(cmd.Env, app.StampsEnv+"="+r.stamps())
	}
	return cmd
}

// common are the flags of every run.
func (r *programRun) common() []string {
	return []string{r.server.URL(r.text()), "--model", "m", "--prompt", "a prompt of the benchmark"}
}

const (
	// settled is how long an ended request still moves on the screen: the fades
	// of its last words.
	settled = 2 * time.Second
	// idleFor is how long the program is measured while nothing happens.
	idleFor = 10 * time.Second
)

// onTerminal runs the program on a pseudo terminal. Its output is read at once
// and drawn by nobody while it is measured.
func (r *programRun) onTerminal(binary string, o *outcome) {
	b := r.b
	cols, rows := r.c.size()
	x, err := vterm.Start(r.command(binary, append(r.common(), "--max-tokens", strconv.Itoa(r.c.tokens))...), cols, rows)
	must(b, err)
	defer x.Close()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatalf("%v\nthe screen:\n%s", err, x.Screen())
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	requests := 1 // of Live
	must(r.server.AwaitRequests(ctx, requests))
	if r.c.how == onLoad {
		requests += r.c.streams
		must(x.Until(patience, "tokscope")) // keys are read
		keys := []string{"<tab>", "u"}
		for _, digit := range strconv.Itoa(r.c.streams) {
			keys = append(keys, string(digit))
		}
		must(x.Keys(append(keys, "<enter>", "<space>")...))
	}
	x.Pause()
	must(r.server.AwaitRequests(ctx, requests))
	if r.c.how == onLoad {
		must(x.Type(" ")) // hold: nobody sends a second request
	}
	if r.c.how == onIdle {
		x.Resume()
		must(x.Resize(cols-1, rows))
		must(x.Until(patience, "done"))
		time.Sleep(settled)
	}
	began, cpu := time.Now(), usedBy(x.Pid())
	x.Pause() // frames count from here on
	if r.c.how == onIdle {
		time.Sleep(idleFor)
	} else if _, err := r.server.Logs(); err != nil { // waits for the ends
		b.Fatal(err)
	}
	o.cpu, o.during = usedBy(x.Pid())-cpu, time.Since(began)
	o.frames = float64(frames(x.Resume())) / o.during.Seconds()
	must(x.Resize(cols, rows-1)) // draws everything again
	if r.c.how == onLoad {
		must(x.Type("x"))
		must(x.Until(patience, "ended"))
	} else {
		must(x.Until(patience, "done"))
	}
	o.rss = residentPeak(x.Pid())
	must(x.Type("q"))
	if code, err := x.Exit(patience); err != nil || code != 0 {
		b.Fatalf("exit code %d, %v", code, err)
	}
}

// headless runs probe or sweep, with stdout in a file.
func (r *programRun) headless(binary string, o *outcome) {
	b := r.b
	n := strconv.Itoa(r.c.streams)
	args := append([]string{"probe"}, r.common()...)
	switch r.c.how {
	case asSweep:
		args = append([]string{"sweep"}, r.common()...)
		args = append(args, "--users", n, "--requests", n, "--output-tokens", strconv.Itoa(r.c.tokens), "--json")
	case asJSON:
		args = append(args, "-n", n, "-c", n, "--max-tokens", strconv.Itoa(r.c.tokens), "--json")
	default:
		args = append(args, "-n", n, "-c", n, "--max-tokens", strconv.Itoa(r.c.tokens), "--ndjson")
	}
	cmd := r.command(binary, args...)
	out, err := os.Create(r.stdout())
	must(b, err)
	defer out.Close()
	var errs strings.Builder
	cmd.Stdout, cmd.Stderr = out, &errs
	must(b, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			o.rss = max(o.rss, residentPeak(cmd.Process.Pid))
			continue
		case err := <-ended:
			if err != nil {
				b.Fatalf("%v\n%s", err, errs.String())
			}
		}
		break
	}
	o.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// nonce finds what distinguishes a request from the others of its run.
var nonce = regexp.MustCompile(`\[request [0-9a-f]+(-\d+)?\]`)

// compare fills o with what the program measured, as far as it says so.
func (r *programRun) compare(o *outcome) {
	b := r.b
	list, err := r.server.Logs()
	must(b, err)
	logs := map[string]*probetest.Log{}
	for _, l := range list {
		if key := string(nonce.Find(l.Body)); key != "" || r.c.how != onLoad {
			logs[key] = l
		}
	}
	plan := probetest.MustParse(r.text())
	tokens := plan.Tokens()
	for _, l := range list {
		for _, t := range tokens {
			if t.Write < len(l.Writes) {
				o.written++
			}
		}
	}
	seen := r.seen(o)
	if r.c.how == asSweep {
		maps.DeleteFunc(logs, func(key string, l *probetest.Log) bool {
			_, ended := seen[key]
			return len(l.Writes) != len(plan.Writes) || len(seen) > 0 && !ended
		})
	}
	if r.c.how == onLoad && len(seen) > 0 {
		// The program began on Live, with a request that Load cut.
		maps.DeleteFunc(logs, func(key string, l *probetest.Log) bool {
			_, known := seen[key]
			return len(l.Writes) != len(plan.Writes) && !known
		})
		if len(logs) < r.c.streams {
			b.Fatalf("%d requests of %d users", len(logs), r.c.streams)
		}
	}
	o.sent = len(tokens) * len(logs)
	for key, s := range seen {
		if logs[key] == nil {
			continue
		}
		o.counted += len(s.Tokens)
		if len(s.Tokens) != len(tokens) {
			continue // print complains
		}
		must(b, o.Add(plan, logs[key], s))
	}
	if o.stamped = len(seen) > 0; !o.stamped {
		b.Log("this binary says no stamps of this case: errors, chunks and lateness are left out")
		for _, l := range logs {
			if len(l.Writes) != len(plan.Writes) {
				continue // Live's, which Load cut
			}
			for i := 1; i < len(tokens); i++ {
				o.True = append(o.True, l.Writes[tokens[i].Write].Before-l.Writes[tokens[i-1].Write].Before)
			}
		}
	}
	o.reported = r.reported()
}

// seen are the requests by their nonce: from the dump of stamps, or from the
// lines of probe --ndjson if the binary knows no dump. Lateness goes into o.
func (r *programRun) seen(o *outcome) map[string]probetest.Seen {
	all := map[string]probetest.Seen{}
	for line := range r.lines(r.stamps()) {
		var l session.StampLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			r.b.Fatal(err)
		}
		if l.Sent == nil || r.c.how == asSweep && l.State != "done" {
			continue // a sweep cancels what runs when its step has ended
		}
		if r.c.how == onLoad && len(l.At) == 0 && strings.HasPrefix(l.State, "cancel") {
			continue // Live's, from before the load
		}
		all[l.Nonce] = probetest.Seen{Sent: *l.Sent, Tokens: l.At, Reads: l.Read}
		for _, late := range l.Late {
			o.late = append(o.late, int64(late))
		}
	}
	if len(all) > 0 || r.c.how != asLines {
		return all
	}
	nonces := map[int]string{}
	for line := range r.lines(r.stdout()) {
		var l struct {
			Type     string
			ID       int
			Read     int32
			MS       float64 `json:"t_ms"`
			Workload struct{ Nonce string }
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			r.b.Fatal(err)
		}
		switch l.Type {
		case "request":
			nonces[l.ID] = l.Workload.Nonce
		case "chunk":
			s := all[nonces[l.ID]]
			s.Tokens, s.Reads = append(s.Tokens, int64(math.Round(l.MS*1e6))), append(s.Reads, l.Read)
			all[nonces[l.ID]] = s
		}
	}
	return all
}

// lines are those of a file, none if it is missing.
func (r *programRun) lines(path string) func(yield func(string) bool) {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		r.b.Fatal(err)
	}
	return strings.Lines(string(data))
}

// reported is the p99 of the gaps in ms that the program printed, 0 when it
// printed none.
func (r *programRun) reported() float64 {
	if r.c.how != asJSON && r.c.how != asSweep {
		return 0
	}
	type dist struct{ P99 *float64 }
	var doc struct {
		Summary json.RawMessage
		Points  []struct {
			Gap dist `json:"gap_ms"`
		}
	}
	data, err := os.ReadFile(r.stdout())
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		r.b.Fatal(err)
	}
	var p99 *float64
	if r.c.how == asSweep && len(doc.Points) == 1 {
		p99 = doc.Points[0].Gap.P99
	} else if r.c.how == asJSON {
		var s struct {
			Gap dist `json:"gap_ms"`
		}
		if err := json.Unmarshal(doc.Summary, &s); err != nil {
			r.b.Fatal(err)
		}
		p99 = s.Gap.P99
	}
	if p99 == nil {
		r.b.Fatal("the document has no p99 of the gaps")
	}
	return *p99
}

// usedBy is the CPU time that a process has used, 0 when it is gone. It reads
// the process's CPU-time clock, whose number is made as in clock_getcpuclockid(3).
func usedBy(pid int) time.Duration {
	const scheduled = 2 // the clock counts ns of the scheduler, not ticks
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduled), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// frameApart is the smallest time between reads of different frames. A frame
// is written at once, in pieces of the terminal's buffer size.
const frameApart = 5 * time.Millisecond

// frames is the number of frames in output that was read at these moments.
func frames(reads []time.Time) (n int) {
	for i, at := range reads {
		if i == 0 || at.Sub(reads[i-1]) >= frameApart {
			n++
		}
	}
	return n
}
