package sim

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
)

// Late writers slow the stream down even if the engine keeps its deadlines.
// The next answer's header, the metrics and the log report that.
func TestLateWritersAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := testkit.Must(prepare(Options{Log: slog.New(slog.NewTextHandler(&log, nil))}))(t)
		defer s.stopEngines()
		d, _ := s.driver("")
		d.sleep = time.Sleep // before the first order: virtual time
		streamed := func(late time.Duration) {
			req := &request{api: &chatAPI, chat: true}
			if apiErr := req.parse([]byte(`{"messages":[{"role":"user","content":"x"}],"stream":true,"max_tokens":1}`)); apiErr != nil {
				t.Fatal(apiErr.Message)
			}
			j, apiErr := s.newJob(req, &Scenario{})
			if apiErr != nil {
				t.Fatal(apiErr.Message)
			}
			time.AfterFunc(time.Second, func() {
				j.out.push(arrival{n: 1, due: time.Now().Add(-late), req: engine.Request{Finished: true}})
			})
			w := httptest.NewRecorder()
			j.stream(w, http.NewResponseController(w), t.Context())
		}
		asked := func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, recorded("POST", "/v1/chat/completions",
				`{"messages":[{"role":"user","content":"x"}],"max_tokens":3}`))
			return w
		}
		streamed(time.Millisecond)     // in time
		streamed(5 * time.Millisecond) // late, below the reported limit
		streamed(2 * time.Second)      // due before the writer waited: the client's delay
		p := d.pacing()
		testkit.That(t, p.Tardy == 1 && !p.Overloaded(), "%+v", p)
		testkit.Is(t, asked().Header().Get("X-Sim-Behind-Ms"), "", "it is behind by … ms")
		streamed(400 * time.Millisecond)
		testkit.Is(t, asked().Header().Get("X-Sim-Behind-Ms"), "400", "the header says … ms")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, recorded("GET", "/metrics", ""))
		label := `{engine="0",model_name="` + DefaultModel + `"} `
		for _, line := range []string{"tokscope_sim_late_chunks_total" + label + "2",
			"tokscope_sim_longest_wait_seconds" + label + "0.4"} {
			testkit.That(t, strings.Contains(w.Body.String(), line+"\n"), "/metrics lacks %q", line)
		}
		if n := strings.Count(log.String(), "cannot keep up"); n != 1 {
			t.Errorf("%d lines in the log: %s", n, log.String())
		}
	})
}

// An engine that was set back reports it in the header and in the metrics.
func TestSlipIsInHeaderAndMetrics(t *testing.T) {
	s := start(t, Options{})
	d, _ := s.driver("")
	d.mu.Lock()
	d.pace.Slips, d.pace.Slipped = 1, 250*time.Millisecond
	d.mu.Unlock()
	_, h, _ := post(t, s, "/chat/completions", `{"messages":[{"role":"user","content":"x"}],"max_tokens":1}`)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, recorded("GET", "/metrics", ""))
	if got := h.Get("X-Sim-Behind-Ms"); got != "250" || !strings.Contains(w.Body.String(),
		"tokscope_sim_behind_seconds_total{engine=\"0\",model_name=\""+DefaultModel+"\"} 0.25\n") {
		t.Errorf("header %q\n%s", got, w.Body)
	}
}
