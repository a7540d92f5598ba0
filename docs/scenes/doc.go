// Package scenes records the scenes of the Explain screen's tests. The
// interface may not import the simulated engine, so its tests read recordings
// of that engine in virtual time:
//
//	go test ./docs/scenes           says whether the recordings are what the engine does
//	go test ./docs/scenes -update   records ui/uitest/testdata/explain anew
//	go test ./ui ./ui/screen/explain -update   then writes the golden files of the screen
//
// A scene is one line in the table of scenes_test.go.
package scenes
