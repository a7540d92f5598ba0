package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// readFile returns the text of the file at path, up to most+1 bytes. A FIFO
// without a writer waits already when it is opened; the end of ctx ends the
// wait, with an *Exit.
func readFile(ctx context.Context, path string, most int64) ([]byte, error) {
	return readUntil(ctx, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return readText(f, most)
	})
}

// doUntil is readUntil for what a read prints.
func doUntil(ctx context.Context, do func() error) error {
	_, err := readUntil(ctx, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// readText returns the text of r, up to most+1 bytes of UTF-8. UTF-16 with a byte order
// mark, as files of Windows have it, is decoded, and such a mark left out.
func readText(r io.Reader, most int64) ([]byte, error) {
	text := transform.NewReader(r, unicode.BOMOverride(transform.Nop))
	return io.ReadAll(io.LimitReader(text, most+1))
}

// checkText returns an error with the next step if data, which came from the file or
// flag named from, is no text in UTF-8.
func checkText(from string, data []byte) error {
	at := bytes.IndexByte(data, 0)
	for i := 0; i < len(data) && at < 0; {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			at = i
		}
		i += n
	}
	if at < 0 {
		return nil
	}
	return Usage("%s is not text in UTF-8: byte %d is 0x%02X; save it as UTF-8, or as UTF-16 with a byte order mark",
		from, at+1, data[at])
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
