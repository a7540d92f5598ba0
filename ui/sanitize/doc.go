// Package sanitize sanitizes all outside text before it reaches a terminal: model
// output, model ids, finish reasons, headers, error bodies, file names,
// configuration. A terminal executes control sequences in what it prints.
// Such text could move the cursor, hide or forge lines, plant links or
// destroy the rest of a frame. The output of this package cannot:
//
//   - it is valid UTF-8; an invalid byte becomes U+FFFD
//   - the only control character is "\n" (none in Line): CRLF becomes LF, a
//     lone CR ␍, a tab four spaces, other controls their picture (ESC is ␛),
//     C1 controls U+FFFD
//   - everything invisible (bidi controls, zero-width and tag characters,
//     U+2028/9, private use, unassigned) becomes a visible middle dot, except what
//     tells how a character is drawn: joiners and variation selectors in an emoji
//     or in a script that has them. A faithful Decoder keeps all but the controls
//   - a character has at most 64 bytes and four combining marks in a row, and no
//     mark is without a base
//   - letters, marks and emoji come as they are. Terminals do not agree on the
//     width of some: Cluster tells which, and ui/draw places what follows them
//   - a line ends after at most MaxLine characters
//
// Characters are replaced, not removed: a reader of a stream sees that the
// model sent an escape. Each character is mapped by itself. A sequence split
// over two chunks can therefore not slip through.
//
// The result may be drawn, printed, or sanitized again without a change.
// Line(s, 80) is suitable for a window title. Raw text may only be written as
// JSON, which escapes it.
package sanitize
