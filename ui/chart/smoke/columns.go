package smoke

import (
	"time"

	"tokscope/metrics/history"
	"tokscope/themes"
)

// column is what one column of dots shows: two are a column of the plot.
type column struct {
	q      history.Quantiles // of its slots; N 0 without a value
	failed int               // requests
	// reach are the lowest and the highest row of dots of the parts, with their colors;
	// below reports that the axis ends above the smallest value.
	reach [parts][2]int
	roles [parts]themes.Role
	below bool
}

// fill distributes the slots over the columns of dots.
func (c *Chart) fill(d *Data) {
	c.cols, c.most = append(c.cols[:0], make([]column, 2*c.plot.W)...), 0
	if !d.To.After(d.From) {
		return
	}
	step := d.To.Sub(d.From).Seconds() / float64(2*c.plot.W)
	first := 0 // slots ascend: those before it end left of the column
	for x := range c.cols {
		col := &c.cols[x]
		c.mixed = c.mixed[:0]
		for i := first; i < len(d.Slots); i++ {
			s := &d.Slots[i]
			from, to := c.span(d, s, step)
			if from > x {
				break
			}
			if to <= x {
				first = i + 1
				continue
			}
			col.failed += s.Failed
			c.mixed = append(c.mixed, s.Figures[d.Figure])
		}
		switch len(c.mixed) {
		case 0:
		case 1:
			col.q = c.mixed[0]
		default:
			col.q = history.Mix(c.mixed...)
		}
		c.most = max(c.most, col.q.N)
	}
}

// span returns the columns of a slot: those whose middle it holds, else the one
// that holds its own middle. Of a slot outside the plot they lie there; one that is
// partly inside has a column of the plot.
func (c *Chart) span(d *Data, s *history.Slot, step float64) (from, to int) {
	at := s.From.Sub(d.From).Seconds() / step
	w := s.Width.Seconds() / step
	from, to = ceil(at-0.5), ceil(at+w-0.5)
	if from >= to {
		from = floor(at + w/2)
		to = from + 1
	}
	if columns := 2 * c.plot.W; at < float64(columns) && at+w > 0 {
		from, to = min(from, columns-1), max(to, 1)
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
