// Package tour is the guided sequence of lessons on the Explain screen. A lesson
// makes one claim, says what the model predicts, lets the running engine show
// it, and judges the claim by what was measured.
//
//	lesson.go   what a lesson is, and the table of all
//	words.go    the names that may stand in the texts: every figure is computed
//	tour.go     where the tour stands; place.go remembers it between sessions
//	claim*.go   a lesson each, in the order of the table
//
// A new lesson is one file (copy a short one) and one line in the table. Its
// texts name figures in braces, {tpot} of the first stage or {long.tpot} of the
// stage with that key; a digit that is typed in makes a test fail, and so does
// a lesson whose claim the engine does not bear out in virtual time.
package lessons
