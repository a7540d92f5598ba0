package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// hookWithin bounds the time of a program of --exec.
const hookWithin = time.Minute

// hook runs the program of --exec when something changes: without a shell, at most
// one at a time for each target. It is safe for concurrent use.
type hook struct {
	words  []string
	err    io.Writer
	within time.Duration

	mu      sync.Mutex
	running map[string]bool
	all     sync.WaitGroup
}

func newHook(words []string, err io.Writer) *hook {
	return &hook{words: words, err: err, within: hookWithin, running: map[string]bool{}}
}

// run starts the program for a target with doc on its stdin, and does not wait. If
// the last one for that target still runs, it says so instead.
func (h *hook) run(target string, doc []byte) {
	if len(h.words) == 0 {
		return
	}
	h.mu.Lock()
	busy := h.running[target]
	h.running[target] = true
	h.mu.Unlock()
	if busy {
		h.say("--exec did not run for " + target + ": the last one still runs")
		return
	}
	h.all.Go(func() {
		if err := h.once(doc); err != nil {
			h.say("--exec for " + target + ": " + err.Error())
		}
		h.mu.Lock()
		delete(h.running, target)
		h.mu.Unlock()
	})
}

// once runs the program. What it prints is dropped, but for the end of its stderr
// when it fails.
func (h *hook) once(doc []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), h.within)
	defer cancel()
	var said tail
	cmd := exec.CommandContext(ctx, h.words[0], h.words[1:]...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(doc), &said
	cmd.WaitDelay = time.Second // its children may hold the pipes open
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s ended after %v, its bound", h.words[0], h.within)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it went well, and left somebody behind
	case err != nil && said.text() != "":
		return fmt.Errorf("%w: %s", err, said.text())
	}
	return err
}

// pass prints what comes through a channel until it is closed.
func (h *hook) pass(warnings <-chan string) {
	h.all.Go(func() {
		for text := range warnings {
			h.say(text)
		}
	})
}

// wait returns once no program runs and nothing is left to print.
func (h *hook) wait() { h.all.Wait() }

// say writes one sentence on stderr.
func (h *hook) say(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	Warn(h.err, []string{text})
}

// tail keeps the end of what is written.
type tail struct{ b []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const most = 400
	t.b = append(t.b, p...)
	t.b = t.b[max(0, len(t.b)-most):]
	return len(p), nil
}

func (t *tail) text() string { return strings.TrimSpace(string(t.b)) }

// splitWords splits a command line at blanks. Single and double quotes group, and
// nothing else has a meaning: no variable, no backslash, no pattern.
func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	inWord, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
