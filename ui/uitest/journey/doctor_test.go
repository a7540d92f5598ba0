//go:build !windows

package journey

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The check-up of the embedded endpoint: nothing but lines, without color in a
// pipe, and the JSON document.
func TestDoctorText(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := command(t, nil, "", "doctor", "--max-tokens", "30")
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d, stderr %q\n%s", code, stderr, stdout)
	}
	for _, want := range []string{"demo · llama-3.1-8b", "Sends 2 requests with at most 46 output tokens", "ok    TCP        IPv4 127.0.0.1:", "ok    HTTP/1.1   first token after",
		"ok    stream     First token after", "not known: ", "Nothing found that prevents or spoils a measurement."} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if strings.ContainsRune(stdout, 0x1b) {
		t.Error("escape sequences in a file")
	}
	colored, _, _ := command(t, nil, "", "doctor", "--max-tokens", "30", "--color", "always")
	if !strings.Contains(colored, "\x1b[32mok") {
		t.Errorf("no color in %.200q", colored)
	}
	doc, _, code := command(t, nil, "", "doctor", "--max-tokens", "30", "--json")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	fits(t, "doctor-v1", doc)
}

// What ends before any check keeps the code of every command.
func TestDoctorCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		env  []string
		code int
		says string
	}{
		{[]string{"http://10.1.2.3/v1", "--api-key-env", "DOCTOR_KEY"}, []string{"DOCTOR_KEY=k"}, 4, "--insecure-http"},
		{[]string{"--color", "red"}, nil, 2, "auto, always, never"},
		{[]string{"--timeout", "-1s"}, nil, 2, "--timeout"},
		{[]string{"a", "b"}, nil, 2, "2 arguments: this does not fit"},
		{[]string{"https://proxied.invalid/v1", "--timeout", "5s", "-m", "m"}, []string{"HTTPS_PROXY=http://user:secret-5fq2@127.0.0.1:9"}, 1, "bad   proxy      the connection was refused"},
	} {
		stdout, stderr, code := command(t, c.env, "", append([]string{"doctor"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%q: exit code %d, want %d with %q:\n%s%s", c.args, code, c.code, c.says, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, "secret-5fq2") {
			t.Errorf("%q: the proxy's password is shown", c.args)
		}
	}
	help, _, code := command(t, nil, "", "--help")
	if code != 0 || !strings.Contains(help, "doctor") {
		t.Error("the help does not name doctor")
	}
}

// An interrupted check-up prints what is done, and exits with 130.
func TestDoctorInterrupted(t *testing.T) {
	t.Parallel()
	waits := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			select {
			case <-waits:
			case <-r.Context().Done():
			}
			return
		}
		http.NotFound(w, r)
	}))
	defer srv.Close()
	defer close(waits)
	cmd := exec.Command(built(t), "doctor", srv.URL+"/v1", "-m", "m")
	cmd.Env = environment(t.TempDir())
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	var text strings.Builder
	lines, signaled := bufio.NewScanner(out), false
	for lines.Scan() {
		text.WriteString(lines.Text() + "\n")
		if !signaled && strings.Contains(lines.Text(), "models") {
			signaled = true // lines come as they happen: the next step waits
			must(t, cmd.Process.Signal(syscall.SIGINT))
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(text.String(), "Interrupted before all checks were done.") {
		t.Errorf("exit code %d\n%s", code, text.String())
	}
}

// A port where nobody listens: what else would be checked is one line.
func TestDoctorNobodyListens(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	addr := ln.Addr().String()
	_ = ln.Close()
	stdout, _, code := command(t, nil, "", "doctor", "http://"+addr+"/v1")
	if code != 1 || !strings.Contains(stdout, "bad   TCP        the connection was refused by "+addr) || strings.Count(stdout, "not checked") != 2 {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}
