//go:build !windows

package journey

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The embedded endpoint runs alone, says where, answers any client, and ends
// in order.
func TestServe(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(built(t), "serve", "--addr", "127.0.0.1:0", "--model", "qwen3-8b", "--hardware", "rtx4090",
		"--allow-host", "gpu-box", "--allow-origin", "https://chat.example,https://other.example")
	cmd.Env = environment(t.TempDir())
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	url, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	resp, err := http.Get(strings.TrimSpace(url) + "/models")
	must(t, err)
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || !strings.Contains(string(body), "llama-3.1-8b@h100") {
		t.Errorf("models: %v %.200s", err, body)
	}
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"gpu-box:8000", "https://other.example", 200}, {"evil.example", "", 403}, {"gpu-box", "https://evil.example", 403},
	} {
		req, err := http.NewRequest("GET", strings.TrimSpace(url)+"/models", http.NoBody)
		must(t, err)
		req.Host = c.host
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("host %q, origin %q: %d, want %d", c.host, c.origin, resp.StatusCode, c.status)
		}
	}
	stdout, stderr, code := command(t, nil, "", "probe", strings.TrimSpace(url), "-n", "1", "-m", "qwen3-8b@rtx4090", "--max-tokens", "5")
	if code != 0 || !strings.Contains(stdout, "qwen3-8b@rtx4090") {
		t.Errorf("probe of it: exit code %d\n%s%s", code, stdout, stderr)
	}
	must(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err != nil {
		t.Errorf("it did not end well: %v", err)
	}
}

// What cannot be served is refused with the reason; the lists are complete.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"serve", "--addr", "0.0.0.0:0"}, "add --remote"},
		{[]string{"serve", "--allow-host", "http://gpu-box:8000"}, "--allow-host"},
		{[]string{"serve", "--allow-origin", "chat.example"}, "--allow-origin"},
		{[]string{"serve", "--model", "llama-3.1-405b", "--hardware", "h100"}, "GiB of memory"},
		{[]string{"serve", "--model", "llama-3.1-8b"}, "--hardware"},
		{[]string{"serve", "--preset", "no-such"}, "no-such"},
		{[]string{"serve", "--mode", "magic"}, "prefill-first"},
		{[]string{"serve", "--scenario", "no-such"}, "no-such"},
		{[]string{"serve", "--speed", "0"}, "--speed"},
	} {
		_, stderr, code := command(t, nil, "", c.args...)
		if code != 2 || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: exit code %d, stderr %q, want 2 and %q", c.args, code, stderr, c.says)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = l.Close() }()
	if _, stderr, code := command(t, nil, "", "serve", "--addr", l.Addr().String()); code != 1 || !strings.Contains(stderr, "--addr") {
		t.Errorf("a port that is taken: exit code %d, stderr %q", code, stderr)
	}
	for _, list := range []string{"--preset", "--scenario"} {
		stdout, _, code := command(t, nil, "", "serve", list, "list")
		if code != 0 || strings.Count(stdout, "\n") < 10 {
			t.Errorf("%s list: exit code %d\n%s", list, code, stdout)
		}
	}
}
