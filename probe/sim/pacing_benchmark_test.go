package sim

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// BenchmarkPacing prints the gaps that the model plans and the gaps that a
// client sees. The numbers mean something on an idle machine only.
func BenchmarkPacing(b *testing.B) {
	for _, c := range []struct {
		name    string
		model   string
		speed   float64
		streams int
		tokens  int
	}{
		{"1 stream, 745 tok per s", "gpt-oss-120b@16xsn40l", 1, 1, 2000},
		{"1 stream, 150 tok per s", DefaultModel, 1, 1, 300},
		{"64 streams, 500 tok per s", DefaultModel, 4.1, 64, 1000},
		{"256 streams, 50 tok per s", DefaultModel, 0.47, 256, 150},
		{"1000 streams, 30 tok per s", DefaultModel, 0.79, 1000, 120},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				pace(b, c.model, c.speed, c.streams, c.tokens)
			}
		})
	}
}

func pace(b *testing.B, model string, speed float64, streams, tokens int) {
	s := testkit.Must(Start(Options{Model: model, Speed: speed}))(b)
	defer func() { _ = s.Close(context.Background()) }()
	if streams > 1 {
		everybodyAtOnce(b, s, model)
	}
	planned, served := make([][]float64, streams), make([][]float64, streams)
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() { planned[i], served[i] = listen(b, s, tokens) })
	}
	wg.Wait()
	p, g := slices.Concat(planned...), slices.Concat(served...)
	slices.Sort(p)
	slices.Sort(g)
	at := func(x []float64, q float64) float64 { return x[int(q*float64(len(x)-1))] }
	mean := func(x []float64) (m float64) {
		for _, v := range x {
			m += v / float64(len(x))
		}
		return m
	}
	for _, q := range []float64{.01, .5, .99} {
		b.ReportMetric(at(p, q), fmt.Sprintf("planned-p%g-ms", q*100))
		b.ReportMetric(at(g, q), fmt.Sprintf("served-p%g-ms", q*100))
	}
	b.ReportMetric(1000/mean(p), "planned-tok/s")
	b.ReportMetric(1000/mean(g), "served-tok/s")
	d, _ := s.driver(model)
	b.ReportMetric(float64(d.pacing().Slipped.Milliseconds()), "behind-ms")
	b.ReportMetric(0, "ns/op")
}

// everybodyAtOnce replaces the model's engine by one without a front end, so
// that all streams run at the same time.
func everybodyAtOnce(b *testing.B, s *Server, model string) {
	c, _, err := ParseID(nil, model)
	testkit.OK(b, err)
	c.Stack, _ = physics.StackOf("bench")
	setup := testkit.Must(physics.New(c))(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.engines, s.running(model))
	s.engines[i].close()
	s.engines[i] = newDriver(model, s.o.Speed, &s.o)
	s.engines[i].start(engine.Options{Setup: setup})
}

// listen reads one stream with minimal work. It returns the gaps by the
// engine's deadlines and by the client's clock, in ms.
func listen(b *testing.B, s *Server, tokens int) (planned, served []float64) {
	conn, err := net.Dial("tcp", s.ln.Addr().String())
	if err != nil {
		b.Error(err)
		return nil, nil
	}
	defer conn.Close()
	body := fmt.Sprintf(`{"messages":[{"role":"user","content":"x"}],"stream":true,"max_tokens":%d}`, tokens)
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Sim-Truth: 1\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	r := bufio.NewReaderSize(conn, 64<<10)
	var due, was int64
	var last time.Time
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			b.Error(err)
			return nil, nil
		}
		now := time.Now()
		switch {
		case bytes.HasPrefix(line, []byte(": sim")):
			_, rest, _ := strings.Cut(string(line), "due_ns=")
			rest, _, _ = strings.Cut(rest, " ")
			due, _ = strconv.ParseInt(rest, 10, 64)
		case bytes.HasPrefix(line, []byte("data: [DONE]")):
			return planned, served
		case bytes.Contains(line, []byte(`"content":"`)) && !bytes.Contains(line, []byte(`"role"`)) || bytes.Contains(line, []byte(`"reasoning_content"`)):
			if was > 0 {
				planned = append(planned, float64(due-was)/1e6)
				served = append(served, now.Sub(last).Seconds()*1e3)
			}
			was, last = due, now
		}
	}
}
