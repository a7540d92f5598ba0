package report

import (
	"cmp"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/ui/say"
)

// Doctor writes a check-up as text, line by line.
type Doctor struct {
	W     io.Writer
	Width int // of a line, columns
	Color bool

	prevented []string // checks that an earlier failure prevented
	err       error    // the first of a write, after which nothing is written
}

// Widths of the grade and of the check's name.
const (
	gradeWidth = 6
	checkWidth = 11
)

// gradeWords and their colors: the terminal's own, always beside the word.
var gradeWords = map[doctor.Grade][2]string{
	doctor.OK: {"ok", "32"}, doctor.Noted: {"note", "33"}, doctor.Bad: {"bad", "31;1"}, doctor.Skipped: {"-", "2"},
}

// Head writes the target, and what will be sent.
func (d *Doctor) Head(r *doctor.Report) {
	e := &r.Endpoint
	name := cmp.Or(e.Name, e.URL)
	head := &Doc{}
	head.Note(target(&metrics.Endpoint{Name: name, Model: e.Model, URL: e.URL}, "", say.Settings(e)),
		say.DoctorPlan(r.Plan))
	d.print(head.Text(d.Width) + "\n")
}

func (d *Doctor) print(text string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.W, text)
	}
}

// Check writes one result and what to do next. What an earlier failure
// prevented is one line, which End writes; that there is no proxy is said once.
func (d *Doctor) Check(k *doctor.Check) {
	switch {
	case k.Why == doctor.WhyEarlier:
		d.prevented = append(d.prevented, say.CheckName(k.Code))
	case k.Code == doctor.Direct && k.Why == doctor.WhyNoProxy:
	default:
		text, next := say.Check(k)
		d.write(k.Grade, say.CheckNameOf(k), text, next)
	}
}

// write writes a line of the list, wrapped, and the next steps below it.
func (d *Doctor) write(grade doctor.Grade, name, text string, next []string) {
	word := gradeWords[grade]
	var b strings.Builder
	hang(&b, pad(word[0], gradeWidth)+pad(name, checkWidth), clean(text), d.Width)
	label := "next: "
	for _, n := range next {
		hang(&b, strings.Repeat(" ", gradeWidth+checkWidth)+label, clean(n), d.Width)
		label = "      "
	}
	lines := b.String()
	if d.Color {
		lines = "\x1b[" + word[1] + "m" + lines[:gradeWidth] + "\x1b[0m" + lines[gradeWidth:]
	}
	d.print(lines)
}

// End writes the conclusion. The error is the first of a write.
func (d *Doctor) End(r *doctor.Report) error {
	if len(d.prevented) > 0 {
		d.write(doctor.Skipped, "the rest", "not checked after that: "+strings.Join(d.prevented, ", "), nil)
	}
	end := &Doc{}
	end.Note(say.CheckUp(r))
	d.print("\n" + end.Text(d.Width))
	return d.err
}
