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

// Consent checks that the person wants a load. question names request and
// target, and ends with a question mark. yes is the flag. Without it Consent
// asks on w in a terminal, and refuses the load without a terminal. nil means
// go.
func Consent(ctx context.Context, w io.Writer, r io.Reader, terminal, yes bool, question string) error {
	if yes {
		return nil
	}
	question = sanitize.Line(question, 600)
	if !terminal {
		return Usage("%s Add --yes to confirm, or use fewer users", question)
	}
	agreed, err := ask(ctx, w, r, question)
	if err == nil && !agreed {
		return &Exit{ExitUsage, errors.New("nothing was sent")}
	}
	return err
}

// ask asks a question on w and reports whether the answer from r is yes.
func ask(ctx context.Context, w io.Writer, r io.Reader, question string) (bool, error) {
	fmt.Fprintf(w, "%s [y/N] ", question)
	answer := make(chan string, 1)
	// A terminal's read cannot be canceled. The goroutine waits until the
	// program ends, which happens at once after an interruption.
	go func() {
		line, _ := bufio.NewReader(io.LimitReader(r, 1<<10)).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		}
		return false, nil
	case <-ctx.Done():
		fmt.Fprintln(w)
		return false, &Exit{Code: ExitInterrupted}
	}
}
