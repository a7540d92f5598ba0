package format

import "tokscope/metrics/figure"

// byUnit write a value of each unit.
var byUnit = [...]func(b []byte, v float64) []byte{
	figure.Ms: AppendMs, figure.Number: AppendWhole, figure.Ratio: AppendNumber, figure.Times: AppendFactor,
	figure.Share: AppendPercent, figure.Money: AppendMoney,
	figure.Percent:         func(b []byte, v float64) []byte { return AppendChange(b, v/100) },
	figure.TokensPerSecond: func(b []byte, v float64) []byte { return append(AppendNumber(b, v), " tok/s"...) },
	figure.ChunksPerSecond: func(b []byte, v float64) []byte { return append(AppendNumber(b, v), " chunks/s"...) },
	figure.WordsPerMinute:  func(b []byte, v float64) []byte { return append(AppendNumber(b, v), " wpm"...) },
}

// AppendFigure appends a value of a figure with its unit; a count has none.
func AppendFigure(b []byte, id figure.ID, v float64) []byte { return byUnit[figure.Of(id).Unit](b, v) }

// Figure is AppendFigure as a string.
func Figure(id figure.ID, v float64) string {
	var room [32]byte
	return string(AppendFigure(room[:0], id, v))
}
