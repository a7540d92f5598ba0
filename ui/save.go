package ui

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/html"
	"tokscope/ui/screen"
	"tokscope/ui/svg"
)

// saveWithin limits the time for writing the results.
const saveWithin = 10 * time.Second

func (h host) Save(to func(context.Context) (string, error), text, ext string) tea.Cmd {
	m := h.m
	return m.safely(func() screen.Reply {
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		path, err := to(ctx)
		if err == nil && text != "" {
			path, err = m.back.SaveText(ctx, path, ext, []byte(text))
		}
		return func() tea.Cmd {
			switch {
			case err != nil && text != "":
				return tea.Batch(tea.SetClipboard(text), m.complain(fmt.Errorf("copied, but not saved: %w", err)))
			case err != nil:
				return m.complain(fmt.Errorf("not saved: %w", err))
			case text != "":
				return tea.Batch(tea.SetClipboard(text), m.say("copied; saved to "+path))
			}
			return m.say("saved " + path)
		}
	})
}

// storing calls to, which writes a file, and says where that is, with more behind it. what
// names it in an error.
func (m *Model) storing(what, more string, to func(context.Context) (string, error)) tea.Cmd {
	return m.safely(func() screen.Reply {
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		path, err := to(ctx)
		return func() tea.Cmd {
			if err != nil {
				return m.complain(fmt.Errorf("no %s: %w", what, err))
			}
			home, _ := os.UserHomeDir() // "" where it is unknown
			return m.say("saved " + shortPath(path, home) + more)
		}
	})
}

// savePicture saves the last frame as a picture and as text, in its size and theme, and
// says where the picture is.
func (m *Model) savePicture() tea.Cmd {
	s, name := &m.surface, m.screens.shown().Name()
	picture, text := svg.Grid(s.grid, s.palette, s.dark), s.grid.Plain()+"\n"
	return m.storing("picture", " and .txt", func(ctx context.Context) (string, error) {
		return m.back.SaveScreen(ctx, string(name), picture, []byte(text))
	})
}

func (h host) Page(name string, get func(context.Context) (any, error), of func(any) *html.Page) tea.Cmd {
	m := h.m
	return m.storing("page", "", func(ctx context.Context) (string, error) {
		v, err := get(ctx)
		if err != nil {
			return "", err
		}
		return m.back.SavePage(ctx, name, v, func(w io.Writer, shown any) error {
			p := of(shown)
			p.By = m.opt.Screens.By
			return p.Write(w)
		})
	})
}

// shortPath writes path with ~ for the home directory.
func shortPath(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}
