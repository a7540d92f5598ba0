package smoke

import (
	"time"

	"tokscope/metrics/history"
)

// column is what one column of the plot shows.
type column struct {
	q         history.Quantiles // of its slots; N 0 without a value
	n, failed int               // requests
	slots     int
}

// fill distributes the slots over the columns of the plot.
func (c *Chart) fill(d *Data) {
	c.cols = append(c.cols[:0], make([]column, c.plot.W)...)
	if !d.To.After(d.From) {
		return
	}
	step := d.To.Sub(d.From).Seconds() / float64(c.plot.W)
	for i := range d.Slots {
		s := &d.Slots[i]
		from, to := c.span(d, s, step)
		for x := max(from, 0); x < min(to, c.plot.W); x++ {
			col := &c.cols[x]
			col.n, col.failed = col.n+s.N, col.failed+s.Failed
			col.slots++
		}
	}
	// Slots ascend, so those of one column are next to each other.
	for i := 0; i < len(d.Slots); i++ {
		from, to := c.span(d, &d.Slots[i], step)
		for x := max(from, 0); x < min(to, c.plot.W); x++ {
			col := &c.cols[x]
			switch {
			case col.slots == 1:
				col.q = d.Slots[i].Figures[d.Figure]
			case col.q.N == 0:
				c.mixed = c.mixed[:0]
				for j := i; j < len(d.Slots); j++ {
					a, b := c.span(d, &d.Slots[j], step)
					if a > x {
						break
					}
					if x < b {
						c.mixed = append(c.mixed, d.Slots[j].Figures[d.Figure])
					}
				}
				col.q = history.Mix(c.mixed...)
			}
		}
	}
}

// span returns the columns of a slot: those whose middle it holds, else the one
// that holds its own middle. The columns may lie outside the plot.
func (c *Chart) span(d *Data, s *history.Slot, step float64) (from, to int) {
	at := s.From.Sub(d.From).Seconds() / step
	w := s.Width.Seconds() / step
	from, to = ceil(at-0.5), ceil(at+w-0.5)
	if from >= to {
		from = floor(at + w/2)
		to = from + 1
	}
	return from, to
}

// place returns the column of a moment, false outside the plot.
func (c *Chart) place(d *Data, t time.Time) (x int, ok bool) {
	if t.Before(d.From) || !t.Before(d.To) {
		return 0, false
	}
	x = floor(t.Sub(d.From).Seconds() / d.To.Sub(d.From).Seconds() * float64(c.plot.W))
	return min(x, c.plot.W-1), true
}
