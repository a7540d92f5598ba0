// Package program runs programs of the person's: a group of processes that ends as one,
// and the end of what it said.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Run runs words without a shell, with in on stdin, until the program ends. The end of ctx
// kills its group, and its cause is returned. What it prints is dropped, but for the end of
// its stderr, which is part of the error without keys.
func Run(ctx context.Context, words []string, in []byte, redact func(string) string) error {
	var said Tail
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &said
	cmd.WaitDelay = time.Second // its children may hold the pipes open
	Group(cmd)
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it went well, and left somebody behind
	}
	if text := said.Text(redact); err != nil && text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}
