package report

import (
	"slices"
	"strings"

	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// narrowest is the least width that Narrow wraps for.
const narrowest = 40

// Narrow wraps the lines of a summary that are wider than w columns, between
// words, and between the columns of a table where that is enough. What
// follows stands below the text of its line: below the label's
// column where the line begins with a label. A line that fits stays as it is, and
// so do all lines for a w below 40. A word wider than its row stays whole, so that
// a path can be copied.
func Narrow(text string, w int) string {
	if w < narrowest {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		bare := strings.TrimSuffix(line, "\n")
		if draw.Width(bare) <= w {
			b.WriteString(line)
			continue
		}
		column := textColumn(bare)
		if column > w/2 {
			column = 0
		}
		b.WriteString(bare[:column])
		for i, row := range format.Wrap(parts(bare[column:], w-column), w-column) {
			if i > 0 {
				b.WriteString("\n" + strings.Repeat(" ", column))
				row = strings.TrimLeft(row, " ")
			}
			b.WriteString(row)
		}
		if len(bare) < len(line) {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// parts ties the words of text that belong together, where two blanks or more
// divide it into parts of at most w columns.
func parts(text string, w int) string {
	all := strings.Split(text, "  ")
	for i, part := range all {
		if part = strings.TrimLeft(part, " "); len(all) > 1 && draw.Width(part) < w {
			part = strings.ReplaceAll(part, " ", format.Tie)
		}
		all[i] = part
	}
	all = slices.DeleteFunc(all, func(part string) bool { return part == "" })
	return strings.Join(all, " "+format.Tie)
}

// textColumn is the column at which the text of a line begins: after its label and
// the blanks behind that, or after its own indentation. Labels are ASCII.
func textColumn(line string) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if at := strings.Index(line[indent:], "  "); at > 0 && at <= labelWidth && format.IsASCII(line[:indent+at]) {
		at += indent
		return at + len(line[at:]) - len(strings.TrimLeft(line[at:], " "))
	}
	return indent
}
