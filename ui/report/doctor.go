package report

import (
	"fmt"
	"io"
	"strings"

	"tokscope/metrics/doctor"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Doctor writes a check-up as text, line by line.
type Doctor struct {
	W     io.Writer
	Width int // of a line, columns
	Color bool

	prevented []string // checks that an earlier failure prevented
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
func (d *Doctor) Head(r *doctor.Report) error {
	e := &r.Endpoint
	name := e.Name
	if name == "" {
		name = e.URL
	}
	parts := []string{name}
	for _, p := range []string{e.Model, e.URL} {
		if p != "" && p != name {
			parts = append(parts, p)
		}
	}
	var b strings.Builder
	d.lines(&b, "", sanitize.Line(strings.Join(parts, " · "), outsideMost))
	d.lines(&b, "", say.DoctorPlan(r.Plan))
	b.WriteByte('\n')
	_, err := io.WriteString(d.W, b.String())
	return err
}

// Check writes one result and what to do next. What an earlier failure
// prevented is one line, which End writes; that there is no proxy is said once.
func (d *Doctor) Check(k *doctor.Check) error {
	switch {
	case k.Why == doctor.WhyEarlier:
		d.prevented = append(d.prevented, say.CheckName(k.Code))
		return nil
	case k.Code == doctor.Direct && k.Why == doctor.WhyNoProxy:
		return nil
	}
	text, next := say.Check(k)
	return d.write(k.Grade, say.CheckName(k.Code), text, next)
}

// write writes a line of the list, wrapped, and the next steps below it.
func (d *Doctor) write(grade doctor.Grade, name, text string, next []string) error {
	word := gradeWords[grade]
	var b strings.Builder
	mark := fmt.Sprintf("%-*s", gradeWidth, word[0])
	if d.Color {
		mark = "\x1b[" + word[1] + "m" + mark + "\x1b[0m"
	}
	b.WriteString(mark)
	b.WriteString(fmt.Sprintf("%-*s", checkWidth, name))
	for i, part := range format.Wrap(sanitize.Line(text, 600), max(d.Width-gradeWidth-checkWidth, 20)) {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gradeWidth+checkWidth))
		}
		b.WriteString(part + "\n")
	}
	indent := strings.Repeat(" ", gradeWidth+checkWidth)
	for i, n := range next {
		label := "next: "
		if i > 0 {
			label = "      "
		}
		d.lines(&b, indent+label, sanitize.Line(n, 400))
	}
	_, err := io.WriteString(d.W, b.String())
	return err
}

// End writes the conclusion.
func (d *Doctor) End(r *doctor.Report) error {
	if len(d.prevented) > 0 {
		if err := d.write(doctor.Skipped, "the rest",
			"not checked after that: "+strings.Join(d.prevented, ", "), nil); err != nil {
			return err
		}
	}
	var b strings.Builder
	b.WriteByte('\n')
	d.lines(&b, "", sanitize.Line(say.CheckUp(r), 600))
	_, err := io.WriteString(d.W, b.String())
	return err
}

// lines writes text wrapped to the width, after a prefix of the first line.
func (d *Doctor) lines(b *strings.Builder, prefix, text string) {
	for i, part := range format.Wrap(text, max(d.Width-len(prefix), 20)) {
		if i > 0 {
			prefix = strings.Repeat(" ", len(prefix))
		}
		b.WriteString(prefix + part + "\n")
	}
}
