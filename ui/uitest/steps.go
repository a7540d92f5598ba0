package uitest

import (
	"cmp"
	"math"
	"slices"

	"tokscope/metrics/serving"
)

// packedSteps are steps by column. Times are nanoseconds of the engine's clock,
// shares have five decimals, FLOPs are millions.
type packedSteps struct {
	First    uint64 // number of the first step
	Count    int
	Start    int64           // of the first step
	Columns  map[string]runs `json:",omitempty"`
	Terms    []packedTerm    `json:",omitempty"` // in the order of the steps' terms
	Words    []string        `json:",omitempty"` // of Binds, Pool and the terms' limits, from 1
	Requests []packedRequest `json:",omitempty"`
}

type packedTerm struct {
	Name                         string
	Seconds, Bytes, FLOPs, Limit runs `json:",omitempty"`
}

// packedRequest is a request over consecutive steps.
type packedRequest struct {
	ID             uint64
	User           int `json:",omitempty"`
	Prompt, Output int
	From, Count    int             // steps, From is an index
	Columns        map[string]runs `json:",omitempty"`
}

const (
	nano  = 1e9
	share = 1e5
	mega  = 1e-6
)

func quantum(v, unit float64) int64 { return int64(math.Round(v * unit)) }

// stepColumns are the figures of a step and their encodings.
var stepColumns = []struct {
	name string
	get  func(*serving.EngineStep) int64
	set  func(*serving.EngineStep, int64)
}{
	{"decodes", func(s *serving.EngineStep) int64 { return int64(s.Decodes) },
		func(s *serving.EngineStep, v int64) { s.Decodes = int(v) }},
	{"prefills", func(s *serving.EngineStep) int64 { return int64(s.Prefills) },
		func(s *serving.EngineStep, v int64) { s.Prefills = int(v) }},
	{"prefilled", func(s *serving.EngineStep) int64 { return int64(s.Prefilled) },
		func(s *serving.EngineStep, v int64) { s.Prefilled = int(v) }},
	{"context", func(s *serving.EngineStep) int64 { return int64(s.Context) },
		func(s *serving.EngineStep, v int64) { s.Context = int(v) }},
	{"running", func(s *serving.EngineStep) int64 { return int64(s.Running) },
		func(s *serving.EngineStep, v int64) { s.Running = int(v) }},
	{"waiting", func(s *serving.EngineStep) int64 { return int64(s.Waiting) },
		func(s *serving.EngineStep, v int64) { s.Waiting = int(v) }},
	{"preempted", func(s *serving.EngineStep) int64 { return int64(s.Preempted) },
		func(s *serving.EngineStep, v int64) { s.Preempted = int(v) }},
	{"tokens", func(s *serving.EngineStep) int64 { return int64(s.Tokens) },
		func(s *serving.EngineStep, v int64) { s.Tokens = int(v) }},
	{"more", func(s *serving.EngineStep) int64 { return int64(s.More) },
		func(s *serving.EngineStep, v int64) { s.More = int(v) }},
	{"kv", func(s *serving.EngineStep) int64 { return quantum(s.KV, share) },
		func(s *serving.EngineStep, v int64) { s.KV = float64(v) / share }},
	{"bandwidth", func(s *serving.EngineStep) int64 { return quantum(s.Bandwidth, share) },
		func(s *serving.EngineStep, v int64) { s.Bandwidth = float64(v) / share }},
	{"compute", func(s *serving.EngineStep) int64 { return quantum(s.Compute, share) },
		func(s *serving.EngineStep, v int64) { s.Compute = float64(v) / share }},
}

// rowColumns are the changing figures of a request.
var rowColumns = []struct {
	name string
	get  func(*serving.EngineRequest) int64
	set  func(*serving.EngineRequest, int64)
}{
	{"state", func(q *serving.EngineRequest) int64 { return int64(q.State) },
		func(q *serving.EngineRequest, v int64) { q.State = serving.EngineState(v) }},
	{"done", func(q *serving.EngineRequest) int64 { return int64(q.PromptDone) },
		func(q *serving.EngineRequest, v int64) { q.PromptDone = int(v) }},
	{"cached", func(q *serving.EngineRequest) int64 { return int64(q.Cached) },
		func(q *serving.EngineRequest, v int64) { q.Cached = int(v) }},
	{"out", func(q *serving.EngineRequest) int64 { return int64(q.Out) },
		func(q *serving.EngineRequest, v int64) { q.Out = int(v) }},
	{"blocks", func(q *serving.EngineRequest) int64 { return int64(q.Blocks) },
		func(q *serving.EngineRequest, v int64) { q.Blocks = int(v) }},
	{"scheduled", func(q *serving.EngineRequest) int64 { return int64(q.Scheduled) },
		func(q *serving.EngineRequest, v int64) { q.Scheduled = int(v) }},
	{"preempted", func(q *serving.EngineRequest) int64 { return int64(q.Preempted) },
		func(q *serving.EngineRequest, v int64) { q.Preempted = int(v) }},
}

// position is the column of a request's place among the rows of a step.
const position = "row"

// packSteps packs consecutively numbered steps; nil without any.
func packSteps(steps []serving.EngineStep) *packedSteps {
	if len(steps) == 0 {
		return nil
	}
	p := &packedSteps{First: steps[0].Number, Count: len(steps),
		Start: quantum(steps[0].Start, nano), Columns: map[string]runs{}}
	addColumn := func(name string, get func(*serving.EngineStep) int64) {
		column := make([]int64, len(steps))
		for i := range steps {
			column[i] = get(&steps[i])
		}
		if r := runsOf(column); r != nil {
			p.Columns[name] = r
		}
	}
	for _, c := range stepColumns {
		addColumn(c.name, c.get)
	}
	addColumn("binds", func(s *serving.EngineStep) int64 { return p.word(s.Binds) })
	addColumn("pool", func(s *serving.EngineStep) int64 { return p.word(s.Pool) })
	p.packTerms(steps)
	// A step begins that long after the end of the one before; with two pools
	// it may begin earlier.
	end := p.Start
	addColumn("idle", func(s *serving.EngineStep) int64 {
		idle := quantum(s.Start, nano) - end
		if idle > -3 && idle < 3 { // the rounding of the terms
			idle = 0
		}
		end += idle
		for _, c := range s.Cost() {
			end += quantum(c.Seconds, nano)
		}
		return idle
	})
	p.packRequests(steps)
	return p
}

// word is the number of a word, from 1; 0 is "".
func (p *packedSteps) word(w string) int64 {
	if w == "" {
		return 0
	}
	i := slices.Index(p.Words, w)
	if i < 0 {
		i = len(p.Words)
		p.Words = append(p.Words, w)
	}
	return int64(i) + 1
}

func (p *packedSteps) packTerms(steps []serving.EngineStep) {
	var names []string
	for i := range steps {
		after := 0 // terms of only some steps keep their place among the others
		for _, c := range steps[i].Cost() {
			if at := slices.Index(names, c.Name); at >= 0 {
				after = at + 1
				continue
			}
			names = slices.Insert(names, after, c.Name)
			after++
		}
	}
	for _, name := range names {
		column := func(get func(*serving.StepTerm) int64) runs {
			out := make([]int64, len(steps))
			for i := range steps {
				cost := steps[i].Cost()
				if at := slices.IndexFunc(cost, func(c serving.StepTerm) bool { return c.Name == name }); at >= 0 {
					out[i] = get(&cost[at])
				}
			}
			return runsOf(out)
		}
		p.Terms = append(p.Terms, packedTerm{
			Name:    name,
			Seconds: column(func(c *serving.StepTerm) int64 { return quantum(c.Seconds, nano) }),
			Bytes:   column(func(c *serving.StepTerm) int64 { return quantum(c.Bytes, 1) }),
			FLOPs:   column(func(c *serving.StepTerm) int64 { return quantum(c.FLOPs, mega) }),
			Limit:   column(func(c *serving.StepTerm) int64 { return p.word(c.Limit) }),
		})
	}
}

func (p *packedSteps) packRequests(steps []serving.EngineStep) {
	type track struct {
		packedRequest
		rows  []serving.EngineRequest
		place []int64
	}
	var all, open []*track
	for i := range steps {
		var here []*track
		for j := range steps[i].Batch {
			q := &steps[i].Batch[j]
			at := slices.IndexFunc(open, func(t *track) bool { return t.ID == q.ID })
			var t *track
			if at >= 0 {
				t = open[at]
			} else {
				t = &track{packedRequest: packedRequest{ID: q.ID, User: q.User,
					Prompt: q.Prompt, Output: q.Output, From: i, Columns: map[string]runs{}}}
				all = append(all, t)
			}
			t.rows, t.place = append(t.rows, *q), append(t.place, int64(j))
			here = append(here, t)
		}
		open = here
	}
	for _, t := range all {
		t.Count = len(t.rows)
		if r := runsOf(t.place); r != nil {
			t.Columns[position] = r
		}
		for _, c := range rowColumns {
			column := make([]int64, len(t.rows))
			for i := range t.rows {
				column[i] = c.get(&t.rows[i])
			}
			if r := runsOf(column); r != nil {
				t.Columns[c.name] = r
			}
		}
		p.Requests = append(p.Requests, t.packedRequest)
	}
}

// unpack returns the steps of p, none for a nil p.
func (p *packedSteps) unpack() []serving.EngineStep {
	if p == nil {
		return nil
	}
	steps := make([]serving.EngineStep, p.Count)
	for _, c := range stepColumns {
		for i, v := range p.Columns[c.name].rows(p.Count) {
			c.set(&steps[i], v)
		}
	}
	word := func(n int64) string {
		if n == 0 {
			return ""
		}
		return p.Words[n-1]
	}
	binds, pool, idle := p.Columns["binds"].rows(p.Count), p.Columns["pool"].rows(p.Count), p.Columns["idle"].rows(p.Count)
	length := make([]int64, p.Count)
	for _, t := range p.Terms {
		seconds, bytes, flops, limit := t.Seconds.rows(p.Count),
			t.Bytes.rows(p.Count), t.FLOPs.rows(p.Count), t.Limit.rows(p.Count)
		for i := range steps {
			if limit[i] == 0 { // the step does not have this term
				continue
			}
			length[i] += seconds[i]
			steps[i].Terms[steps[i].NumTerms] = serving.StepTerm{Name: t.Name, Seconds: float64(seconds[i]) / nano,
				Bytes: float64(bytes[i]), FLOPs: float64(flops[i]) / mega, Limit: word(limit[i])}
			steps[i].NumTerms++
		}
	}
	end := p.Start
	for i := range steps {
		s := &steps[i]
		end += idle[i]
		s.Number, s.Start, s.Binds, s.Pool = p.First+uint64(i), float64(end)/nano, word(binds[i]), word(pool[i])
		end += length[i]
		s.End = float64(end) / nano
	}
	p.unpackRequests(steps)
	return steps
}

func (p *packedSteps) unpackRequests(steps []serving.EngineStep) {
	type row struct {
		place int64
		q     serving.EngineRequest
	}
	rows := make([][]row, len(steps))
	for _, r := range p.Requests {
		out := make([]row, r.Count)
		for i, place := range r.Columns[position].rows(r.Count) {
			out[i] = row{place, serving.EngineRequest{ID: r.ID, User: r.User, Prompt: r.Prompt, Output: r.Output}}
		}
		for _, c := range rowColumns {
			for i, v := range r.Columns[c.name].rows(r.Count) {
				c.set(&out[i].q, v)
			}
		}
		for i := range out {
			rows[r.From+i] = append(rows[r.From+i], out[i])
		}
	}
	for i := range rows {
		slices.SortFunc(rows[i], func(a, b row) int { return cmp.Compare(a.place, b.place) })
		for j := range rows[i] {
			steps[i].Batch = append(steps[i].Batch, rows[i][j].q)
		}
	}
}
