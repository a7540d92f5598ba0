// Package dialog holds the dialogs, which cover the screen and get the keys:
// the prompt editor, the pickers, the help. A dialog is a plain struct that
// takes intents and text and answers with an Act. It draws on the same grid
// as the screen and does not depend on Bubble Tea.
//
// Where to add what: a dialog is one file with a type that implements Dialog; its
// methods without a comment are those of it.
// Its keys are lines in keys.go. Its request to its opener is a new Act.
//
// # Why lists are not bubbles/list and bubbles/viewport
//
// A dialog lies on the grid of the screen, which keeps moving beneath it at
// the frame rate. Each of its cells has a role that the theme colors. By the
// source of charm.land/bubbles/v2 at v2.2.1, its list and viewport do not
// fit:
//
//   - View returns a string with styles. It would have to be parsed into cells
//     for every frame. A list renders help, paginator and title with
//     lipgloss for it; a viewport pads and renders all its rows.
//   - The list filters in a tea.Cmd, so typed text shows a message later. A key
//     pressed meanwhile chooses a row of the previous filter. Here enter takes
//     the visible row.
//   - It turns pages where ours scrolls, and every item can be chosen. Here a
//     model that does not fit is shown, and enter gives the reason.
//   - It cannot make a row from typed text ("use http://host:8000"), and shows
//     no hint about typing before the first letter.
//   - Names of models come from servers. It draws them unchanged; ours pass
//     through ui/sanitize.
//   - It has its own key table beside ui/keys, which makes footer and help.
//     It also brings textinput, which starts programs to reach the clipboard,
//     and sahilm/fuzzy.
//
// It would replace list.go, 450 lines. lipgloss styles text
// that is printed once: help and errors of the commands (ui/cli).
package dialog
