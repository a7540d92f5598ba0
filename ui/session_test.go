package ui

import (
	"context"
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/ui/uitest"
)

// loads are the loads of the program. They note what they are told, and are refused or have
// ended requests as a test wants. Their methods are those of load.Backend.
type loads struct {
	*uitest.Load
	of   *uitest.Backend
	root *rootFake
	// StartErr, when set, refuses every start, MoveErr every other endpoint.
	StartErr, MoveErr error
	// Late lets the requests that LoadCut cancels end later, as they do.
	Late bool
	// Ended are the ended requests of the load; nil: its own.
	Ended *request.Log
}

func (b *loads) note(format string, args ...any) {
	b.of.Note("load "+fmt.Sprintf(format, args...), func() {})
}

func (b *loads) LoadStart(w metrics.Workload, users int) (loadstat.Question, error) {
	if b.note("start %d", users); b.StartErr != nil {
		return loadstat.Question{}, b.StartErr
	}
	return b.Load.LoadStart(w, users)
}

// SetLengths notes lengths that vary.
func (b *loads) SetLengths(input, output metrics.Lengths) {
	if input.Varies() || output.Varies() {
		b.note("lengths %v / %v", input, output)
	}
	b.Load.SetLengths(input, output)
}

func (b *loads) LoadConsent() {
	b.note("consent")
	b.Load.LoadConsent()
}

// LoadDrive notes users of a closed loop as "load resize", and only while it runs.
func (b *loads) LoadDrive(d loadstat.Drive) {
	v := b.LoadView()
	switch plain := !d.Open() && !d.Ramps() && !v.Drive.Open() && !v.Drive.Ramps(); {
	case !plain:
		b.note("drive %+v", d)
	case v.Running:
		b.note("resize %d", d.Users)
	}
	b.Load.LoadDrive(d)
}

func (b *loads) LoadCut() {
	if b.note("cut"); !b.Late {
		b.Load.LoadCut()
	}
}

func (b *loads) LoadHold(on bool) {
	b.note("hold %t", on)
	b.Load.LoadHold(on)
}

// LoadSave writes nothing.
func (b *loads) LoadSave(context.Context) (string, error) {
	b.note("save")
	return b.root.Path, b.root.SaveErr
}

func (b *loads) LoadStop() {
	b.note("stop")
	b.Load.LoadStop()
}

func (b *loads) SetSLOs(s []slo.Objective) {
	b.of.Note("objectives", func() {})
	b.Load.SetSLOs(s)
}

func (b *loads) LoadSteer(w metrics.Workload, input, output metrics.Lengths) {
	b.note("steer %s", w.Name)
	b.Load.LoadSteer(w, input, output)
}

// LoadMove also makes the endpoint of the load that in use, as LoadUndo does.
func (b *loads) LoadMove(e metrics.Endpoint, agreed bool) (need loadstat.Question, err error) {
	if err = b.MoveErr; err == nil {
		need, err = b.Load.LoadMove(e, agreed)
	}
	b.of.Use("load move "+e.Name+" "+e.Model, b.Load.Endpoint())
	return need, err
}

func (b *loads) LoadUndo(agreed bool) loadstat.Question {
	need := b.Load.LoadUndo(agreed)
	b.of.Use("load undo", b.Load.Endpoint())
	return need
}

func (b *loads) LoadRequests() request.View {
	if b.Ended != nil {
		return b.Ended.View()
	}
	return b.Load.LoadRequests()
}

func (b *loads) LoadRequest(id int) (s metrics.Stream, kept bool) {
	if b.Ended == nil {
		return b.Load.LoadRequest(id)
	}
	if p := b.Ended.Packed(id); p != nil {
		return p.Stream(), true
	}
	return s, false
}

// races are the races of the program. They note what was started; nothing is saved.
type races struct {
	*uitest.Race
	root  *rootFake
	plans []racestat.Plan
	// Proposal, where it has targets, is what was measured last before.
	Proposal racestat.Contest
}

// RaceStart draws the same orders each time: B is the first of the first pair.
func (b *races) RaceStart(p racestat.Plan, round func(racestat.View)) error {
	b.plans, p.Seed = append(b.plans, p), 1
	return b.Race.RaceStart(p, round)
}

func (b *races) RacePropose(ctx context.Context) (racestat.Contest, racestat.Proposal) {
	if b.Proposal.Targets != nil {
		return b.Proposal, racestat.LastOther
	}
	return b.Race.RacePropose(ctx)
}

func (b *races) RaceSave(context.Context) (string, error) { return b.root.Path, b.root.SaveErr }
