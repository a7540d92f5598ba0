package app

import (
	"context"
	"io"
	"path/filepath"
	"time"

	"tokscope/probe/files"
	"tokscope/probe/session"
)

// WritePage gives write what of v a page for others may show, of the type of v, and replaces
// the file at path with what it writes. With texts all is shown but keys.
func WritePage(path string, texts bool, v any, write func(w io.Writer, shown any) error) error {
	shown := session.ForPage(v, texts)
	return files.Save(path, 0o666, func(w io.Writer) error { return write(w, shown) })
}

// SavePage writes a page of a screen beside the recording, without texts, as
// page-DATE-TIMEZ-NAME.html, with the time in UTC, and returns its path. See WritePage.
func (s *base) SavePage(_ context.Context, name string, v any, write func(w io.Writer, shown any) error,
) (string, error) {
	if s.o.File == nil {
		return "", errUnrecorded
	}
	path := filepath.Join(filepath.Dir(s.o.File.Path()),
		"page-"+time.Now().UTC().Format("20060102-150405.000")+"Z-"+name+".html")
	return path, WritePage(path, false, v, write)
}
