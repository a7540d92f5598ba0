// Package screen holds what the root and its screens share: the Screen
// interface, the Host that a screen calls, the Look of all screens, and the
// Status in header and footer.
//
// A new screen is a package beside live, load and explain, and one line in
// ui/screen/registry. It embeds Base, which has the defaults of a Screen. Its New
// takes Deps and a backend of an interface of its own, which For looks for. The root
// then gives it a tab with its key, draws it, asks it for header, footer and summary,
// and lists its keys in the help. A test of the root does that with a screen that only
// the test knows (ui/screen_test.go). Screens reach each other by name or not at all.
// Host.Busy and Host.HoldOthers report and hold background work without a name. What
// the interfaces here promise stands here: a method without a comment keeps it.
//
// A key is one line in the screen's list of bindings. It holds the key, its
// present word in the footer, its present rank there, its sentence in the
// help, and its handler. A key that the root carries out (endpoint, model) has
// the root's intent and no handler. The keys of every screen (tab and the digits,
// help, quit, theme, mouse) are in the root alone (ui/keys.go); a screen's own
// binding of such a key replaces it. A click
// target is a value of the screen's own type. Draw registers it in the grid
// with its place (Grid.Target), and Click reads it with a type switch.
// Targets in Status work the same way; a keys.Intent there belongs to the
// root.
package screen
