package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"tokscope/ui/sanitize"
)

// consent checks that the person wants something. question ends with a question
// mark. yes is the flag. Without it consent asks in a terminal, and refuses without
// one, with what may be done instead of --yes. nothing is what the answer no leaves
// undone, such as "nothing was sent". nil means go.
func (c *Console) consent(ctx context.Context, yes bool, question, instead, nothing string) error {
	if yes {
		return nil
	}
	question = sanitize.Line(question, 600)
	if !c.InTerminal || !c.ErrTerminal {
		return Usage("%s Add --yes to confirm%s", question, instead)
	}
	agreed, err := ask(ctx, c.Err, c.In, question)
	if err == nil && !agreed {
		return &Exit{ExitUsage, errors.New(nothing)}
	}
	return err
}

// ask asks a question on w and reports whether the answer from r is yes.
func ask(ctx context.Context, w io.Writer, r io.Reader, question string) (bool, error) {
	fmt.Fprintf(w, "%s [y/N] ", question)
	line, err := readUntil(ctx, func() (string, error) {
		line, _ := bufio.NewReader(io.LimitReader(r, 1<<10)).ReadString('\n')
		return strings.ToLower(strings.TrimSpace(line)), nil
	})
	if err != nil {
		fmt.Fprintln(w)
	}
	return line == "y" || line == "yes", err
}
