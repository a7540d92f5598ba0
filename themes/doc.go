// Package themes turns what a cell means into how it looks.
//
// A screen never names a colour: it writes cells with a Role (Ink, Dim, Bad,
// Tint(level, fade), …). A Theme gives the roles colours, a Profile says how
// many colours the terminal has, and Compile puts both together into a
// Palette: one ready escape sequence a role. Glyphs does the same for the
// shapes, with an ASCII set in which everything still reads.
//
// Meaning is never carried by hue alone: roles that warn are bold, underlined
// or reversed as well, and the tint of a gap also grows in weight where there
// are no colours.
//
// No theme paints a background behind plain text: the terminal's own stays.
// Each names the ground it was made for, and the contrast of every role is
// tested against it.
//
// Where to add what:
//   - a theme: one Theme value in a file of its own, and its line in the table
//     of theme.go; the tests then hold it to the contrast and colour-blindness rules
//   - a role: its constant in role.go and its line in the table of look.go
//   - a glyph: a field of Glyphs and its two shapes in glyphs.go
package themes
