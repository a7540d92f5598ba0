package uitest

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/request"
)

// Requests returns the log of Ran, as requests of eight users, one in doubt. Streams of
// the early ones are not kept.
func Requests(began metrics.Stamp, n int) *request.Log {
	log := request.NewLog(began)
	for i, run := range Ran(began, n) {
		row := request.RowOf(i+1, i%8+1, &run.Stream, &run.Figures)
		if i%23 == 7 {
			row.Doubt, row.Doubts = metrics.SuspectBuffered, 2
		}
		log.Add(row, request.Pack(&run.Stream))
	}
	return log
}

// Ran returns n ended requests of a load that began at that moment, numbered from 1:
// some slow, some failed, one whose fault holds control characters.
func Ran(began metrics.Stamp, n int) []metrics.Run {
	runs := make([]metrics.Run, n)
	for i := range runs {
		s := requestStream(began, i)
		runs[i] = metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
	}
	return runs
}

// requestStream is request i, from 0.
func requestStream(began metrics.Stamp, i int) metrics.Stream {
	s, m := metrics.NoStream(0), metrics.NewMarks()
	m.Start = began + metrics.Stamp(i)*110e6
	m.GotConn, m.Sent = m.Start, m.Start+1e6
	s.ID, s.State, s.Marks, s.Model, s.Finish = 1+i, metrics.Done, m, "demo", "length"
	s.Endpoint = metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", Ready: true}
	if i%17 == 11 {
		s.State = metrics.Failed
		s.Fault = &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Message: "slow down \x1b[31m\u202eplease\x07"}
		s.Marks.End = m.Sent + 40e6
		return s
	}
	at := m.Sent + metrics.Stamp(80e6+float64(i%13)*11e6)
	if i%31 == 20 {
		at += 1900e6
	}
	for k := range 24 {
		s.Text = append(s.Text, fmt.Sprintf("word-%d ", k)...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at + 2e4, Read: int32(k),
			Event: int32(k), Bytes: 190, TextEnd: int32(len(s.Text)), Tokens: 1, Kernel: true})
		at += metrics.Stamp(7e6 + float64(i%5)*3e5)
		if k == 10 && i%19 == 3 {
			at += 320e6
		}
	}
	s.Marks.FirstByte, s.Marks.FirstEvent, s.Marks.End = s.Chunks[0].At, s.Chunks[0].At, at
	s.Usage.Prompt, s.Usage.Completion, s.TokensFrom = 31, 24, metrics.TokensUsage
	s.Now = at
	return s
}
