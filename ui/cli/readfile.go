package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// readWhole returns the text of a file, or of stdin for "-", in UTF-8. UTF-16 with a byte
// order mark, as files of Windows have it, is decoded, and such a mark left out. An error
// names what it is. A FIFO without a writer waits already when it is opened; the end of ctx
// ends the wait, with an *Exit.
func readWhole(ctx context.Context, what, from string, stdin io.Reader) ([]byte, error) {
	data, err := readUntil(ctx, func() ([]byte, error) {
		in := stdin
		if from != "-" {
			f, err := os.Open(from)
			if err != nil {
				return nil, err
			}
			defer func() { _ = f.Close() }()
			in = f
		}
		text := transform.NewReader(in, unicode.BOMOverride(transform.Nop))
		return io.ReadAll(io.LimitReader(text, maxPrompt+1))
	})
	switch {
	case CodeOf(err) == ExitInterrupted:
		return nil, err
	case err != nil:
		return nil, Usage("%s cannot be read: %v", what, err)
	case len(data) > maxPrompt:
		return nil, Usage("%s is larger than %d MiB", what, maxPrompt>>20)
	case len(data) == 0:
		return nil, Usage("%s from %s is empty", what, from)
	}
	return data, checkText(what+" from "+from, data)
}

// readingAfter is how long files are read before a person is told.
const readingAfter = time.Second

// Reading returns the result of read, which reads the files of these names. Its first
// Ctrl-C ends the command, also where a FIFO has no writer. From readingAfter on stderr
// says what is read, how large it is, and for how long.
func Reading[T any](ctx context.Context, c Console, names []string, read func() (T, error)) (T, error) {
	began, what := time.Now(), "reading"
	for i, name := range names {
		what += []string{" ", ", "}[min(i, 1)] + sanitize.Line(filepath.Base(name), 60)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			what += fmt.Sprintf(" (%d MB)", (info.Size()+1e6-1)/1e6)
		}
	}
	stop := c.progress(true, func(now time.Time) string {
		if now.Sub(began) < readingAfter {
			return ""
		}
		return what + ": " + string(format.AppendElapsed(nil, now.Sub(began).Seconds()))
	})
	defer stop()
	return readUntil(ctx, read)
}

// writing is Reading for what a read writes at its end.
func writing(ctx context.Context, c Console, names []string, write func() error) error {
	if c.OutTerminal {
		c.ErrTerminal = false // two lines in one place
	}
	_, err := Reading(ctx, c, names, func() (struct{}, error) { return struct{}{}, write() })
	return err
}

// checkText returns an error with the next step if data, which came from the file or
// flag named from, is no text in UTF-8.
func checkText(from string, data []byte) error {
	for i, r := range string(data) {
		if r == 0 || r == utf8.RuneError && !bytes.HasPrefix(data[i:], []byte(string(r))) {
			return Usage("%s is not text in UTF-8: byte %d is 0x%02X; save it as UTF-8, or as UTF-16 with a byte order mark",
				from, i+1, data[i])
		}
	}
	return nil
}

// namesStdin returns how many of the names of files are that of stdin.
func namesStdin(names ...string) int {
	return pick.Count(names, func(name *string) bool { return *name == "-" })
}

// readUntil returns the result of read, or an *Exit when ctx ends first. Then
// read goes on until the program ends, because neither open nor read can be
// canceled.
func readUntil[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		data T
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		var none T
		return none, &Exit{Code: ExitInterrupted}
	}
}
