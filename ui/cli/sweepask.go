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

// Consent makes sure that the person means a load: question says what would be
// sent to whom, and ends with a question mark. yes is the flag; without it a terminal is asked on w, and
// without a terminal the load is refused. nil means go.
func Consent(ctx context.Context, w io.Writer, r io.Reader, terminal, yes bool, question string) error {
	if yes {
		return nil
	}
	question = sanitize.Line(question, 600)
	if !terminal {
		return Usage("%s Say --yes to mean it, or use fewer users", question)
	}
	fmt.Fprintf(w, "%s [y/N] ", question)
	answer := make(chan string, 1)
	// A read of a terminal cannot be called off: the goroutine stays with it
	// until the program ends, which an interruption brings about at once.
	go func() {
		line, _ := bufio.NewReader(io.LimitReader(r, 1<<10)).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return &Exit{ExitUsage, errors.New("nothing was sent")}
	case <-ctx.Done():
		fmt.Fprintln(w)
		return &Exit{Code: ExitInterrupted}
	}
}
