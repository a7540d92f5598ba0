package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/probe/endpoint"
	"tokscope/probe/race"
	"tokscope/probe/result"
)

// Race is the backend of the Race screen and of `tokscope race`: contestants, and
// the race between them.
type Race struct {
	latest[*race.Race]
	contest racestat.Contest
	lanes   []race.Lane
	vary    string // the field in which lanes differ
}

// RaceContest returns the contestants, as they were typed.
func (s *Race) RaceContest() racestat.Contest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.contest
}

// RaceSet makes c the contestants of the next race, each target in the syntax of
// endpoint.Spec. It sends nothing to their servers. It ends the race before. After an error
// that and the previous contestants stay.
func (s *Race) RaceSet(c racestat.Contest) error {
	named, field, err := c.Lanes()
	if err != nil {
		return err
	}
	var lanes []race.Lane
	var labels []string
	for i, n := range named {
		l, err := lane(&s.o, c.Targets[min(i, len(c.Targets)-1)], field, n.Value)
		if err != nil {
			return err
		}
		switch {
		case c.Settings != nil && l.Target.Kind == metrics.EndpointEmbedded:
			return endpoint.Refuse("the embedded endpoint is part of this program: no command restarts it",
				"name the address of a server of your own, such as one that `tokscope serve` prints")
		case c.Settings != nil:
			l.Label = n.Label
		case field != "":
			l.Label, l.Value = s.o.Engine.Scrubber().String(n.Label), s.o.Engine.Scrubber().String(n.Value)
		}
		l.Label = unique(labels, l.Label)
		lanes, labels = append(lanes, l), append(labels, l.Label)
	}
	s.mu.Lock()
	s.drop()
	s.contest, s.lanes, s.vary = c, lanes, field
	s.version++
	s.mu.Unlock()
	return nil
}

// unique returns label, longer where it is among labels: an endpoint may race itself.
func unique(labels []string, label string) string {
	for slices.Contains(labels, label) {
		label += " again"
	}
	return label
}

// lane resolves a target in the syntax of endpoint.Spec, with the value of a field, unless
// that is "". It sends nothing.
func lane(o *Options, arg, field, value string) (race.Lane, error) {
	spec, err := endpoint.ParseSpec(arg)
	if err != nil {
		return race.Lane{}, err
	}
	t, err := o.Resolver.Resolve(arg)
	if err == nil && field != "" {
		err = vary(o, &t, &spec, field, value)
	}
	if err == nil {
		t, err = o.served(t)
	}
	if err == nil {
		err = o.Engine.Prepare(t)
	}
	if err != nil {
		return race.Lane{}, err
	}
	label := cmp.Or(arg, t.Name)
	if t.API != "" { // the same address can be in two of them
		label += " " + t.API
	}
	return race.Lane{Label: o.Engine.Scrubber().String(label), Target: t, HTTP: spec.HTTP}, nil
}

// vary sets the field that varies between lanes of t, which was named with spec.
func vary(o *Options, t *endpoint.Target, spec *endpoint.Spec, field, value string) error {
	switch {
	case endpoint.SecretName(field):
		return endpoint.Refuse(field+" may hold a secret, and what varies is shown and recorded", "vary another field")
	case field == "model" && cmp.Or(spec.Model, o.Resolver.Flags.Model) != "":
		return endpoint.Refuse("the target names a model, and --vary names others", "leave the one of the target out")
	}
	return t.Set(field, value)
}

// RaceStart starts a race between the contestants and replaces a running one.
// round is called after each round, from another goroutine, which waits for it;
// nil: nothing.
func (s *Race) RaceStart(p racestat.Plan, round func(racestat.View)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lanes) < racestat.MinLanes {
		return errors.New("a race needs two contestants: choose them with e")
	}
	if p.Swap != nil {
		labels := pick.Each(s.lanes, func(l *race.Lane) string { return l.Label })
		if err := p.Swap.Check(labels); err != nil {
			return err
		}
	}
	for i := range s.lanes {
		if err := s.lanes[i].Target.CheckWork(&p.Work); err != nil {
			return err
		}
	}
	s.drop()
	r := race.Start(context.Background(), race.Config{Engine: s.o.Engine, Lanes: s.lanes, Vary: s.vary, Plan: p,
		Round: round, Notify: s.o.Notify, Ended: s.o.History.Runs(history.Race)})
	s.run = r
	s.version++
	s.wg.Go(r.Wait)
	return nil
}

// drop ends the race and forgets it: s.mu is held.
func (s *Race) drop() {
	if old := s.run; old != nil {
		old.Stop()
		old.Wait()
		s.before += old.Version() + 1
		s.run = nil
	}
}

// RaceHold lets no further request begin, or lets them begin again.
func (s *Race) RaceHold(on bool) { s.with(func(r *race.Race) { r.Hold(on) }) }

// RaceStop ends the race; what is known stays.
func (s *Race) RaceStop() { s.with((*race.Race).Stop) }

// RaceWait returns once the race has ended, or ctx has, which stops it.
func (s *Race) RaceWait(ctx context.Context) {
	s.with(func(r *race.Race) {
		defer context.AfterFunc(ctx, r.Stop)()
		r.Wait()
	})
}

// RaceView returns the current or last race. Before the first it has the
// contestants alone, and never began.
func (s *Race) RaceView() racestat.View {
	if r := s.present(); r != nil {
		return r.View()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return race.Before(s.o.Engine, s.lanes, s.vary, racestat.Plan{Bounds: racestat.DefaultBounds, Band: racestat.Band})
}

// RaceVersion changes whenever RaceView or RaceStream would differ by more than
// the clock.
func (s *Race) RaceVersion() uint64 { return s.changes() }

// RaceStream returns the request of a lane in the present or last round.
func (s *Race) RaceStream(lane int) (v metrics.Stream, ok bool) {
	s.with(func(r *race.Race) { v, ok = r.Stream(lane) })
	return v, ok
}

// RaceHeat returns the requests of a whole round: see race.Race.Heat.
func (s *Race) RaceHeat(nearest bool) (number int, streams []metrics.Stream) {
	s.with(func(r *race.Race) { number, streams = r.Heat(nearest) })
	return number, streams
}

// RaceWrite writes the JSON document of the race.
func (s *Race) RaceWrite(out io.Writer) error {
	v := s.RaceView()
	return s.o.Sentences.WriteDocument(out, result.RaceOf(s.o.Version, &v, s.o.Sentences))
}

// RaceSave writes the race as a JSON document beside the recording.
func (s *Race) RaceSave(context.Context) (string, error) {
	if v := s.RaceView(); v.Pairs() == 0 && len(v.Blocks) == 0 {
		return "", errors.New("nothing to save yet: no pair has ended")
	}
	return s.write(".race.json", s.RaceWrite)
}

// RaceLine writes a line of --ndjson: "begin", "pair" or "end" of v.
func (s *Race) RaceLine(out io.Writer, kind string, v *racestat.View) error {
	return result.WriteRaceLine(out, kind, v, s.o.Sentences)
}
