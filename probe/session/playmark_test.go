package session

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics/loadstat"
)

// A recorded load has its marks, ends with what it sent and asked for last, and never
// has the figures of another work.
func TestLoadEndsWithItsMarks(t *testing.T) {
	head := []string{
		`{"type":"session","schema":"tokscope/session/v1","started":"2026-11-23T00:00:00Z"}`,
		`{"type":"load","load":1,"at_ns":1000000000,"head":{"endpoint":{"name":"e","url":"http://h","model":"a"},"workload":{"name":"chat","prompt":"x"},"users":1}}`,
		`{"type":"request","id":1,"load":1,"start_ns":1000000000,"endpoint":{},"workload":{}}`,
		`{"type":"load_point","load":1,"at_ns":5000000000,"point":{"users":1,"from_ns":2000000000,"to_ns":5000000000,"steady":true,"speed_tok_per_s":100,"ended_well":3}}`,
		`{"type":"load_mark","load":1,"at_ns":9500000000,"mark":{"what":"something new","undo":false,"from":{},"to":{}}}`,
	}
	model := `{"type":"load_mark","load":1,"at_ns":5000000001,"mark":{"what":"model","undo":false,"from":{"endpoint":{"name":"e","url":"http://h","model":"a"}},"to":{"endpoint":{"name":"e","url":"http://h","model":"b"}}}}`
	after := `{"type":"load_point","load":1,"at_ns":9000000000,"point":{"users":2,"setup":1,"from_ns":6000000000,"to_ns":9000000000,"steady":true,"speed_tok_per_s":50,"ended_well":3}}`
	rate := `{"type":"load_mark","load":1,"at_ns":10000000000,"mark":{"what":"rate","undo":false,"from":{"drive":{"users":1,"rate_per_s":null}},"to":{"drive":{"users":0,"rate_per_s":2,"poisson":true,"ramp_to":12,"ramp_s":10}}}}`
	end := `{"type":"load_end","load":1,"at_ns":13000000000,"end":{"sent":1}}`
	one := loadstat.Drive{Users: 1}
	for _, x := range []struct {
		name         string
		lines        []string
		marks, setup int
		model        string
		speed        float64 // of the last point, 0: unknown
		alone        bool
		drive        loadstat.Drive
	}{
		{"no mark", nil, 0, 0, "a", 100, true, one},
		{"another model", []string{model}, 1, 1, "b", 0, false, one},
		{"a point of it", []string{model, after}, 1, 1, "b", 50, false, one},
		{"on a ramp", []string{rate, end}, 1, 0, "a", 100, true,
			loadstat.Drive{Rate: 5, Poisson: true, To: 12, Within: 7 * time.Second}},
	} {
		p, _ := loadPlayer(t, strings.Join(append(head[:len(head):len(head)], x.lines...), "\n")+"\n")
		v, _, _ := p.LoadReplay()
		if len(v.Marks) != x.marks || v.Setup != x.setup || v.Endpoint.Model != x.model || v.Live.Speed.V != x.speed ||
			(v.One() != nil) != x.alone || v.Drive != x.drive || v.Rate != x.drive.Rate {
			t.Errorf("%s: %d marks, setup %d, %s, speed %v, alone %v, %+v", x.name, len(v.Marks), v.Setup,
				v.Endpoint.Model, v.Live.Speed, v.One(), v.Drive)
		}
	}
}
