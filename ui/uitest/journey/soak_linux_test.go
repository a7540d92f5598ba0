package journey

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/session"
	"tokscope/ui/uitest/vterm"
)

var (
	long    = testkit.Long() // run the test that takes minutes: TestSoak
	soakFor = flag.Duration("soak", 10*time.Minute, "for TestSoak: how long it measures")
)

const (
	soakUsers = 1000
	soakText  = "prefill 500ms; 250 tokens @ 20ms; finish; usage; done"
	// soakSettles is the time after which the memory must be flat: the window of a
	// load and the past of its lanes have their size after one minute.
	soakSettles = 2 * time.Minute
	// soakGrows is by how much of its mean the memory may grow from then on, by a
	// straight line through all samples. The collector lets it go up and down by
	// some percent, which such a line evens out.
	soakGrows = 0.1
)

// soakSample matches the nonce of the requests that are compared, one of ten: logs
// of all would take gigabytes.
const soakSample = `\[request [0-9a-f]+-[0-9]*0\]`

// TestSoak runs the built program with a thousand users at 50 chunks/s each on its
// Load screen, on a terminal of 200x50, against a server in another process. For
// each minute it prints the program's memory and the error of the gaps between
// chunks, against the server's log. It fails if the memory grows, if a chunk of a
// compared request is missing, or if the program does not end well. A soak of less
// than four minutes does not judge the memory:
//
//	go test ./ui/uitest/journey -run TestSoak -v -timeout 30m
func TestSoak(t *testing.T) {
	if !long {
		t.Skip("ten minutes: run it with TOKSCOPE_LONG=1")
	}
	server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true, ChatOnly: true, Logged: soakSample}))(t)
	defer server.Close()
	s := soak{t: t, server: server, seen: map[string]session.StampLine{}, waiting: map[string]*probetest.Log{}}
	x := s.start()
	defer x.Close()
	s.measure(x)
	s.end(x)
}

// soak is one run of TestSoak.
type soak struct {
	t      *testing.T
	server *probetest.Process
	stamps *os.File // the FIFO with the stamps of the program
	read   sync.WaitGroup

	mu   sync.Mutex
	seen map[string]session.StampLine // by nonce, not compared yet

	waiting  map[string]*probetest.Log // logs that were not compared yet
	compared int                       // chunks
	at, rss  []float64                 // seconds since the beginning, MB
}

// must ends the test for an error.
func (s *soak) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// start runs the program until all users have sent a request.
func (s *soak) start() *vterm.Term {
	dir := s.t.TempDir()
	path := filepath.Join(dir, "stamps")
	s.must(syscall.Mkfifo(path, 0o600))
	var err error
	s.stamps, err = os.OpenFile(path, os.O_RDWR, 0) // reading alone would wait for the program
	s.must(err)
	s.read.Go(s.readStamps)
	r := programRun{c: programCase{streams: soakUsers, tokens: 250}, dir: dir}
	cmd := r.command(built(s.t), s.server.URL(soakText), "--model", "m", "--prompt", "a prompt of the soak",
		"--max-tokens", "250")
	x, err := vterm.Start(cmd, 200, 50)
	s.must(err)
	s.t.Cleanup(x.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s.must(s.server.AwaitRequests(ctx, 1)) // of Live
	s.must(x.Until(patience, "tokscope"))
	s.must(x.Keys("<tab>", "u", "1", "0", "0", "0", "<enter>", "<space>"))
	x.Pause()
	s.must(s.server.AwaitRequests(ctx, 1+soakUsers))
	return x
}

// readStamps keeps what the program says of the requests of the sample, until a
// line is empty.
func (s *soak) readStamps() {
	sample := regexp.MustCompile(soakSample)
	in := bufio.NewReader(s.stamps)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil || len(text) == 1 {
			return
		}
		var l session.StampLine
		if err := json.Unmarshal(text, &l); err != nil {
			s.t.Errorf("%.200q: %v", text, err)
		}
		if sample.MatchString(l.Nonce) {
			s.mu.Lock()
			s.seen[l.Nonce] = l
			s.mu.Unlock()
		}
	}
}

// measure looks at the memory every second, and at the stamps every minute, or
// five times if the soak is shorter.
func (s *soak) measure(x *vterm.Term) {
	began := time.Now()
	every := min(time.Minute, *soakFor/5)
	next := every
	for tick := time.NewTicker(time.Second); ; <-tick.C {
		now := time.Since(began)
		s.at, s.rss = append(s.at, now.Seconds()), append(s.rss, float64(statusOf(x.Pid(), "VmRSS"))/1024)
		if s.rss[len(s.rss)-1] == 0 {
			s.t.Fatalf("the program has ended; the screen:\n%s", x.Screen())
		}
		if now < next {
			continue
		}
		x.Forget()
		s.report(now)
		if next += every; now >= *soakFor {
			tick.Stop()
			break
		}
	}
	if *soakFor < 2*soakSettles {
		s.t.Logf("the memory is not judged: that takes %v", 2*soakSettles)
		return
	}
	from, _ := slices.BinarySearch(s.at, soakSettles.Seconds())
	mean, growth := line(s.at[from:], s.rss[from:])
	s.t.Logf("RSS %.1f MB on average, growth %+.1f MB in %.0f s", mean, growth, s.at[len(s.at)-1]-s.at[from])
	if growth > soakGrows*mean {
		s.t.Errorf("the memory grows by %.1f MB, more than %.0f %% of %.1f", growth, 100*soakGrows, mean)
	}
}

// report compares the stamps of the requests that have ended since the last report
// and prints the result.
func (s *soak) report(now time.Duration) {
	var c probetest.Comparison
	s.compare(&c)
	us := func(p float64) float64 { return float64(probetest.Quantile(c.Gap, p)) / 1e3 }
	s.t.Logf("%5.0f s: RSS %.1f MB, gap error p50 %.1f p99 %.1f max %.0f µs of %d gaps", now.Seconds(),
		s.rss[len(s.rss)-1], us(0.5), us(0.99), us(1), len(c.Gap))
	if len(c.Gap) == 0 {
		s.t.Errorf("no request ended in the time before %v", now)
	}
}

// compare adds to c what both sides know of.
func (s *soak) compare(c *probetest.Comparison) {
	plan := probetest.MustParse(soakText)
	sample := regexp.MustCompile(soakSample)
	logs, err := s.server.TakeLogs()
	s.must(err)
	for _, l := range logs {
		if len(l.Writes) == len(plan.Writes) { // else it was cut
			s.waiting[string(sample.Find(l.Body))] = l
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for nonce, l := range s.waiting {
		got, ok := s.seen[nonce]
		if !ok {
			continue
		}
		delete(s.waiting, nonce)
		delete(s.seen, nonce)
		if got.State != metrics.Done.String() {
			continue // stopped at the end
		}
		if err := c.Add(plan, l, probetest.Seen{Sent: *got.Sent, Tokens: got.At, Reads: got.Read}); err != nil {
			s.t.Errorf("request %s: %v", nonce, err)
		}
		s.compared += len(got.At)
	}
}

// end stops the load and the program, and looks for requests that it never spoke
// of.
func (s *soak) end(x *vterm.Term) {
	x.Resume()
	s.must(x.Resize(200, 49)) // draws everything again
	s.must(x.Keys("x", "x"))
	s.must(x.Until(patience, "ended"))
	s.must(x.Type("q"))
	if code, err := x.Exit(patience); err != nil || code != 0 {
		s.t.Errorf("exit code %d, %v", code, err)
	}
	_, err := s.stamps.WriteString("\n") // the last line
	s.must(err)
	s.read.Wait()
	s.must(s.stamps.Close())
	var c probetest.Comparison
	s.compare(&c)
	s.t.Logf("%d chunks compared", s.compared)
	for nonce := range s.waiting {
		s.t.Errorf("request %s has no stamps", nonce)
	}
}

// line returns the mean of y, and by how much the line of least squares through
// the points rises from the first x to the last.
func line(x, y []float64) (mean, rise float64) {
	n := float64(len(x))
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	return sy / n, slope * (x[len(x)-1] - x[0])
}

// TestLine checks the fit on a line, with and without what goes up and down.
func TestLine(t *testing.T) {
	x, y := make([]float64, 100), make([]float64, 100)
	for i := range x {
		x[i] = float64(i)
		y[i] = 80 + 0.5*x[i] + 5*float64(i%2)
	}
	if mean, rise := line(x, y); math.Abs(mean-(80+24.75+2.5)) > 1e-9 || math.Abs(rise-49.5) > 0.5 {
		t.Errorf("a mean of %v, a rise of %v", mean, rise)
	}
}
