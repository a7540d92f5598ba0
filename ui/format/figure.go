package format

import "tokscope/metrics/figure"

// AppendFigure appends a value of a figure with its unit; a count has none.
func AppendFigure(b []byte, id figure.ID, v float64) []byte {
	switch figure.Of(id).Unit {
	case figure.Ms:
		return AppendMs(b, v)
	case figure.TokensPerSecond:
		return append(AppendNumber(b, v), " tok/s"...)
	case figure.ChunksPerSecond:
		return append(AppendNumber(b, v), " chunks/s"...)
	case figure.WordsPerMinute:
		return append(AppendNumber(b, v), " wpm"...)
	case figure.Number:
		return AppendWhole(b, v)
	case figure.Share:
		return AppendPercent(b, v)
	case figure.Percent:
		return AppendChange(b, v/100)
	case figure.Times:
		return AppendFactor(b, v)
	case figure.Money:
		return AppendMoney(b, v)
	}
	return AppendNumber(b, v)
}

// Figure is AppendFigure as a string.
func Figure(id figure.ID, v float64) string {
	var room [32]byte
	return string(AppendFigure(room[:0], id, v))
}
