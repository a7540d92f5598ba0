package cli

import (
	"context"
	"io"
	"os"
)

// readFile returns the content of the file at path, up to most+1 bytes. A FIFO
// without a writer waits already when it is opened; the end of ctx ends the
// wait, with an *Exit.
func readFile(ctx context.Context, path string, most int64) ([]byte, error) {
	return readUntil(ctx, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return io.ReadAll(io.LimitReader(f, most+1))
	})
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
