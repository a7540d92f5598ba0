package journey

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/ui/format"
	"tokscope/ui/uitest/vterm"
)

// TestMemoryOfThousandStreams: the whole program, with a thousand streams that
// all run at once and are kept, never holds more than 80 MB: code, stacks,
// garbage and what the end of all of them takes included. It is 69 to 71 MB. With
// deeper stacks of requests that wait it was 81 to 83; with a goroutine a stream 7
// more, and with Go's own setting of its collector 150 to 156. The lesser of two
// rounds counts. On a busy machine the folder is late, and lines wait for it: a round
// of which the program says so itself counts only where it is within the bound.
func TestMemoryOfThousandStreams(t *testing.T) {
	const most = 80 << 10
	peak, late := memoryOfThousand(t)
	if peak > most {
		again, lateAgain := memoryOfThousand(t)
		peak, late = min(peak, again), late || lateAgain
	}
	t.Logf("%d kB at most", peak)
	if peak > most && late {
		t.Skipf("this machine held the program up: %d kB of it and of what waited, at most %d of the program", peak, most)
	}
	testkit.That(t, peak != 0 && peak <= most, "a thousand streams took up to %d kB, at most %d", peak, most)
}

// memoryOfThousand is the most memory that a probe of a thousand streams has, kB, and
// whether the program says that it was late itself.
func memoryOfThousand(t *testing.T) (peak int, late bool) {
	// Each request takes longer than the start of all of them.
	peak, out := memoryOfProbe(t, "prefill 1s; 40 tokens @ 50ms; finish; usage; done", "-n", "1000", "-c", "1000",
		"--max-tokens", "60")
	testkit.Given(t, strings.Contains(out, "1,000 done"), "not all streams ended well:\n%s", out)
	return peak, strings.Contains(out, "tokscope read ") || strings.Contains(out, "tokscope lagged ")
}

// TestMemoryOfManyStreams: a further stream beyond the first thousand, all of which run at
// once, takes at most metrics.StreamMemory: 54 to 60 kB on a busy machine. With TOKSCOPE_LONG=1
// they are 4,096, else 2,000. The lesser of two rounds counts.
func TestMemoryOfManyStreams(t *testing.T) {
	many, plan := 2000, "prefill 4s; 20 tokens @ 200ms; finish; usage; done"
	if long {
		many, plan = loadstat.MaxUsers, "prefill 12s; 40 tokens @ 300ms; finish; usage; done"
	}
	probe := func(n int) int {
		peak, out := memoryOfProbe(t, plan, "-n", strconv.Itoa(n), "-c", strconv.Itoa(n), "--max-tokens", "60")
		testkit.Given(t, strings.Contains(out, format.Count(n)+" done"), "not all streams ended well:\n%s", out)
		return peak
	}
	thousand := probe(1000)
	of := func(peak int) float64 { return float64(peak-thousand) * 1024 / float64(many-1000) }
	each := of(probe(many))
	if each > metrics.StreamMemory { // where another process held up the collector
		each = min(each, of(probe(many)))
	}
	t.Logf("%d kB for a thousand, %.0f bytes for each further one of %d", thousand, each, many)
	testkit.That(t, thousand > 0 && each <= metrics.StreamMemory, "a stream takes %.0f bytes, at most %d", each,
		metrics.StreamMemory)
}

// memoryOfProbe is the most memory that a probe of that plan with these flags
// has, kB, and what it prints.
func memoryOfProbe(t *testing.T, plan string, flags ...string) (peak int, out string) {
	t.Helper()
	server := testkit.Must(probetest.Spawn(probetest.Options{}))(t)
	defer server.Close()
	return memoryOfProbeAt(t, server.URL(plan), flags...)
}

// memoryOfProbeAt is memoryOfProbe at any URL.
func memoryOfProbeAt(t *testing.T, url string, flags ...string) (peak int, out string) {
	t.Helper()
	cmd := exec.Command(built(t), append([]string{"probe", url, "--model", "m", "-q"}, flags...)...)
	cmd.Env = environment(t.TempDir())
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			peak = max(peak, residentPeak(cmd.Process.Pid))
		case err := <-ended:
			exit := (*exec.ExitError)(nil)
			testkit.Given(t, err == nil || errors.As(err, &exit), "%v\n%s", err, all.String())
			return peak, all.String()
		}
	}
}

// TestMemoryOfLongRequests: the program with a thousand users on its Load screen, each with
// a request of 2,000 chunks, never holds more than 120 MB, their ends included. It was
// 212 MB and more while the requests that a recording names kept their chunks as they are.
// It runs in real time: TOKSCOPE_LONG=1.
func TestMemoryOfLongRequests(t *testing.T) {
	if !long {
		t.Skip("two minutes: run it with TOKSCOPE_LONG=1")
	}
	const users, chunks, most = 1000, 2000, 120 << 10
	server := testkit.Must(probetest.Spawn(probetest.Options{ChatOnly: true, Logged: "nothing"}))(t)
	defer server.Close()
	url := server.URL(fmt.Sprintf("prefill 2s; %d tokens @ 40ms; finish; usage; done", chunks))
	cmd := exec.Command(built(t), url, "--model", "m", "--max-tokens", fmt.Sprint(chunks))
	cmd.Env = environment(t.TempDir())
	x := testkit.Must(vterm.Start(cmd, 200, 50))(t)
	defer x.Close()
	must(t, x.Until(patience, "tokscope"))
	must(t, x.Keys("2", "u", "1", "0", "0", "0", "<enter>", "<space>"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	must(t, server.AwaitRequests(ctx, users))
	must(t, x.Keys("<space>")) // no second request
	must(t, x.Until(5*time.Minute, "on hold, 0 requests under way"))
	peak := residentPeak(x.Pid())
	t.Logf("%d kB at most", peak)
	testkit.That(t, peak != 0 && peak <= most,
		"%d users with %d chunks each took up to %d kB, at most %d", users, chunks, peak, most)
}

// TestMemoryOfLongAnswers: 60 answers of 5 MB, four at once, take at most
// 150 MB. When every answer was kept to the end they took more than 300.
func TestMemoryOfLongAnswers(t *testing.T) {
	t.Parallel() // a busy machine changes it little: it was 90 MB on one
	const most = 150 << 10
	peak, out := memoryOfProbe(t, "burst 20000; size 250; group 200; finish; usage; done", "-n", "60", "-c", "4")
	t.Logf("%d kB at most\n%s", peak, out)
	testkit.Given(t, strings.Contains(out, "60 done") && strings.Contains(out, "left out"),
		"want 60 done and what was left out:\n%s", out)
	testkit.That(t, peak != 0 && peak <= most, "60 answers of 5 MB took up to %d kB, at most %d", peak, most)
}

// TestMemoryOfLongTexts: the same where the 5 MB are text, in events of 200
// bytes and of 20 kB, beside four programs that want all of the processor: it
// was up to 179 MB there. No round is taken twice.
func TestMemoryOfLongTexts(t *testing.T) {
	const most = 150 << 10
	for _, size := range []int{200, 20_000} {
		event := fmt.Appendf(nil, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n",
			strings.Repeat("word ", size/5))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 5 << 20 / size {
				_, _ = w.Write(event)
			}
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: "+
				"[DONE]\n\n")
		}))
		built(t) // before the machine is busy
		idle := busy(t, 4)
		peak, out := memoryOfProbeAt(t, server.URL+"/v1", "-n", "12", "-c", "4")
		idle()
		server.Close()
		t.Logf("%d kB at most", peak)
		testkit.Given(t, strings.Contains(out, "12 done"), "want 12 done:\n%s", out)
		testkit.That(t, peak != 0 && peak <= most,
			"12 answers of 5 MB in events of %d bytes took up to %d kB, at most %d", size, peak, most)
	}
}

// busy starts n programs that compute until idle is called.
func busy(t *testing.T, n int) (idle func()) {
	t.Helper()
	cmds := make([]*exec.Cmd, n)
	for i := range cmds {
		cmds[i] = exec.Command("sh", "-c", "while :; do :; done")
		must(t, cmds[i].Start())
	}
	idle = sync.OnceFunc(func() {
		for _, cmd := range cmds {
			_, _ = cmd.Process.Kill(), cmd.Wait()
		}
	})
	t.Cleanup(idle)
	return idle
}

// TestMemoryOfAFlood: 32 streams that pour tiny events as fast as they can take
// at most 400 MB, wherever they end. They took 950 MB before all of them shared
// one bound.
func TestMemoryOfAFlood(t *testing.T) {
	t.Parallel() // 180 MB on a busy machine
	const most = 400 << 10
	peak, out := memoryOfProbe(t, "burst 190000; size 47; group 500; finish; usage; done", "-n", "32", "-c", "32")
	t.Logf("%d kB at most\n%s", peak, out)
	testkit.Given(t, regexp.MustCompile(`32 done|32× response is too large|done, \d+ failed`).MatchString(out),
		"want 32 streams that ended well or passed a bound:\n%s", out)
	testkit.That(t, peak != 0 && peak <= most, "32 floods took up to %d kB, at most %d", peak, most)
}

// TestMemoryOfAnIdleProgram: a program that has started and waits has at most
// 4 MB of its own, beside the pages of its file. It is 2.8 MB, and was 4.9 while
// a library filled a table of all runes at every start.
func TestMemoryOfAnIdleProgram(t *testing.T) {
	t.Parallel()
	const most = 4 << 10
	cmd := exec.Command(built(t), "serve", "--addr", "127.0.0.1:0")
	cmd.Env = environment(t.TempDir())
	out := testkit.Must(cmd.StdoutPipe())(t)
	must(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	testkit.Must(bufio.NewReader(out).ReadString('\n'))(t)
	kb := statusOf(cmd.Process.Pid, "RssAnon")
	if kb == 0 {
		t.Skip("this kernel does not tell memory of files from other memory")
	}
	if t.Logf("%d kB", kb); kb > most {
		t.Errorf("an idle program has %d kB of its own, at most %d", kb, most)
	}
}

// TestInitAllocations: what packages allocate before main is at most 520 kB. It
// is 478; more were for expressions and tables that few runs need.
func TestInitAllocations(t *testing.T) {
	t.Parallel()
	const most = 600_000 // 50,000 of it are the definitions of OTLP
	cmd := exec.Command(built(t), "--version")
	cmd.Env = append(environment(t.TempDir()), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	must(t, cmd.Run())
	sum, packages := 0, initBytes.FindAllSubmatch(trace.Bytes(), -1)
	for _, m := range packages {
		n, _ := strconv.Atoi(string(m[1]))
		sum += n
	}
	if t.Logf("%d bytes", sum); len(packages) == 0 || sum > most {
		t.Errorf("%d packages allocate %d bytes before main, at most %d:\n%s", len(packages), sum, most, trace.Bytes())
	}
}

var initBytes = regexp.MustCompile(`(?m)^init .* (\d+) bytes, \d+ allocs$`)

// residentPeak is the most memory that a process has had so far, kB; 0 when it
// is gone.
func residentPeak(pid int) int { return statusOf(pid, "VmHWM") }

// statusOf is what the kernel says of a process, kB; 0 when it is gone or nothing is
// said.
func statusOf(pid int, field string) (kb int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), field+":")
	_, _ = fmt.Sscan(rest, &kb)
	return kb
}
