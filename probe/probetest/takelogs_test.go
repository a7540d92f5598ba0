package probetest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// TestTakeLogs checks that a server keeps only the logs that it was asked to keep,
// that taking them makes it forget them, and that requests are counted on.
func TestTakeLogs(t *testing.T) {
	p := testkit.Must(Spawn(Options{Timed: true, Logged: "keep"}))(t)
	defer p.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for round := range 2 {
		for _, body := range []string{"keep", "leave", "keep"} {
			resp, err := client.Post(p.URL("1 tokens @ 1ms")+"/chat/completions", "text/plain", strings.NewReader(body))
			testkit.OK(t, err)
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		if logs, err := p.Logs(); err != nil || len(logs) != 2 { // waits for the ends
			t.Errorf("%d logs are kept, %v", len(logs), err)
		}
		logs, err := p.TakeLogs()
		if err != nil || len(logs) != 2 || logs[0].ID != 3*round+1 || logs[1].ID != 3*round+3 ||
			string(logs[0].Body) != "keep" || len(logs[0].Writes) == 0 {
			t.Errorf("round %d: %d logs are taken, %v", round, len(logs), err)
		}
		if logs, err := p.TakeLogs(); err != nil || len(logs) != 0 {
			t.Errorf("%d logs are taken again, %v", len(logs), err)
		}
	}
}

// TestNumbered checks the text of numbered tokens in every form of writes.
func TestNumbered(t *testing.T) {
	s := testkit.Must(Listen(Options{}))(t)
	defer s.Close()
	for _, form := range []string{"", "group 3; ", "size 400; straddle; ", "size 400; halves 1ms; "} {
		text := "numbered; " + form + "9 tokens @ 1ms"
		resp := testkit.Must(http.Post(s.URL(text)+"/chat/completions", "text/plain", strings.NewReader("{}")))(t)
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		id := resp.Header.Get(idHeader)
		if err != nil || strings.Count(string(body), id+".") != 9 || !strings.Contains(string(body), `"`+id+`.8 "`) ||
			len(body) != MustParse(text).BodyBytes {
			t.Errorf("%s: request %s, %d bytes, %q", text, id, len(body), body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
