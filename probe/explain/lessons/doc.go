// Package lessons is the guided sequence of lessons on the Explain screen. A
// lesson makes one claim and gives the model's prediction. The running engine
// then shows it, and the measurements decide on the claim.
//
//	lesson.go   the lesson type, and the table of all lessons
//	words.go    the names and figures of lessons: every one is computed
//	tour.go     the position in the tour; place.go stores it between sessions
//	lesson*.go   a lesson each, in the order of the table
//
// A new lesson is one file (copy a short one) and one line in the table. Its
// texts, its verdict, its rows and the check of its claim name figures: {tpot} of
// the first stage, {long.tpot} of the stage with that key. A typed digit makes a
// test fail, and so does a claim that the engine does not confirm in virtual time.
package lessons
