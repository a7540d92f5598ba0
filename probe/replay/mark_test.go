package replay

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
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

// A replayed load asks at every moment for what it asked for then, and a ramp
// goes on between its ends. Without marks of users and rate, the file does not
// say it.
func TestLoadTakesTheWayOfTheSlider(t *testing.T) {
	head := []string{
		`{"type":"session","schema":"tokscope/session/v1","started":"2026-11-23T00:00:00Z"}`,
		`{"type":"load","load":1,"at_ns":1000000000,"head":{"endpoint":{"name":"e","url":"http://h","model":"a"},"workload":{"name":"chat","prompt":"x"},"users":1}}`,
		`{"type":"request","id":1,"load":1,"start_ns":1000000000,"endpoint":{},"workload":{}}`,
		`{"type":"load_point","load":1,"at_ns":3000000000,"point":{"users":1,"from_ns":2000000000,"to_ns":3000000000,"steady":true,"speed_tok_per_s":100,"ended_well":3}}`,
	}
	marks := []string{
		`{"type":"load_mark","load":1,"at_ns":4000000000,"mark":{"what":"users","undo":false,"from":{"drive":{"users":1,"rate_per_s":null}},"to":{"drive":{"users":8,"rate_per_s":null}}}}`,
		`{"type":"load_mark","load":1,"at_ns":5000000000,"mark":{"what":"rate","undo":false,"from":{"drive":{"users":8,"rate_per_s":null}},"to":{"drive":{"users":0,"rate_per_s":2,"poisson":true,"ramp_to":12,"ramp_s":10}}}}`,
		`{"type":"load_mark","load":1,"at_ns":20000000000,"mark":{"what":"rate","undo":false,"from":{"drive":{"users":0,"rate_per_s":12,"poisson":true}},"to":{"drive":{"users":3,"rate_per_s":null,"ramp_to":9,"ramp_s":3}}}}`,
		`{"type":"load_mark","load":1,"at_ns":24000000000,"mark":{"what":"objectives","undo":false,"from":{"slo":[]},"to":{"slo":["ttft=1s"]}}}`,
	}
	p, _ := loadPlayer(t, strings.Join(append(head, marks...), "\n")+"\n")
	for _, x := range []struct {
		at    metrics.Stamp
		want  loadstat.Drive
		users int
	}{
		{3_500_000_000, loadstat.Drive{Users: 1}, 1}, {4_000_000_000, loadstat.Drive{Users: 8}, 8},
		{5_000_000_000, loadstat.Drive{Rate: 2, Poisson: true, To: 12, Within: 10 * time.Second}, 1},
		{8_000_000_000, loadstat.Drive{Rate: 5, Poisson: true, To: 12, Within: 7 * time.Second}, 1},
		{16_000_000_000, loadstat.Drive{Rate: 12, Poisson: true}, 1},
		{21_600_000_000, loadstat.Drive{Users: 6, To: 9, Within: 1400 * time.Millisecond}, 6},
		{23_900_000_000, loadstat.Drive{Users: 9}, 9},
	} {
		v, r := p.loads[0].Load.At(x.at)
		target := x.users
		if x.want.Open() {
			target = 0
		}
		if v.Drive != x.want || v.Rate != x.want.Rate || v.Users != x.users || v.Target != target || !r.Known {
			t.Errorf("at %d: %+v, rate %v, %d users of %d, known %v", x.at, v.Drive, v.Rate, v.Users, v.Target, r.Known)
		}
	}
	p, _ = loadPlayer(t, strings.Join(append(head, marks[3]), "\n")+"\n")
	if v, r := p.loads[0].Load.At(20_000_000_000); r.Known || v.Users != 1 {
		t.Errorf("without marks of the slider: %d users, known %v", v.Users, r.Known)
	}
}
