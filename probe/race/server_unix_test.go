//go:build !windows

package race

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// serverEnv makes the test binary a server: its address, model, speed, and how long it goes
// on answering after a SIGTERM.
const serverEnv = "TOKSCOPE_SWAP_SERVER"

// serveIfAsked serves where serverEnv asks for it, and then never returns.
func serveIfAsked() {
	var o sim.Options
	var lingers time.Duration
	words := strings.Fields(os.Getenv(serverEnv))
	if len(words) < 2 {
		return
	}
	o.Addr, o.Model, o.Speed = words[0], words[1], 1
	if len(words) > 2 {
		o.Speed, _ = strconv.ParseFloat(words[2], 64)
	}
	if len(words) > 3 {
		lingers, _ = time.ParseDuration(words[3])
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	s, err := sim.Start(o)
	for late := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(late); s, err = sim.Start(o) {
		time.Sleep(20 * time.Millisecond) // the one before holds the port
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loading the model\nthe port is taken:", err)
		os.Exit(3)
	}
	<-asked
	time.Sleep(lingers)
	_ = s
	os.Exit(0)
}

// rig is a port for a server of one's own, and what keeps its process's number.
type rig struct {
	addr, exe, pid, held string
	pipe                 *os.File // at its end all processes of the rig have ended
}

func newRig(t *testing.T) rig {
	t.Helper()
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	dir := t.TempDir()
	x := rig{addr: l.Addr().String(), exe: testkit.Must(os.Executable())(t), pid: filepath.Join(dir, "pid"),
		held: filepath.Join(dir, "held")}
	testkit.OK(t, l.Close())
	testkit.OK(t, syscall.Mkfifo(x.held, 0o600))
	x.pipe = testkit.Must(os.OpenFile(x.held, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
	t.Cleanup(func() {
		if n, err := os.ReadFile(x.pid); err == nil { // the server that a script has left behind
			pid, _ := strconv.Atoi(strings.TrimSpace(string(n)))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = x.pipe.Close()
	})
	return x
}

// over reports whether all processes of the rig have ended.
func (x *rig) over() bool {
	_ = x.pipe.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, err := io.ReadAll(x.pipe)
	return err == nil
}

// shell returns a command that runs a script with $EXE, $AT and $PID.
func (x *rig) shell(script string) []string {
	return []string{"sh", "-c", fmt.Sprintf("exec 3>'%s'; EXE='%s' AT=%s PID='%s' LANE=$1; ", x.held, x.exe, x.addr,
		x.pid) + script, "restart", "{lane}"}
}

// foreground is the server itself, script one that ends the server before, which may go on
// answering for a while, and leaves another one behind.
const (
	foreground = `exec env TOKSCOPE_SWAP_SERVER="$AT $LANE@h100" "$EXE"`
	script     = `test -f $PID && kill $(cat $PID); TOKSCOPE_SWAP_SERVER="$AT $LANE@h100 1 1500ms" "$EXE" & echo $! >$PID`
)

// config is that of a race between two models of the rig's server.
func (x *rig) config(t *testing.T, command []string) Config {
	e := client.New(client.Options{})
	t.Cleanup(e.Close)
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: "mine",
		URL: "http://" + x.addr + "/v1"}, Auth: endpoint.AuthNone}
	return Config{Engine: e, Lanes: []Lane{{Label: "llama-3.1-8b", Target: target}, {Label: "qwen3-8b", Target: target}},
		Plan: racestat.Plan{Work: metrics.Workload{Prompt: "Say something.", MaxTokens: 8},
			Swap: &racestat.Swap{Command: command, Blocks: 5, Requests: 1, Within: 20 * time.Second}}}
}

// TestRestarts: after each restart the lane's own server answers, whether the command is the
// server or leaves it behind, and whatever the old one does meanwhile; at the end nothing is
// left of a command that is the server, and what a script left behind stays.
func TestRestarts(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "restarts of real servers")
	for name, text := range map[string]string{"the server": foreground, "a script": script} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newRig(t)
			s := &server{Config: x.config(t, x.shell(text))}
			for _, lane := range []int{0, 1, 1, 0} {
				gone := false
				f := s.restart(t.Context(), lane, func() { gone = true })
				testkit.Given(t, f == nil && gone, "lane %d: %v, the old one gone: %v", lane, f, gone)
				r := s.Engine.Start(t.Context(), s.Lanes[lane].Target, s.Work)
				<-r.Done()
				if v := r.Snapshot(); v.State != metrics.Done || v.Endpoint.Model != s.Lanes[lane].Label+"@h100" {
					t.Errorf("lane %d: %v, model %q", lane, v.Fault, v.Endpoint.Model)
				}
			}
			s.end()
			s.end()
			if conn, err := net.Dial("tcp", x.addr); (err == nil) != (text == script) {
				t.Errorf("at the end: %v", err)
			} else if err == nil {
				_ = conn.Close()
			}
			testkit.That(t, text != foreground || x.over(), "something still runs")
		})
	}
}

// TestFailedRestarts: a restart that fails says why, with the last line of what the command
// said and without a key, and leaves no process; a stop ends it at once.
func TestFailedRestarts(t *testing.T) {
	t.Setenv("SWAP_API_KEY", "a-key-of-the-test")
	usual := leaves
	leaves = 200 * time.Millisecond
	defer func() { leaves = usual }()
	for name, c := range map[string]struct {
		script string
		within time.Duration
		want   string
	}{
		"its error": {`echo first >&2; echo "no such model sk-abcdef0123456789" >&2; exit 3`, 0,
			"sh ended with exit status 3: no such model [redacted]: try the command by hand"},
		"no key": {`env | grep -q SWAP_API && exit 4; exit 5`, 0, "sh ended with exit status 5"},
		"never answers": {`echo starting >&2; (trap '' TERM; sleep 600) & sleep 600`, time.Second,
			"sh has run, and after 1s "},
		"nobody listens": {`exit 0`, time.Second, "refused"},
		"a signal":       {`kill -9 $$`, 0, "sh ended with signal: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.within > 0 {
				probetest.TakesTime(t, "a second of waiting")
			}
			x := newRig(t)
			s := &server{Config: x.config(t, x.shell(c.script))}
			s.Swap.Within = cmp.Or(c.within, s.Swap.Within)
			f := s.restart(t.Context(), 0, func() {})
			leaves = 200 * time.Millisecond
			s.end()
			testkit.That(t, f != nil && strings.Contains(f.Error(), c.want), "%v", f)
			testkit.That(t, x.over(), "something still runs")
		})
	}
	x := newRig(t)
	s := &server{Config: x.config(t, []string{filepath.Join(t.TempDir(), "none-{lane}")})}
	if f := s.restart(t.Context(), 0, func() {}); f == nil || !strings.Contains(f.Message, "could not be started") ||
		!strings.Contains(f.Message, "none-llama-3.1-8b: no such file") {
		t.Errorf("%v", f)
	}
	s.end()
	s = &server{Config: x.config(t, x.shell("sleep 600"))}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if f := s.restart(ctx, 0, func() {}); f == nil || time.Since(began) > s.Swap.Within/2 {
		t.Errorf("a stop: %v after %v", f, time.Since(began))
	}
	if s.end(); !x.over() {
		t.Error("something still runs after a stop")
	}
}

// late is a connection whose first read comes when its deadline has passed: this program
// stood still.
type late struct {
	net.Conn
	reads int
}

func (l *late) Read(p []byte) (int, error) {
	if l.reads++; l.reads == 1 {
		return 0, os.ErrDeadlineExceeded
	}
	return l.Conn.Read(p)
}

// TestStandstillHidesNoEnd: a server that ended while this program stood still has ended.
func TestStandstillHidesNoEnd(t *testing.T) {
	here, there := net.Pipe()
	defer func() { _ = here.Close() }()
	testkit.That(t, stays(t.Context(), &late{Conn: here}, asksEvery), "an open connection has ended")
	testkit.OK(t, there.Close())
	testkit.That(t, !stays(t.Context(), &late{Conn: here}, asksEvery), "the connection was closed meanwhile, and stays")
}

// TestAnOldServerIsNotMeasured: while the server before still answers, nothing is asked, over
// TCP and over a unix socket.
func TestAnOldServerIsNotMeasured(t *testing.T) {
	probetest.TakesTime(t, "two seconds of waiting")
	t.Parallel() // most of it is waiting
	file := filepath.Join(t.TempDir(), "s")
	for address, l := range map[string]net.Listener{
		"":                        testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t),
		"unix://" + file + ":/v1": testkit.Must(net.Listen("unix", file))(t),
	} {
		address = cmp.Or(address, "http://"+l.Addr().String()+"/v1")
		old := testkit.Must(sim.Start(sim.Options{Listener: l}))(t)
		x := newRig(t)
		s := &server{Config: x.config(t, x.shell("exit 0"))}
		s.Lanes[0].Target.URL, s.Swap.Within = address, time.Second
		f := s.restart(t.Context(), 0, func() { t.Error("it is not gone") })
		s.end()
		testkit.That(t, f != nil && strings.Contains(f.Message, "the server before it has not ended"), "%s: %v", address, f)
		_ = old.Close(context.Background())
	}
}

// TestSwapOverHTTP runs ten races between two speeds of a real server that is restarted, and
// ten between equal ones: some minutes of waiting. A busy machine may leave one open.
func TestSwapOverHTTP(t *testing.T) {
	if !testkit.Long() {
		t.Skip("minutes of real restarts: TOKSCOPE_LONG=1 runs it")
	}
	for name, speeds := range map[string][2]string{"apart": {"1", "0.9"}, "equal": {"1", "1.0"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			right := 0
			for i := range 10 {
				x := newRig(t)
				c := x.config(t, x.shell(`exec env TOKSCOPE_SWAP_SERVER="$AT llama-3.1-8b@h100 $LANE" "$EXE"`))
				for lane := range c.Lanes {
					c.Lanes[lane].Label = speeds[(lane+i)%2]
				}
				c.Seed, c.Work.MaxTokens, c.Swap.Blocks, c.Swap.Requests = uint64(100+i), 32, 6, 5
				r := Start(t.Context(), c)
				r.Wait()
				v := r.View()
				w, _ := v.Verdict(figure.TPOT, 0, 1)
				t.Logf("%s: %d blocks in %v: TPOT %s, leader %d, ratio %.3f (%.3f to %.3f), p %.3f; TTFT %s", v.Ended,
					len(v.Blocks),
					v.Spent.Time.Round(time.Second), w.State, w.Leader, w.Ratio, w.Lo, w.Hi, w.P, v.Verdicts[0].State)
				testkit.That(t, v.Ended == racestat.EndBlocks && x.over(), "%v, or something still runs", v.Block.Fault)
				switch named := w.State == racestat.Decided; {
				case named != (name == "apart"):
				case named && w.Leader != i%2:
					t.Errorf("the wrong one is named")
				default:
					right++
				}
			}
			if t.Logf("%d of 10 right", right); right < 9 {
				t.Errorf("%d of 10 right", right)
			}
		})
	}
}
