package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

// TestConfigDocument compares docs/config.md with the code. It names every
// setting with its default, flag and variable. It names every key of a
// profile, a machine and a model, and every provider with its variables. It names nothing that does
// not exist.
func TestConfigDocument(t *testing.T) {
	b := testkit.Must(os.ReadFile(filepath.Join("..", "..", "docs", "config.md")))(t)
	doc := string(b)
	rows := map[string]bool{}
	before, curl, _ := strings.Cut(doc, "### A curl command") // whose rows are of curl's flags
	_, after, _ := strings.Cut(curl, "\n## ")
	for line := range strings.SplitSeq(before+after, "\n") {
		if strings.HasPrefix(line, "| `") {
			rows[line] = false
		}
	}
	// A key of two tables, such as base, has a row in each; one call marks all.
	want := func(prefix string) {
		found := false
		for row := range rows {
			if strings.HasPrefix(row, prefix) {
				rows[row], found = true, true
			}
		}
		if found {
			return
		}
		t.Errorf("docs/config.md has no row that begins with %s", prefix)
	}
	for _, s := range settings {
		def, flag := "`"+s.def+"`", "`--"+s.flag+"`"
		switch {
		case s.def == "":
			def = "–"
		case s.name == "timeouts.first_byte":
			def = "`2m`"
		case s.name == "timeouts.first_token":
			def = "`15m`"
		}
		switch s.name {
		case connection:
			flag = "`--cold`, `--warm`"
		case keepHistory:
			flag = "`--no-history`"
		default:
			if s.flag == "" {
				flag = "–"
			}
		}
		want(fmt.Sprintf("| `%s` | %s | %s | `%s` | ", s.name, def, flag, s.env()))
	}
	for _, tag := range tags(reflect.TypeFor[endpoint.Profile]()) {
		want(fmt.Sprintf("| `%s` | ", tag))
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Machine](), reflect.TypeFor[Model]()} {
		for _, tag := range tags(typ) {
			want(fmt.Sprintf("| `%s` | ", tag))
		}
	}
	for _, p := range endpoint.Providers() {
		vars := "–"
		if len(p.KeyVars) > 0 {
			vars = "`" + strings.Join(p.KeyVars, "`, `") + "`"
		}
		names := "`" + strings.Join(append([]string{p.Name}, p.Aliases...), "`, `") + "`"
		want(fmt.Sprintf("| %s | %s | %s | `%s` |", names, p.Title, vars, p.URL))
	}
	for row, known := range rows {
		testkit.That(t, known, "docs/config.md has a row for nothing: %s", row)
	}
	testkit.Has(t, doc, "tokscope config sample")
}
