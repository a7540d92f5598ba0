package ui

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// screenKeys are keys on a named screen, as docs/features.md writes them: *Live*
// `z`, `left`.
var screenKeys = regexp.MustCompile("\\*(Live|Load|Race|Explain|History)\\*((?:,? (?:and )?`(?:[^` ]|left|right|enter|space|backspace)`)+)")

// TestFeaturesNameKeysOfTheirScreens holds that every key that docs/features.md
// names is bound on the screen that it names.
func TestFeaturesNameKeysOfTheirScreens(t *testing.T) {
	page, err := os.ReadFile("../docs/features.md")
	if err != nil {
		t.Fatal(err)
	}
	bound := map[string][]string{} // by the names of screens, in small letters
	for _, s := range whole() {
		for _, b := range s.Bindings {
			name := strings.ToLower(s.Name)
			bound[name] = append(bound[name], b.Keys...)
		}
	}
	found := 0
	for _, m := range screenKeys.FindAllStringSubmatch(string(page), -1) {
		for _, key := range regexp.MustCompile("`[^`]+`").FindAllString(m[2], -1) {
			key = strings.Trim(key, "`")
			found++
			if !slices.Contains(bound[strings.ToLower(m[1])], key) && !slices.Contains(bound["every screen"], key) {
				t.Errorf("%s has no key %q", m[1], key)
			}
		}
	}
	if found < 40 {
		t.Errorf("looked at %d keys only", found)
	}
}
