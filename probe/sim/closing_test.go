package sim

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// A closing server sends every client an error: an error event in a stream,
// 503 for a whole answer. No connection just ends.
func TestCloseSendsErrorToOpenStreams(t *testing.T) {
	s := testkit.Must(Start(Options{Speed: 0.5}))(t)
	defer http.DefaultClient.CloseIdleConnections()
	const streams, whole = 30, 10
	var wg sync.WaitGroup
	for i := range streams + whole {
		wg.Go(func() {
			fields := `,"stream":true}`
			if i >= streams {
				fields = `}`
			}
			resp, err := http.Post(s.URL()+"/chat/completions", "application/json",
				strings.NewReader(`{"messages":[{"role":"user","content":"x"}],"max_tokens":5000`+fields))
			if err != nil {
				t.Errorf("request %d: %v", i, err)
				return
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(body), "shutting down") || i >= streams &&
				resp.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("request %d: %d, %v, …%s", i, resp.StatusCode, err, body[max(0, len(body)-80):])
			}
		})
	}
	d, _ := s.driver("")
	for v := d.view().stats; v.Queued+v.Running < streams+whole; v = d.view().stats {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	testkit.Is(t, s.Close(ctx), nil)
	wg.Wait()
}
