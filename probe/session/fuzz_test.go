package session

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
)

// FuzzRecording opens, plays, shares and serves any file: nothing panics, and what was
// shared opens again with as many requests.
func FuzzRecording(f *testing.F) {
	f.Add([]byte(fileHeadOf + request + fmt.Sprintf(delta, 2000000, 2000000, 0)))
	f.Add([]byte(fileHeadOf + request +
		`{"type":"end","id":1,"request":{"id":1,"state":"done","usage":{"completion_tokens":-5},"path":{"source":"tcp_info","gaps":[{"chunk":-3}]}}}`))
	f.Add([]byte(fileHeadOf + request +
		`{"type":"event","id":1,"data":"{}","chunks":[{"kind":"x","choice":-1,"tokens":99999999,"text":"\u0000","function_bytes":-2}]}`))
	f.Add([]byte(fileHeadOf + request + `{"type":"sent","id":1,"at_ns":1500000}` + "\n" +
		`{"type":"head","id":1,"at_ns":1600000,"status":200,"headers":{"Content-Type":["text/event-stream"]}}` + "\n" +
		fmt.Sprintf(delta, 2000000, 2000000,
			1) + `{"type":"read","id":1,"at_ns":2000000,"user_ns":2000000,"read":1,"bytes":60,"stamp":"kernel"}` + "\n" +
		`{"type":"body","id":1,"data":"ZGF0YTogeA=="}`))
	load, _ := loadText(rand.New(rand.NewPCG(1, 2)), 3, true)
	f.Add([]byte(load))
	f.Add([]byte(fileHeadOf + `{"type":"load","load":0,"at_ns":900000}` + "\n" + request +
		`{"type":"load_point","load":0,"at_ns":3600000000000000,"point":{"users":-1}}` + "\n" +
		`{"type":"load_end","load":0,"at_ns":-5,"end":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := Open("-", bytes.NewReader(data))
		if err != nil || len(rec.Requests) == 0 {
			return
		}
		now := metrics.Stamp(0)
		p := NewPlayer(func() metrics.Stamp { return now }, func() int { return 1 })
		if p.Play(metrics.ReplayPlan{Speed: 1}, rec) == nil {
			for range 50 {
				now += 3e8
				v := p.ReplayStream()
				metrics.Measure(&v, metrics.Options{})
				p.ReplayStall(1)
				p.ReplayStep()
				p.ReplayNext(1)
				state(p)
				p.LoadReplayNext(1)
				p.LoadReplay()
				p.LoadReplayRequests()
				p.ReplayRuns()
			}
			p.ReplayEdge(1)
			p.ReplayStream()
		}
		for _, widths := range []bool{false, true} {
			var out bytes.Buffer
			testkit.OK(t, Share(&out, rec, widths))
			again, err := Open("-", &out)
			testkit.Given(t, err == nil && len(again.Requests) == len(rec.Requests), "the shared file: %v", err)
		}
		_, _ = NewHandler(0, rec)
		d := ReplayOf("test")
		d.AddFile(rec)
		for _, q := range rec.Requests {
			s := StreamOf(q)
			v := s.Final()
			d.AddRequest(q, &v, s.Missing)
		}
		testkit.OK(t, result.Sentences(nil).WriteDocument(io.Discard, d))
	})
}
