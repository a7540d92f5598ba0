package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// hookWithin bounds the time of a program of --exec.
const hookWithin = time.Minute

// programs is what runs the program of --exec, see Watcher.
type programs interface {
	Exec(ctx context.Context, words []string, in []byte) error
	Redact(text string) string
}

// hook runs the program of --exec when something changes: without a shell, at most
// one at a time for each target. It is safe for concurrent use.
type hook struct {
	programs
	words  []string
	err    io.Writer
	within time.Duration

	ended  context.Context // end ends it, and with it the programs
	end    context.CancelFunc
	signal chan os.Signal
	exit   func(code int)

	mu       sync.Mutex
	running  map[string]bool
	started  sync.WaitGroup
	warnings sync.WaitGroup
}

func newHook(words []string, w programs, err io.Writer) *hook {
	h := &hook{words: words, programs: w, err: err, within: hookWithin,
		running: map[string]bool{}, signal: make(chan os.Signal, 1), exit: os.Exit}
	h.ended, h.end = context.WithCancel(context.Background())
	return h
}

// listen makes the next Ctrl-C after the one that ended ctx end the programs before it
// ends tokscope. stop ends that.
func (h *hook) listen(ctx context.Context) (stop func()) {
	if len(h.words) == 0 {
		return func() {}
	}
	over := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		signal.Notify(h.signal, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(h.signal)
		select {
		case <-h.signal:
			h.end()
			h.started.Wait()
			h.exit(ExitInterrupted)
		case <-over:
		}
	})
	return func() {
		forget()
		close(over)
	}
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
	h.started.Go(func() {
		if err := h.once(doc); err != nil {
			h.say("--exec for " + target + ": " + err.Error())
		}
		h.mu.Lock()
		delete(h.running, target)
		h.mu.Unlock()
	})
}

// once runs the program within its bound.
func (h *hook) once(doc []byte) error {
	ctx, cancel := context.WithTimeout(h.ended, h.within)
	defer cancel()
	err := h.Exec(ctx, h.words, doc)
	switch {
	case h.ended.Err() != nil:
		return fmt.Errorf("%s was ended", h.words[0])
	case ctx.Err() != nil:
		return fmt.Errorf("%s ended after %v, its bound", h.words[0], h.within)
	}
	return err
}

// pass prints what comes through a channel until it is closed.
func (h *hook) pass(warnings <-chan string) {
	h.warnings.Go(func() {
		for text := range warnings {
			h.say(text)
		}
	})
}

// waitSaid is how long programs are waited for before a person is told.
const waitSaid = 500 * time.Millisecond

// wait returns once no program runs and nothing is left to print. It says what it waits
// for. The end of ctx meanwhile ends the programs; where ctx has ended before, the next
// Ctrl-C does (listen).
func (h *hook) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		h.started.Wait()
		close(done)
	}()
	stopped, late := ctx.Done(), time.After(waitSaid)
	if ctx.Err() != nil {
		stopped = nil
	}
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-late:
			h.say(fmt.Sprintf("waiting for the program of --exec (%s), for at most %v; Ctrl-C ends it", h.words[0], h.within))
		case <-stopped:
			stopped = nil
			h.end()
		}
	}
	h.warnings.Wait()
}

// to makes what is said go to err, after what was said so far.
func (h *hook) to(err io.Writer, so *bytes.Buffer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = err.Write(so.Bytes()) // nothing else can be done about stderr
	h.err = err
}

// say writes one sentence on stderr, without keys.
func (h *hook) say(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	Warn(h.err, h.Redact(text))
}

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
