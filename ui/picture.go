package ui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/screen"
	"tokscope/ui/svg"
)

// save saves the last frame as a picture and as text, in its size and theme.
func (s *surface) save(b Backend, name screen.Name) tea.Cmd {
	picture, text := svg.Grid(s.grid, s.palette, s.dark), s.grid.Plain()+"\n"
	return safely(func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		path, err := b.SaveScreen(ctx, string(name), picture, []byte(text))
		return pictureMsg{path, err}
	})
}

// pictureMsg holds where the picture of the screen is.
type pictureMsg struct {
	path string
	err  error
}

// show says where the picture is, or why there is none.
func (p pictureMsg) show(m *Model) tea.Cmd {
	if p.err != nil {
		return m.complain(fmt.Errorf("no picture: %w", p.err))
	}
	home, _ := os.UserHomeDir() // "" where it is unknown
	return m.say("saved " + shortPath(p.path, home) + " and .txt")
}

// shortPath writes path with ~ for the home directory.
func shortPath(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}
