// Package themes maps the meaning of a cell to its look.
//
// A screen never names a color. It writes cells with a Role (Text, Dim, Bad,
// Tint(level, fade), …). A Theme assigns colors to roles, and a Profile is
// the number of colors of the terminal. Compile combines both into a Palette:
// one ready escape sequence per role. Glyphs does the same for shapes, with
// an ASCII set in which everything stays readable.
//
// Hue alone never carries meaning. Warning roles are also bold, underlined or
// reversed. Without colors, the tint of a gap also grows in weight.
//
// No theme paints a background behind plain text: the terminal's own stays.
// Each theme names the ground it was made for, and tests check the contrast
// of every role against it.
//
// The themes that people know from other programs use the published colors.
// Where one fails a test in its role, a nearby color replaces it, and the table
// has both.
//
// Where to add what:
//   - a theme: a block in table.go; the tests check its contrast and its colors for
//     color blindness
//   - a role: its constant in role.go and its line in the table of look.go
//   - a glyph: a field of Glyphs and its two shapes in glyphs.go
package themes
