package uitest

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/request"
)

// Requests returns the log of n ended requests of eight users of a load that began
// at that moment: some slow, some failed, one in doubt, one whose fault holds
// control characters. Streams of the early ones are not kept.
func Requests(began metrics.Stamp, n int) *request.Log {
	log := request.NewLog(began)
	for i := range n {
		s := requestStream(began, i)
		f := metrics.Measure(&s, metrics.Options{})
		row := request.RowOf(i+1, i%8+1, &s, &f)
		if i%23 == 7 {
			row.Doubt, row.Doubts = metrics.SuspectBuffered, 2
		}
		log.Add(row, request.Pack(&s))
	}
	return log
}

// requestStream is request i, from 0.
func requestStream(began metrics.Stamp, i int) metrics.Stream {
	m := metrics.NewMarks()
	m.Start = began + metrics.Stamp(i)*110e6
	m.GotConn, m.Sent = m.Start, m.Start+1e6
	s := metrics.Stream{ID: 100 + i, State: metrics.Done,
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", Ready: true},
		Marks:    m, Usage: metrics.NoUsage(), LiveTokens: -1, LastData: metrics.NoStamp,
		DataDeadline: metrics.NoStamp, Model: "demo", Finish: "length"}
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

func (b *LoadBackend) LoadRequests() request.View {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Ended == nil {
		return request.View{}
	}
	return b.Ended.View()
}

func (b *LoadBackend) LoadRequest(id int) (metrics.Stream, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Ended == nil {
		return metrics.Stream{}, false
	}
	if p := b.Ended.Packed(id); p != nil {
		return p.Stream(), true
	}
	return metrics.Stream{}, false
}
