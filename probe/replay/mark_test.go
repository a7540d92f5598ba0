package replay

import (
	"strings"
	"testing"

	"tokscope/metrics"
)

// A replayed load shows the marks that were reached, what was sent then, and
// never the figures of another work.
func TestLoadShowsTheMarksReached(t *testing.T) {
	text := strings.Join([]string{
		`{"type":"session","schema":"tokscope/session/v1","started":"2026-11-23T00:00:00Z"}`,
		`{"type":"load","load":1,"at_ns":1000000000,"head":{"endpoint":{"name":"e","url":"http://h","model":"a"},"workload":{"name":"chat","prompt":"x"},"users":1}}`,
		`{"type":"request","id":1,"load":1,"start_ns":1000000000,"endpoint":{},"workload":{}}`,
		`{"type":"load_point","load":1,"at_ns":5000000000,"point":{"users":1,"from_ns":2000000000,"to_ns":5000000000,"steady":true,"speed_tok_per_s":100,"ended_well":3}}`,
		`{"type":"load_mark","load":1,"at_ns":5000000001,"mark":{"what":"model","undo":false,"from":{"endpoint":{"name":"e","url":"http://h","model":"a"}},"to":{"endpoint":{"name":"e","url":"http://h","model":"b"}}}}`,
		`{"type":"load_point","load":1,"at_ns":9000000000,"point":{"users":2,"setup":1,"from_ns":6000000000,"to_ns":9000000000,"steady":true,"speed_tok_per_s":50,"ended_well":3}}`,
		`{"type":"load_mark","load":1,"at_ns":9500000000,"mark":{"what":"something new","undo":false,"from":{},"to":{}}}`,
	}, "\n") + "\n"
	p, _ := loadPlayer(t, text)
	l := p.loads[0].Load
	for _, x := range []struct {
		at           metrics.Stamp
		marks, setup int
		model        string
		speed        float64
		alone        bool
	}{
		{4_000_000_000, 0, 0, "a", 0, false}, {5_000_000_000, 0, 0, "a", 100, true},
		{5_000_000_001, 1, 1, "b", 0, false}, {9_900_000_000, 1, 1, "b", 50, false},
	} {
		v, _ := l.At(x.at)
		if len(v.Marks) != x.marks || v.Setup != x.setup || v.Endpoint.Model != x.model || v.Live.Speed.V != x.speed || (v.One() != nil) != x.alone {
			t.Errorf("at %d: %d marks, setup %d, %s, speed %v, alone %v", x.at, len(v.Marks), v.Setup, v.Endpoint.Model, v.Live.Speed, v.One())
		}
	}
	if to := l.next(5_000_000_000, 1); to != 5_000_000_001 {
		t.Errorf("the next moment is %d", to)
	}
}
