package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Sizes of the distributions.
const (
	pictureColumns = 60
	pictureRows    = 5
	pictureLeast   = 8   // values of each sample
	pictureFine    = 200 // values of both from which each column counts for itself
	pictureMost    = 4   // figures
	pictureLabel   = 12
)

// pictureFigures may have a distribution, the most important first.
var pictureFigures = [...]history.Figure{history.TTFT, history.TPOT,
	history.Prefill, history.Queue, history.Total, history.Longest}

// pictureCells fill a cell with nothing, with A, with B behind which no A is, and
// with both. They differ in density, so that no color is needed.
var pictureCells = [...]rune{' ', '░', '▓', '█'}

// comparedPictures adds the distributions of A and B of the main figures, and of
// those that differ, one behind the other on the same axis.
func comparedPictures(d *Doc, p *comparison.Pair) {
	n := 0
	for _, f := range pictureFigures {
		r := p.Row(f)
		main := f == history.TTFT || f == history.TPOT
		if n == pictureMost || r == nil || !main && !r.Different() || min(len(r.ValuesA), len(r.ValuesB)) < pictureLeast {
			continue
		}
		if rows := comparedPicture(r, pictureColumns); rows != nil {
			d.picture(rows)
			n++
		}
	}
}

// comparedPicture draws the shares of the values of A and B over a logarithmic axis
// from the smallest value of both to the largest. The height of A is that of the
// cells with A or both, the height of B that of the cells with B or both. Beside it
// stands the share of requests of a full column. It is nil where there is no axis.
func comparedPicture(r *comparison.Row, columns int) []string {
	low := max(min(r.ValuesA[0], r.ValuesB[0]), 1e-6)
	high := max(r.ValuesA[len(r.ValuesA)-1], r.ValuesB[len(r.ValuesB)-1])
	if !(high > low*1.001) {
		return nil
	}
	wide := 1
	if len(r.ValuesA)+len(r.ValuesB) < pictureFine {
		wide = 2
	}
	span := math.Log(high / low)
	count := func(values []float64) []float64 {
		shares := make([]float64, (columns+wide-1)/wide)
		for _, v := range values {
			i := int(math.Log(max(v, low)/low) / span * float64(columns))
			shares[min(max(i, 0), columns-1)/wide] += 1 / float64(len(values))
		}
		return shares
	}
	a, b := count(r.ValuesA), count(r.ValuesB)
	most := max(slices.Max(a), slices.Max(b))
	reaches := func(share float64, row int) bool {
		return share > 0 && max(int(math.Round(share/most*pictureRows)), 1) >= row
	}
	var rows []string
	for row := pictureRows; row > 0; row-- {
		label := ""
		switch row {
		case pictureRows:
			label = r.Figure.Label()
		case pictureRows - 1:
			label = "to " + format.Percent(most)
		}
		var line strings.Builder
		for i := range columns {
			cell := 0
			if reaches(a[i/wide], row) {
				cell |= 1
			}
			if reaches(b[i/wide], row) {
				cell |= 2
			}
			line.WriteRune(pictureCells[cell])
		}
		rows = append(rows, strings.TrimRight(fmt.Sprintf("%-*s ", pictureLabel, label)+line.String(), " "))
	}
	left, right := format.Figure(r.Figure, low), format.Figure(r.Figure, high)
	legend := fmt.Sprintf("%c A n=%d  %c B n=%d  %c both", pictureCells[1], r.NA, pictureCells[2], r.NB, pictureCells[3])
	gap := columns - draw.Width(left+legend+right)
	return append(rows, strings.Repeat(" ", pictureLabel+1)+left+
		strings.Repeat(" ", max(gap/2, 1))+legend+strings.Repeat(" ", max(gap-gap/2, 1))+right)
}
