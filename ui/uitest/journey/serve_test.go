//go:build !windows

package journey

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// The embedded endpoint runs alone, says where, answers any client, and ends
// in order.
func TestServe(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(built(t), "serve", "--addr", "127.0.0.1:0", "--model", "qwen3-8b", "--hardware", "rtx4090",
		"--allow-host", "gpu-box", "--allow-origin", "https://chat.example,https://other.example")
	cmd.Env = environment(t.TempDir())
	out := testkit.Must(cmd.StdoutPipe())(t)
	var said strings.Builder
	cmd.Stderr = &said
	must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	url := testkit.Must(bufio.NewReader(out).ReadString('\n'))(t)
	resp := testkit.Must(http.Get(strings.TrimSpace(url) + "/models"))(t)
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	testkit.That(t, err == nil && strings.Contains(string(body), "llama-3.1-8b@h100"), "models: %v %.200s", err, body)
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"gpu-box:8000", "https://other.example", 200}, {"evil.example", "", 403}, {"gpu-box", "https://evil.example", 403},
	} {
		req := testkit.Must(http.NewRequest("GET", strings.TrimSpace(url)+"/models", http.NoBody))(t)
		req.Host = c.host
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		resp := testkit.Must(http.DefaultClient.Do(req))(t)
		_ = resp.Body.Close()
		testkit.Is(t, resp.StatusCode, c.status, "host", c.host, "origin", c.origin)
	}
	stdout, stderr, code := command(t, nil, "", "probe", strings.TrimSpace(url), "-n", "1", "-m", "qwen3-8b@rtx4090",
		"--max-tokens", "5")
	testkit.That(t, code == 0 && strings.Contains(stdout, "qwen3-8b@rtx4090"),
		"probe of it: exit code %d\n%s%s", code, stdout, stderr)
	must(t, cmd.Process.Signal(os.Interrupt))
	testkit.Is(t, cmd.Wait(), nil, "it did not end well")
	testkit.Has(t, said.String(), "model qwen3-8b@rtx4090", "  tokscope "+strings.TrimSpace(url),
		"  curl -N "+strings.TrimSpace(url))
}
