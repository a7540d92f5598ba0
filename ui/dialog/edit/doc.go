// Package edit is a multi-line text buffer with a caret, word wrap and undo:
// the part of the prompt editor that knows nothing of drawing.
//
// Its unit is the grapheme cluster, as a person sees characters: the caret
// never stands inside one. Columns of cells are those of the text as it is
// shown (see Show), so that what is drawn and what the caret does agree.
//
// # Why it is not bubbles/textarea
//
// A well-kept library is better than our own code where it can do the work.
// charm.land/bubbles/v2/textarea, at v2.2.1, was tried against the tests of
// this package and fails them where it matters:
//
//   - Its unit is the rune. Backspace behind "e\u0301" leaves "e", behind a flag
//     half a flag, behind two joined people one and a joiner; the caret stops at
//     places inside of them, where it does not move on the screen.
//   - It wraps by the widths of runes added up: a row breaks inside "e\u0301", and
//     a joiner begins a row.
//   - It has no undo.
//   - It lets through what can act on a terminal or hide from a person: U+202E,
//     U+200B, tags (U+E0041), U+2028. A tab becomes four blanks and U+0085 is
//     dropped, in the text that is sent.
//   - It holds 10,000 lines and drops the rest of a paste without a word.
//   - It hands out rows only as a styled string, which would have to be parsed
//     again to be drawn into the grid, and wraps the whole text for it: a key
//     takes 14 ms in a prompt of 40 kB (the preset of 10,000 tokens), 360 ms in one
//     of 1 MiB (ours: 0.15 ms and 5 ms). A key may take 50 ms, with everything
//     else.
//   - It brings its own key table, and a package that starts programs to reach
//     the clipboard.
//
// Drawing, key table and tabs of the editor would be ours with it too; what it
// would replace is this package.
package edit
