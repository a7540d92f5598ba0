package main

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// figureWriters are the files of probe and metrics that turn a number into
// text that is no error, and why. A folder with "/" at its end means all of its
// files. Figures for a person belong into ui/format, beside a code with numbers.
var figureWriters = map[string]string{
	"metrics/lengths.go":             "the text form of lengths, as flags and formats have it",
	"metrics/serving/lesson.go":      "a marked figure of a lesson, which ui/format writes",
	"metrics/slo/slo.go":             "the text form of an objective, as --slo and the formats have it",
	"metrics/why.go":                 "the text form of a reason",
	"probe/app/sweep.go":             "the seed in the formats",
	"probe/config/":                  "the message of a refused setting: lines and limits of a file",
	"probe/dialect/":                 "the message of a fault or note: HTTP statuses and counts of events",
	"probe/endpoint/":                "the message of a refused key, profile or answer; ports and prices in the form that they are set in",
	"probe/explain/engineconfig.go":  "the message of an engine that does not fit",
	"probe/explain/lessons/":         "a lesson's text: settings and counts in whole numbers; LessonFigure marks its figures",
	"probe/explain/machine.go":       "the name of a machine: \"4 x H100\"",
	"probe/loadgen/request.go":       "the line before a prompt that no cache has seen",
	"probe/probetest/":               "scripted servers of the tests",
	"probe/record/":                  "the formats, names of files, and messages of files that cannot be used",
	"probe/replay/":                  "the message of a file that cannot be replayed",
	"probe/sim/":                     "what the embedded endpoint sends: answers, its page of metrics, errors",
	"probe/transport/fault.go":       "the message of a fault: the bound that it passed",
	"metrics/condition/condition.go": "the text form of a condition, as --fail-if and the formats have it",
	"probe/export/":                  "the formats of Prometheus and OpenTelemetry, and messages of settings and collectors",
}

// numberVerb matches a verb of fmt that can only be of a number.
var numberVerb = regexp.MustCompile(`%[-+# 0-9.*]*[defgG]`)

// TestFiguresAreWrittenInFormat checks that probe and metrics give numbers to
// ui/format and write none themselves: no number becomes text with strconv or
// fmt apart from errors, panics, logs and figureWriters.
func TestFiguresAreWrittenInFormat(t *testing.T) {
	used, files, calls := map[string]bool{}, 0, 0
	goFiles(t, func(name string, file *ast.File) {
		if !strings.HasPrefix(name, "probe/") && !strings.HasPrefix(name, "metrics/") || strings.HasSuffix(name, "_test.go") {
			return
		}
		files++
		found := writesNumbers(file)
		calls += len(found)
		if len(found) == 0 {
			return
		}
		for at := name; at != "."; at = path.Dir(strings.TrimSuffix(at, "/")) {
			if at != name {
				at += "/"
			}
			if figureWriters[at] != "" {
				used[at] = true
				return
			}
		}
		t.Errorf("%s writes numbers (%s): give a code with its numbers, and the words to ui/format", name, strings.Join(found, ", "))
	})
	if files < 150 || calls < 50 {
		t.Errorf("read %d files with %d calls: the search does not work", files, calls)
	}
	for name := range figureWriters {
		if !used[name] {
			t.Errorf("%s writes no number any more: take it off the list", name)
		}
	}
}

// writesNumbers returns the calls of a file that turn a number into text, apart
// from errors and panics.
func writesNumbers(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if makesError(call.Fun) {
			return false
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, ok := f.X.(*ast.Ident)
		if !ok {
			return true
		}
		name := from.Name + "." + f.Sel.Name
		switch {
		case from.Name == "strconv" && (f.Sel.Name == "Itoa" || strings.HasPrefix(f.Sel.Name, "Format") || strings.HasPrefix(f.Sel.Name, "Append")) &&
			!strings.HasSuffix(f.Sel.Name, "Bool") && !strings.Contains(f.Sel.Name, "Quote"),
			from.Name == "fmt" && slices.ContainsFunc(call.Args, hasNumberVerb):
			found = append(found, name)
		}
		return true
	})
	return found
}

func hasNumberVerb(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return false
	}
	text, err := strconv.Unquote(lit.Value)
	return err == nil && numberVerb.MatchString(strings.ReplaceAll(text, "%%", ""))
}
