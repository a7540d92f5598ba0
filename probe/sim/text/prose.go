package text

import (
	"embed"
	"io/fs"
	"path"
	"sort"
	"strings"
	"sync"
)

//go:embed prose
var files embed.FS

// Passage is one piece of prose that can stand alone.
type Passage struct {
	Language string // folder: "en", "de", …, "code"
	Title    string
	Body     string // paragraphs divided by an empty line, without a final newline
}

// library is every passage, by language, in order of file name.
var library = sync.OnceValue(func() map[string][]Passage {
	all := map[string][]Passage{}
	var names []string
	_ = fs.WalkDir(files, "prose", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	sort.Strings(names)
	for _, p := range names {
		raw, err := files.ReadFile(p)
		if err != nil {
			continue
		}
		title, body, _ := strings.Cut(string(raw), "\n")
		lang := path.Base(path.Dir(p))
		all[lang] = append(all[lang], Passage{lang, strings.TrimSpace(title), strings.TrimSpace(body)})
	}
	return all
})

// Passages are those of one language; nil when there is none.
func Passages(language string) []Passage { return library()[language] }

// Languages are the languages there are passages of, sorted.
func Languages() []string {
	var l []string
	for k := range library() {
		l = append(l, k)
	}
	sort.Strings(l)
	return l
}
