package app

import (
	"io"

	"tokscope/probe/files"
	"tokscope/probe/session"
)

// WritePage gives write what of v a page for others may show, of the type of v, and replaces
// the file at path with what it writes. With texts all is shown but keys.
func WritePage(path string, texts bool, v any, write func(w io.Writer, shown any) error) error {
	shown := session.ForPage(v, texts)
	return files.Save(path, 0o666, func(w io.Writer) error { return write(w, shown) })
}
