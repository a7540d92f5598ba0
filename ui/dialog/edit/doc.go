// Package edit is a multi-line text buffer with a caret, word wrap and undo.
// It is the part of the prompt editor without drawing.
//
// Its unit is the grapheme cluster, the character that a person sees. The
// caret is never inside one. Columns are cells of the text as shown (see
// Show), so drawing and caret agree.
//
// # Why it is not bubbles/textarea
//
// A maintained library is better than own code where it can do the work.
// charm.land/bubbles/v2/textarea, at v2.2.1, was tried against the tests of
// this package and fails the important ones:
//
//   - Its unit is the rune. Backspace after "e\u0301" leaves "e", after a flag half
//     a flag, after two joined people one person and a joiner. The caret stops
//     inside clusters, where it does not move on the screen.
//   - It wraps by the sum of rune widths: a row breaks inside "e\u0301", and a
//     joiner begins a row.
//   - It has no undo.
//   - It accepts characters that act on a terminal or are invisible: U+202E,
//     U+200B, tags (U+E0041), U+2028. In the text that is sent, a tab becomes four
//     blanks and U+0085 is dropped.
//   - It holds 10,000 lines and silently drops the rest of a paste.
//   - It returns rows only as a styled string, which the grid would have to parse,
//     and wraps the whole text for it. A key takes 14 ms in a prompt of 40 kB (the
//     preset of 10,000 tokens) and 360 ms in one of 1 MiB. This package takes
//     0.15 ms and 5 ms. The budget of a key, with everything else, is 50 ms.
//   - It has its own key table, and a package that starts programs to reach the
//     clipboard.
//
// Drawing, key table and tabs of the editor would be necessary with it too.
// It would only replace this package.
package edit
