package text

import (
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed prose
var files embed.FS

// Passage is one self-contained piece of prose.
type Passage struct {
	Title string
	Body  string // paragraphs separated by an empty line, without a final newline
}

// library returns every passage by language, in order of file name.
var library = sync.OnceValue(func() map[string][]Passage {
	all := map[string][]Passage{}
	names, _ := fs.Glob(files, "prose/*/*") // the pattern is well formed
	for _, p := range names {
		raw, err := files.ReadFile(p)
		if err != nil {
			continue
		}
		title, body, _ := strings.Cut(string(raw), "\n")
		lang := path.Base(path.Dir(p))
		all[lang] = append(all[lang], Passage{strings.TrimSpace(title), strings.TrimSpace(body)})
	}
	return all
})

// Passages returns the passages of a language, or nil for an unknown one.
func Passages(language string) []Passage { return library()[language] }
