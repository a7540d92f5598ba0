package uitest

// runs is a column of whole numbers as triples: a value, the increment from
// row to row, and the number of rows.
type runs []int64

// runsOf packs a column; nil when all of it is 0.
func runsOf(column []int64) (out runs) {
	zero := true
	for i := 0; i < len(column); {
		first, by, n := column[i], int64(0), 1
		if i+1 < len(column) {
			by = column[i+1] - first
			for i+n < len(column) && column[i+n]-column[i+n-1] == by {
				n++
			}
		}
		if n == 1 {
			by = 0
		}
		out = append(out, first, by, int64(n))
		zero = zero && first == 0 && by == 0
		i += n
	}
	if zero {
		return nil
	}
	return out
}

// rows unpacks a column of n rows. Missing rows are 0.
func (r runs) rows(n int) []int64 {
	out := make([]int64, 0, n)
	for ; len(r) >= 3; r = r[3:] {
		v := r[0]
		for range r[2] {
			out = append(out, v)
			v += r[1]
		}
	}
	return append(out, make([]int64, max(n-len(out), 0))...)
}
