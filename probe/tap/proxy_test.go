package tap_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/tap"
)

// TestTurnOfAStream holds that an answer passes piece by piece while it comes, and becomes
// a turn with its figures.
func TestTurnOfAStream(t *testing.T) {
	const pieces = 5
	next := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range pieces {
			fmt.Fprintf(w, "data: {\"id\":\"a\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word%d \"}}]}\n\n", i)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	defer up.Close()
	tp := open(t, up.URL, tap.Options{Hidden: true})
	resp := testkit.Must(http.Post(tp.URL()+"/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)))(t)
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReader(resp.Body)
	for i := range pieces {
		line := testkit.Must(lines.ReadString('\n'))(t)
		if !strings.Contains(line, fmt.Sprintf("word%d", i)) {
			t.Fatalf("line %d is %q", i, line)
		}
		_ = testkit.Must(lines.ReadString('\n'))(t)
		next <- struct{}{}
	}
	_ = testkit.Must(io.ReadAll(lines))(t)
	var v turn.View
	for range 500 {
		if v = tp.View(false); len(v.Turns) == 1 && v.Turns[0].Stream().State.Ended() {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(v.Turns) != 1 {
		t.Fatalf("%+v", v)
	}
	x := v.Turns[0]
	if s := x.Stream(); len(s.Chunks) != pieces || s.Fault != nil || s.Model != "m" {
		t.Errorf("%d chunks, %v, %q", len(s.Chunks), s.Fault, s.Model)
	}
	if !x.Up.Unchanged() || !x.Down.Unchanged() || x.Down.Read == 0 || x.Up.Read == 0 {
		t.Errorf("%+v %+v", x.Up, x.Down)
	}
	t.Log(x.Added)
}
