package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"tokscope/ui/html"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
)

// Form is how a command prints its results on stdout, and what it says beside
// them. A command has the forms that it gives a sentence; at most one is chosen, and
// without one it prints text.
type Form struct {
	JSON     bool // one document
	NDJSON   bool // lines, as they happen
	CSV      bool
	Markdown bool
	ASCII    bool   // of the text
	Quiet    bool   // no progress on stderr
	HTML     string // file of the page beside that, "" for none
	Texts    bool   // names and texts too, in the page and in the JSON of a probe
}

// The sentences of flags that several commands have.
const (
	oneDocument = "one JSON document on stdout"
	forTickets  = "a table for tickets"
	asciiAlone  = "print ASCII alone"
	noProgress  = "no progress on stderr"
	withNames   = "with --html: with names, hosts and texts; never a key"
)

// help has the sentences of the flags of Form; a command has no flag without one.
type help struct{ json, ndjson, csv, markdown, ascii, quiet, texts string }

// flags adds those flags to cmd. It returns the names of the forms, which exclude
// each other.
func (f *Form) flags(cmd *cobra.Command, h help) (names []string) {
	for _, x := range []struct {
		form       *bool
		name, help string
	}{
		{&f.JSON, "json", h.json}, {&f.NDJSON, "ndjson", h.ndjson},
		{&f.CSV, "csv", h.csv}, {&f.Markdown, "markdown", h.markdown},
	} {
		if x.help != "" {
			cmd.Flags().BoolVar(x.form, x.name, false, x.help)
			names = append(names, x.name)
		}
	}
	if h.ascii != "" {
		cmd.Flags().BoolVar(&f.ASCII, "ascii", false, h.ascii)
	}
	if h.quiet != "" {
		cmd.Flags().BoolVarP(&f.Quiet, "quiet", "q", false, h.quiet)
	}
	if h.texts != "" {
		cmd.Flags().Var(&value{kind: "FILE", read: f.page}, "html",
			"also write FILE, a page to hand on: sentence, charts, figures; without texts, names, hosts and ids")
		cmd.Flags().BoolVar(&f.Texts, "with-text", false, h.texts)
	}
	if h.texts == withNames {
		cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return needs(cmd.Flags(), "with-text", "html") }
	}
	if len(names) > 1 {
		cmd.MarkFlagsMutuallyExclusive(names...)
	}
	return names
}

// page takes the value of --html. What cannot be written is known before something is measured.
func (f *Form) page(path string) error {
	info, err := os.Stat(filepath.Dir(path))
	switch {
	case path == "" || path == "-":
		return errors.New("give a file, such as run.html")
	case err != nil || !info.IsDir():
		return errors.New("there is no folder " + sanitize.Line(filepath.Dir(path), 200) + ": make it, or give another")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errors.New("it is a folder: give a file in it")
	}
	f.HTML = path
	return nil
}

// writePage writes the page that of makes of v into the file of --html, where it was asked for.
func writePage[T any](f *Form, c *Console, v T, of func(T) *html.Page) error {
	if f.HTML == "" {
		return nil
	}
	err := c.Page(f.HTML, f.Texts, v, func(w io.Writer, shown any) error {
		p := of(shown.(T))
		p.Texts, p.By = f.Texts, origin()
		return p.Write(w)
	})
	if err != nil {
		return &Exit{ExitFailed, fmt.Errorf("--html: %w", err)}
	}
	return nil
}

// Text reports whether stdout is for a person.
func (f *Form) Text() bool { return !(f.JSON || f.NDJSON || f.CSV || f.Markdown) }

// write writes a report: as Markdown where that is asked for, else as text, of the
// terminal's width where out is one.
func (f *Form) write(out io.Writer, d *report.Doc) error {
	text := ""
	if f.Markdown {
		text = d.Markdown()
	} else {
		text = d.Text(terminalWidth(out))
	}
	_, err := io.WriteString(out, text)
	return err
}

// results write what a command has found: json and csv where it has these forms, else
// doc.
type results struct {
	json, csv func(io.Writer) error
	doc       func() *report.Doc
}

// print writes r in the form that was chosen. The error is an *Exit.
func (f *Form) print(out io.Writer, r results) (err error) {
	switch {
	case f.JSON:
		err = r.json(out)
	case f.CSV:
		err = r.csv(out)
	default:
		err = f.write(out, r.doc())
	}
	return failedWith(err)
}

// headless reports whether lines or a document are asked for, or no terminal is
// there for a screen.
func (f *Form) headless(j *Job) bool {
	return !f.Text() || !j.drawable() || j.Settings.Bool("ui.plain")
}

// terminalWidth is that of out, 0 where it is no terminal.
func terminalWidth(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			return max(w, 40)
		}
	}
	return 0
}

// exclude lets cmd refuse flag beside each of others.
func exclude(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other)
	}
}
