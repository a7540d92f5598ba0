package cli

import (
	"strings"

	"tokscope/themes"
)

// Look checks the name of a theme ("" is the default one). It returns the
// color profile that the choice (auto, always, never), the environment and
// the output allow.
func Look(theme, color string, env func(string) string, tty bool) (themes.Profile, error) {
	if _, ok := themes.ByName(theme); !ok && theme != "" {
		return 0, Usage("theme %q: give one of %s", theme, strings.Join(themes.Names(), ", "))
	}
	choice, err := themes.ParseChoice(color)
	if err != nil {
		return 0, Usage("%v", err)
	}
	return choice.Profile(env, tty), nil
}
