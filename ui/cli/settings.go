package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

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
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		name, value := sanitize.Line(r[0], 200), sanitize.Line(r[1], 200)
		if value == "" {
			value = "–"
		}
		if origin {
			fmt.Fprintf(t, "%s\t%s\t%s\n", name, value, sanitize.Line(r[2], 200))
		} else {
			fmt.Fprintf(t, "%s\t%s\n", name, value)
		}
	}
	return t.Flush()
}

// SettingsPrinter returns PrintSettings as a function of what a reading of the
// settings returns, with its error.
func SettingsPrinter(w io.Writer, origin bool) func(file string, rows [][3]string, err error) error {
	return func(file string, rows [][3]string, err error) error {
		if err != nil {
			return err
		}
		return PrintSettings(w, file, rows, origin)
	}
}
