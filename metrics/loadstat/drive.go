package loadstat

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
)

// MaxUsers is the most users of a load, and the most requests of a probe at the same
// time, with one connection each. What the machine holds may be less.
const MaxUsers = 4096

// Drive is what makes the requests of a load begin: users of a closed loop, or
// a schedule of arrivals of an open one, constant or on a ramp.
type Drive struct {
	// Users is the number of users of a closed loop. In an open loop it bounds
	// the simultaneous requests; 0 is the bound of the program.
	Users int `json:"users"`
	// Rate is above 0 in an open loop: requests per second. Null in a closed one.
	Rate float64 `json:"rate_per_s" form:"null=zero"`
	// Poisson: the arrivals of an open loop are random, not evenly spaced.
	Poisson bool `json:"poisson,omitempty"`
	// To and Within are a ramp: Users, or Rate in an open loop, become To within
	// Within, evenly. 0: no ramp.
	To     float64       `json:"ramp_to,omitempty"`
	Within time.Duration `json:"ramp_s,omitempty" form:"s"`
}

// Open reports whether d is an open loop.
func (d Drive) Open() bool { return d.Rate > 0 }

// Ramps reports whether d changes over time.
func (d Drive) Ramps() bool { return d.To > 0 && d.Within > 0 }

// From is where a ramp begins: the users, or the rate of an open loop.
func (d Drive) From() float64 {
	if d.Open() {
		return d.Rate
	}
	return float64(d.Users)
}

// After returns what d is when it has run for elapsed: the rest of a ramp, from
// where it is then, or its end. A number of users is there from its moment on. d
// itself without a ramp.
func (d Drive) After(elapsed time.Duration) Drive {
	if !d.Ramps() || elapsed <= 0 {
		return d
	}
	at := d.To
	if elapsed < d.Within {
		at = d.From() + (d.To-d.From())*float64(elapsed)/float64(d.Within)
		d.Within -= elapsed
	} else {
		d.To, d.Within = 0, 0
	}
	if d.Open() {
		d.Rate = at
	} else {
		d.Users += int(at - float64(d.Users) + math.Copysign(1e-9, at-float64(d.Users)))
	}
	return d
}

// Ramp is a point of a load that changes while it is measured: users, or
// requests per second in an open loop, at the begin and the end of the window.
type Ramp struct {
	From float64 `json:"from" form:"null=inf"`
	To   float64 `json:"to" form:"null=inf"`
}

// Bounds of a Drive as a person types it.
const (
	LeastRate, MostRate = 0.001, 10_000.0
	LeastRamp, MostRamp = 2 * time.Second, 24 * time.Hour
)

// ParseDrive reads what a person types: a number of users or a rate, and a
// ramp of either.
//
//	64   8 users   12/s   12/s poisson   200 in 60s   10-200 in 60s   10..200/60s   1-20/s/2m
//
// Without "/s" or "users" a number counts what now counts: users, or requests per second
// where now is an open loop. A ramp without its begin begins at now. most is
// the largest number of users.
func ParseDrive(text string, now Drive, most int) (Drive, error) {
	bad := func() (Drive, error) {
		return Drive{}, fmt.Errorf("%q is not a load", strings.TrimSpace(text))
	}
	rest := strings.ToLower(strings.Join(strings.Fields(text), " "))
	d := Drive{Poisson: now.Poisson}
	open := now.Open()
	if cut, ok := strings.CutSuffix(rest, " poisson"); ok {
		rest, d.Poisson, open = cut, true, true
	} else if cut, ok := strings.CutSuffix(rest, " even"); ok {
		rest, d.Poisson, open = cut, false, true
	}
	numbers, within := rest, ""
	if a, b, ok := strings.Cut(rest, " in "); ok {
		numbers, within = a, b
	} else if at := strings.LastIndexByte(rest, '/'); at >= 0 && rest[at+1:] != "s" {
		numbers, within = rest[:at], rest[at+1:]
	}
	numbers = strings.TrimSpace(numbers)
	if cut, ok := strings.CutSuffix(numbers, "/s"); ok {
		numbers, open = strings.TrimSpace(cut), true
	} else if cut, ok := strings.CutSuffix(strings.TrimSuffix(numbers, "s"), " user"); ok {
		numbers, open = cut, false
	}
	from, to, both := strings.Cut(numbers, "..")
	if !both {
		from, to, both = strings.Cut(numbers, "-")
	}
	if !both {
		from, to = "", numbers
	}
	end, err := driveNumber(to, open, most)
	if err != nil {
		return Drive{}, fmt.Errorf("%q: %w", strings.TrimSpace(text), err)
	}
	if both && within == "" {
		return bad()
	}
	if within == "" {
		if d.Users = int(end); open {
			d.Users, d.Rate = 0, end
		}
		return d, nil
	}
	d.To = end
	if d.Within, err = time.ParseDuration(strings.ReplaceAll(within, " ", "")); err != nil {
		return bad()
	}
	if d.Within < LeastRamp || d.Within > MostRamp {
		return Drive{}, fmt.Errorf("%q: a ramp takes %v to 24h", strings.TrimSpace(text), LeastRamp)
	}
	begin := now.From()
	if both {
		if begin, err = driveNumber(from, open, most); err != nil {
			return Drive{}, fmt.Errorf("%q: %w", strings.TrimSpace(text), err)
		}
	} else if open != now.Open() || !(begin > 0) {
		return Drive{}, fmt.Errorf("%q: say where the ramp begins", strings.TrimSpace(text))
	}
	if begin == end {
		return Drive{}, fmt.Errorf("%q: a ramp has two different ends", strings.TrimSpace(text))
	}
	if d.Users = int(begin); open {
		d.Users, d.Rate = 0, begin
	}
	return d, nil
}

// driveNumber reads a number of users, or a rate.
func driveNumber(text string, open bool, most int) (float64, error) {
	text = strings.TrimSpace(text)
	if !open {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return 0, fmt.Errorf("%q is not a number of users from 1 to %d", text, most)
		}
		return float64(n), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < LeastRate || v > MostRate {
		return 0, errors.New(strconv.Quote(text) + " is not a rate from 0.001 to 10000 requests per second")
	}
	return v, nil
}

// Growth returns by how many requests per second more arrive than end in an open loop. grows
// is false in a closed one, and where it may be chance:
//
//	growth = (arrived − ended) / window
//	grows  = arrived − ended is at least 5, 5 % of the arrived, and 2·√arrived
//
// Before the first request of this rate has ended it is early instead: no growth of a queue
// yet, since the first answers take their time.
func (p *Point) Growth() (perSecond float64, grows, early bool) {
	seconds := float64(p.To-p.From) / 1e9
	if !p.Arrived.OK || !(seconds > 0) {
		return 0, false, false
	}
	arrived := p.Arrived.V * seconds
	more := arrived - float64(p.Requests+p.Failed)
	outrun := more >= max(5, 0.05*arrived, 2*math.Sqrt(arrived))
	return more / seconds, outrun && !p.Warmup, outrun && p.Warmup
}

// EndRate returns the requests per second that ended in p, well or not.
// Unknown for an empty window.
func (p *Point) EndRate() metrics.Value {
	if seconds := float64(p.To-p.From) / 1e9; seconds > 0 && p.Rate.OK {
		return metrics.Known(float64(p.Requests+p.Failed)/seconds, p.Requests+p.Failed)
	}
	return p.Rate
}
