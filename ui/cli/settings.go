package cli

import (
	"cmp"
	"fmt"
	"io"

	"tokscope/ui/sanitize"
)

// PrintSettings prints rows of name, value and origin, aligned. It omits the
// origin unless requested. file is the configuration file's path, present or
// not.
func PrintSettings(w io.Writer, file string, rows [][3]string, origin bool) error {
	if file != "" {
		if _, err := fmt.Fprintf(w, "# %s\n", sanitize.Line(file, 300)); err != nil {
			return err
		}
	}
	var cells [][]string
	for _, r := range rows {
		row := []string{sanitize.Line(r[0], 200), cmp.Or(sanitize.Line(r[1], 200), "–"), sanitize.Line(r[2], 200)}
		if !origin {
			row = row[:2]
		}
		cells = append(cells, row)
	}
	return aligned(w, cells)
}
