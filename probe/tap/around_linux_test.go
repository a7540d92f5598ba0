package tap

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/client"
)

// dials says, in the environment of this test binary, to which address it holds a connection
// until its standard input ends.
const dials = "TAP_TEST_DIALS"

func init() {
	address := os.Getenv(dials)
	if address == "" {
		return
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("held\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = conn.Close()
	os.Exit(0)
}

// TestAround holds that a connection which a child of the child holds is found before a request
// has come, and not one of this program, one to another port, one that has ended, or any once a
// request has come.
func TestAround(t *testing.T) {
	elsewhere := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	other := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := func(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }
	own := testkit.Must(net.Dial("tcp", other.Addr().String()))(t)
	defer func() { _, _, _ = elsewhere.Close(), other.Close(), own.Close() }()
	upstream := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer upstream.Close()
	e := client.New(client.Options{Bounds: Bounds(), NoPathProbe: true})
	defer e.Close()
	tap := testkit.Must(Open(Options{Engine: e, Upstream: testkit.Must(url.Parse(upstream.URL))(t)}))(t)
	defer func() { _ = tap.Close() }()

	child := exec.Command("sh", "-c", `"$0"; true`, os.Args[0]) // a shell that waits for it
	child.Env = append(os.Environ(), dials+"="+elsewhere.Addr().String())
	in, out := testkit.Must(child.StdinPipe())(t), testkit.Must(child.StdoutPipe())(t)
	testkit.OK(t, child.Start())
	_, err := io.ReadFull(out, make([]byte, len("held\n")))
	testkit.Given(t, err == nil, "the child holds no connection: %v", err)
	testkit.That(t, tap.Around(t.Context(), port(elsewhere)), "the connection of the child's child was not found")
	testkit.That(t, !childHolds(port(other)), "a connection of this program was taken for the child's")
	ended, cancel := context.WithCancel(t.Context())
	if cancel(); tap.Around(ended, port(other)) {
		t.Error("the end was not seen")
	}
	resp := testkit.Must(http.Get(tap.URL() + "/v1/models"))(t)
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	testkit.That(t, !tap.Around(t.Context(), port(elsewhere)),
		"a request has come, and a connection was looked for all the same")
	_ = in.Close()
	testkit.OK(t, child.Wait())
	testkit.That(t, !childHolds(port(elsewhere)), "the child has ended, and its connection is found")
}
