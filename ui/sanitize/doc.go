// Package safe is the one door through which text from outside reaches a
// terminal: model output, model ids, finish reasons, headers, error bodies,
// file names, configuration. A terminal obeys what it prints, so such text
// can move the cursor, hide or forge lines, plant links or eat the rest of a
// frame. What comes out of here can do none of it:
//
//   - it is valid UTF-8; a byte that is not becomes U+FFFD
//   - the only control character is "\n" (none in Line): CRLF becomes LF, a
//     lone CR ␍, a tab four spaces, other controls their picture (ESC is ␛),
//     C1 controls U+FFFD
//   - everything invisible or without a fixed meaning (bidi controls, joiners,
//     zero-width and tag characters, variation selectors, U+2028/9, private
//     use, unassigned) becomes a visible middle dot
//   - a base carries at most two combining marks, and no mark stands alone
//   - every character is as wide for a terminal that counts graphemes as for
//     one that counts code points (wcwidth); what is not becomes a dot, or
//     something that looks the same: ำ is written as its two parts, the two
//     letters of a flag as letters
//   - a line ends after MaxLine characters at the latest
//
// Substituting beats removing: somebody who looks at a stream sees that the
// model sent an escape. And mapping each character for itself keeps no state
// that a sequence split over two chunks could slip through.
//
// The result may be drawn, printed, or put through here again, which changes
// nothing. Line(s, 80) is what may go into a window title. Raw text goes to
// JSON only, which escapes it.
package sanitize
