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
// By the source of charm.land/bubbles/v2 at v2.2.1 (lipgloss styles only what is printed once,
// see ui/cli), View returns a styled string, to be parsed into the cells of the grid for every
// frame, with the names from servers unchanged in it. The list filters in a tea.Cmd, so a key
// pressed meanwhile chooses a row of the previous filter; here enter takes the visible row. It
// turns pages, every item can be chosen (here enter says why a model does not fit), and no row
// comes from typed text ("use http://host:8000"). It has its own key table beside ui/keys,
// which makes footer and help. It would replace list.go only.
package dialog
