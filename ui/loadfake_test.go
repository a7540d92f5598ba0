package ui

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/ui/uitest"
)

// loadFake is a load on the clock of a backend: lanes without a network, figures by a
// simple rule. Methods without a comment are those of load.Backend.
type loadFake struct {
	of   *uitest.Backend
	root *rootFake
	mu   *sync.Mutex // these three are those of the backend
	now  *metrics.Stamp
	end  *metrics.Endpoint
	load loadstat.View
	set  loadstat.Setting // of this load and the next, without endpoint and drive

	// Needs is the question of LoadStart before a yes.
	Needs loadstat.Question
	// Free is the largest number of users that LoadDrive accepts without a
	// question; 0: any.
	Free int
	// StartErr, when set, refuses every start, MoveErr every other endpoint.
	StartErr, MoveErr error
	// Late lets the requests that LoadCut cancels end later, as they do.
	Late   bool
	undo   []loadstat.Mark
	agreed bool
	drive  loadstat.Drive // of the next load
	// Ended are the ended requests of the load; nil: none.
	Ended *request.Log
}

func newLoadFake(of *uitest.Backend, root *rootFake) *loadFake {
	b := &loadFake{of: of, root: root}
	b.mu, b.now, b.end = of.Shared()
	b.load.Began = metrics.NoStamp
	return b
}

func (b *loadFake) LoadStart(w metrics.Workload, users int) (need loadstat.Question, err error) {
	b.of.Note("load start "+strconv.Itoa(users), func() {
		switch {
		case b.StartErr != nil:
			err = b.StartErr
		case b.Needs != (loadstat.Question{}) && !b.agreed:
			need = b.Needs
		default:
			b.set.Work = w
			b.load = loadstat.View{Began: *b.now, Running: true, Sent: 1}
			if b.resize(users); b.drive.Open() {
				b.load.Drive, b.load.Rate, b.load.Target = b.drive, b.drive.Rate, 0
				b.load.Live.Asked = b.drive.Rate
			}
		}
	})
	return need, err
}

// SetLengths implements load.Backend. It counts as a call only for lengths
// that vary.
func (b *loadFake) SetLengths(input, output metrics.Lengths) {
	if !input.Varies() && !output.Varies() {
		b.mu.Lock()
		b.set.Input, b.set.Output = input, output
		b.mu.Unlock()
		return
	}
	b.of.Note("load lengths "+input.String()+" / "+output.String(), func() { b.set.Input, b.set.Output = input, output })
}

func (b *loadFake) LoadConsent() {
	b.of.Note("load consent", func() { b.agreed, b.load.Asks = true, loadstat.Question{} })
}

// resize gives the load n users: lanes that decode, and figures that fall per
// user and rise in the aggregate. Users who leave stay until LoadCut.
func (b *loadFake) resize(n int) {
	l := &b.load
	if l.Live.Users > 0 && l.Live.Speed.OK {
		done := l.Live
		done.Steady = true
		l.Path = append(l.Path[:len(l.Path):len(l.Path)], done)
		if done.Users == 1 {
			l.Alone = &done
		}
	}
	l.Target = n
	lanes := make([]loadstat.Lane, 0, max(n, len(l.Lanes)))
	for u := 1; u <= max(n, len(l.Lanes)); u++ {
		past := make([]loadstat.Slice, 60)
		for i := range past {
			past[i] = loadstat.Slice{State: loadstat.LaneDecoding, Gap: 10}
		}
		lanes = append(lanes,
			loadstat.Lane{User: u, State: loadstat.LaneDecoding, Since: *b.now, Stream: u, Gap: 10, Past: past, Leaving: u > n})
	}
	l.Lanes, l.Users, l.InFlight, l.Decoding = lanes, len(lanes), len(lanes), len(lanes)
	step := 6.5 + 0.14*float64(n)
	l.Live = loadstat.Point{Users: n, Speed: metrics.Known(1000/step, 9), Total: metrics.Known(float64(n)*1000/step, 9)}
}

// LoadDrive implements load.Backend. Users of a closed loop count as "load resize",
// and only while it runs.
func (b *loadFake) LoadDrive(d loadstat.Drive) {
	l, call := &b.load, fmt.Sprintf("load drive %+v", d)
	b.mu.Lock()
	plain, running := !d.Open() && !d.Ramps() && !l.Drive.Open() && !l.Drive.Ramps(), l.Running
	b.mu.Unlock()
	if plain && !running {
		return
	}
	if plain {
		call = "load resize " + strconv.Itoa(d.Users)
	}
	b.of.Note(call, func() {
		b.drive = d
		switch {
		case !running:
		case plain && b.Free > 0 && d.Users > b.Free && !b.agreed:
			l.Asks = loadstat.Question{Endpoint: "there", Forecast: loadstat.Forecast{Users: d.Users}}
		case plain:
			defer b.marking(false)()
			b.resize(d.Users)
		case d.Open():
			b.resize(4)
			l.Drive, l.Rate, l.Target = d, d.Rate, 0
			l.Live.Asked, l.Live.Arrived = d.Rate, metrics.Known(d.Rate, 9)
		default:
			l.Drive, l.Rate, l.Live.Asked = d, 0, 0
			b.resize(d.Users)
		}
	})
}

func (b *loadFake) LoadCut() {
	b.of.Note("load cut", func() {
		l := &b.load
		if b.Late {
			return
		}
		l.Lanes = l.Lanes[:min(l.Target, len(l.Lanes))]
		l.Users, l.Running, l.Ending = len(l.Lanes), l.Target > 0, false
	})
}

// Idle ends every request of the load, as after a long hold.
func (b *loadFake) Idle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load.InFlight, b.load.Decoding = 0, 0
}

func (b *loadFake) LoadHold(on bool) {
	b.of.Note("load hold "+strconv.FormatBool(on), func() { b.load.Holding = on })
}

func (b *loadFake) LoadSave(context.Context) (string, error) {
	b.of.Note("load save", func() {})
	return b.root.Path, b.root.SaveErr
}

func (b *loadFake) LoadStop() {
	b.of.Note("load stop", func() { b.load.Target, b.load.Ending = 0, true })
}

func (b *loadFake) LoadView() loadstat.View {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := b.load
	v.Now, v.Endpoint, v.Work, v.Input, v.Output, v.SLOs = *b.now, *b.end, b.set.Work, b.set.Input, b.set.Output, b.set.SLOs
	return v
}

// LoadVersion implements load.Backend. While a load runs, every moment is
// new.
func (b *loadFake) LoadVersion() uint64 {
	v := uint64(len(b.of.Calls()))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.load.Running {
		v += uint64(*b.now / 1e6)
	}
	return v
}

func (b *loadFake) LoadStream(user int) (metrics.Stream, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if user < 1 || user > len(b.load.Lanes) {
		return metrics.Stream{}, false
	}
	s, began := metrics.NoStream(*b.now), b.load.Began
	s.ID, s.State, s.Work, s.Endpoint = 1000+user, metrics.Decoding, b.set.Work, *b.end
	s.Marks.Start, s.Marks.GotConn, s.Marks.Sent, s.LastData = began, began, began, began+4e7
	s.Text = []byte("the text of user " + strconv.Itoa(user))
	s.Chunks = []metrics.Chunk{{At: s.LastData, TextEnd: int32(len(s.Text)), Tokens: 1}}
	return s, true
}

func (b *loadFake) SetSLOs(s []slo.Objective) {
	b.of.Note("objectives", func() {
		defer b.marking(false)()
		b.set.SLOs = s
	})
}

func (b *loadFake) LoadRequests() (v request.View) {
	if l := uitest.Locked(b.mu, &b.Ended); l != nil {
		v = l.View()
	}
	return v
}

func (b *loadFake) LoadRequest(id int) (s metrics.Stream, kept bool) {
	if l := uitest.Locked(b.mu, &b.Ended); l != nil {
		if p := l.Packed(id); p != nil {
			return p.Stream(), true
		}
	}
	return s, false
}
