package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/probe/result"
)

// mostRequests bounds the requests and users of a step in a document.
const mostRequests = 1e9

// sweep reads the document of a sweep: a group for each step, with medians alone.
func (b *sampling) sweep(r io.Reader) error {
	b.Kind = comparison.KindSweep
	var d result.Sweep
	p := partsOf(r)
	if err := p.next(&d); err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return err
	}
	b.Versions = pick.Once(b.Versions, d.Tool.Version)
	b.endpoint(d.Endpoint)
	began, err := time.Parse(time.RFC3339Nano, d.Started)
	if err != nil {
		return errors.New("it has no moment")
	}
	b.From, b.To = began, began
	b.Changes, b.ChangesLeftOut = d.Changes(), min(max(d.MarksLeftOut, 0), mostRequests)
	for i := range d.Points {
		p := &d.Points[i]
		if p.Point == nil {
			return errors.New("a step is missing")
		}
		for _, n := range []int{p.Requests, p.Failed, p.Users, p.TTFT.N, p.TPOT.N} {
			if n < 0 || n > mostRequests {
				return errors.New("a step has an impossible number of requests or users")
			}
		}
		s := comparison.Setup{
			Model: cmp.Or(d.Endpoint.Model, d.Model), Workload: d.Workload.Name,
			Settings: d.Endpoint.Settings,
			Prompt:   promptDigest(&d.Workload), InputTokens: d.Workload.InputTokens, MaxTokens: d.Workload.MaxTokens,
			Connection: connection(d.Workload.Connection == metrics.ReuseCold),
			Users:      p.Users, Stamps: p.Stamps, Each: comparison.EachRequest,
		}
		s.InputTokens = lengthOf(d.Load.Input, s.InputTokens)
		s.MaxTokens = lengthOf(d.Load.Output, s.MaxTokens)
		// from which distribution or file
		if s.InputTokens == comparison.Drawn || s.MaxTokens == comparison.Drawn || d.Load.Prompts != "" {
			s.Prompt = strings.Trim(strings.Join([]string{s.Prompt, d.Load.Input, d.Load.Output, d.Load.Prompts}, " "), " ")
		}
		if p.Asked != 0 { // in an open loop the users are a result
			s.Users, s.Rate = 0, p.Asked
		}
		if !p.Steady {
			b.Unsteady++
		}
		g := comparison.Group{Setup: s, Requests: p.Requests + p.Failed, Failed: p.Failed}
		for f, d := range map[history.Figure]*metrics.Dist{history.TTFT: &p.TTFT, history.TPOT: &p.TPOT} {
			if d.P50.OK && d.N > 0 {
				g.Medians[f] = metrics.Finite(d.P50.V, d.N)
			}
		}
		for f, v := range map[history.Figure]metrics.Value{history.Speed: p.Speed, history.Throughput: p.Total} {
			if v.OK && p.Requests > 0 {
				g.Medians[f] = metrics.Finite(v.V, p.Requests)
			}
		}
		b.Groups = append(b.Groups, g)
	}
	return nil
}

// lengthOf returns the length of a text such as "200", Drawn for "100..400", and
// the usual one for "".
func lengthOf(text string, usual int) int {
	if text == "" {
		return usual
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return n
	}
	return comparison.Drawn
}

// requestLines reads the lines of requests of a sweep: a group for each number of
// users or rate.
func (b *sampling) requestLines(r io.Reader) error {
	b.Kind = comparison.KindRequests
	var head RequestsHead
	return b.eachLine(r, func(n int, line []byte) error {
		if n == 1 {
			if err := json.Unmarshal(line, &head); err != nil {
				return err
			}
			b.Versions = pick.Once(b.Versions, head.Version)
			b.endpoint(head.Endpoint)
			return nil
		}
		var kind struct {
			Type    string `json:"type"`
			LeftOut int    `json:"requests_left_out"`
		}
		if err := json.Unmarshal(line, &kind); err != nil {
			return err
		}
		b.LeftOut += max(kind.LeftOut, 0)
		if kind.Type != "request" {
			return nil
		}
		var l RequestLine
		if err := result.Unmarshal(line, &l); err != nil {
			return err
		}
		return b.requestLine(&l, &head)
	})
}

// requestLine adds one request of a sweep.
func (b *sampling) requestLine(l *RequestLine, head *RequestsHead) error {
	if err := ended(l.State, l.Started); err != nil {
		return err
	}
	e := history.Entry{Kind: history.Probe, State: l.State, N: 1, At: l.Started, Suspect: excluded(nil, &l.Delay)}
	for figure, v := range map[history.Figure]metrics.Value{history.TTFT: l.TTFT,
		history.TPOT: l.TPOT, history.Longest: l.Longest, history.Total: l.Total} {
		e.Figures[figure] = figureOf(v)
	}
	if l.TPOT.OK && l.TPOT.V > 0 {
		e.Figures[history.Speed] = metrics.Finite(1000/l.TPOT.V, 1)
	}
	g := b.Of(comparison.Setup{Model: head.Endpoint.Model, Settings: head.Endpoint.Settings,
		Users: max(l.Users, 0), Rate: max(l.Rate, 0), Each: comparison.EachRequest})
	g.InputTokens, g.MaxTokens = same(g, g.InputTokens, l.PromptAsked), same(g, g.MaxTokens, l.Limit)
	b.add(g, e, l.Stamps, l.TokenSource)
	return nil
}
