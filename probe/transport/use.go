package transport

import (
	"runtime"
	"time"

	"tokscope/metrics"
)

const (
	// useEvery is the number of wake-ups between two measurements of this
	// program's use of the machine: a second.
	useEvery = int(time.Second / wakeEvery)
	// usesKept covers the time of wakesKept.
	usesKept = wakesKept / useEvery
)

// use is what this program had used of the machine at one moment.
type use struct {
	at          metrics.Stamp
	cpu         time.Duration // user and system time since the program began; below 0: unknown
	descriptors int           // open ones; 0: unknown
	limit       int           // of descriptors; 0: unknown
}

// uses is a ring of measurements. It has no lock: it belongs to the jitter
// monitor, under its mutex.
type uses struct {
	ring []use
	n    int // measurements so far
}

// add keeps u.
func (s *uses) add(u use) {
	if s.ring == nil {
		s.ring = make([]use, usesKept)
	}
	s.ring[s.n%len(s.ring)] = u
	s.n++
}

// since returns the use since mark, of the measurements at or after it.
// NoStamp means all.
func (s *uses) since(mark metrics.Stamp) metrics.Use {
	out := metrics.Use{Cores: runtime.NumCPU()}
	if s.n == 0 {
		return out
	}
	last := s.ring[(s.n-1)%len(s.ring)]
	first := last
	for i := s.n - 1; i >= 0 && i >= s.n-len(s.ring); i-- {
		u := s.ring[i%len(s.ring)]
		if mark.Known() && u.at < mark {
			break
		}
		first = u
	}
	if !mark.Known() || last.at >= mark {
		out.Descriptors, out.DescriptorLimit = last.descriptors, last.limit
	}
	if d := time.Duration(last.at - first.at); d > 0 && first.cpu >= 0 && last.cpu >= first.cpu {
		out.CPU, out.Seconds = float64(last.cpu-first.cpu)/float64(d), int(d.Round(time.Second)/time.Second)
	}
	return out
}

// measureUse measures this program's use now.
func measureUse(now metrics.Stamp) use {
	u := use{at: now, cpu: cpuTime()}
	u.descriptors, u.limit = openDescriptors()
	return u
}
