package app

import (
	"bytes"
	"context"
	"strings"

	"tokscope/probe/result"
)

// ShownPane is a Pane that can be saved.
type ShownPane struct {
	*Pane
	Version   string // of this program
	Sentences result.Sentences
}

// Save writes the document of the session beside its file and returns the path: that of
// `tokscope tap --json`.
func (p ShownPane) Save(context.Context) (string, error) {
	var doc bytes.Buffer
	v := p.View()
	if err := p.Sentences.WriteDocument(&doc, result.TapOf(p.Version, p.About(), &v)); err != nil {
		return "", err
	}
	path := strings.TrimSuffix(strings.TrimSuffix(p.Path(), ".gz"), ".ndjson") + "-turns.json"
	return path, replace(path, doc.Bytes())
}
