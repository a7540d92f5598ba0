package report

import (
	"fmt"
	"slices"
	"strings"

	"tokscope/metrics/serving"
	"tokscope/ui/format"
)

// Survey lists which models fit which machines: a row each where there is one
// machine or one model, else a matrix of as many machines as fit width columns, 40 at
// least; it names the machines that are left out. With all it has every machine, in tables
// one below the other. ascii writes its text with ASCII alone.
func Survey(s *serving.Survey, width int, all, ascii bool) *Doc {
	d := &Doc{ASCII: ascii}
	switch {
	case len(s.Machines) == 1:
		m := &s.Machines[0]
		d.Note(fmt.Sprintf("%s (%s): %s, %s/s", m.Name, m.Key,
			format.Number(m.Memory/(1<<30))+" GiB", format.Amount(m.Bandwidth, "B")))
		surveyList(d, s, m.Note, m.Aliases)
	case len(s.Models) == 1:
		m := &s.Models[0]
		d.Note(fmt.Sprintf("%s (%s): %sB parameters, %sB active, context %s tokens", m.Name,
			m.Key, format.Number(m.Total/1e9), format.Number(m.Active/1e9), format.Count(m.Context)))
		surveyList(d, s, m.Note, m.Aliases)
	default:
		surveyMatrix(d, s, width, all)
	}
	_, marked := surveyed(s)
	d.Note(format.If(marked, "*: the computation leaves something out; tokscope models NAME says what."),
		fmt.Sprintf("Requests have %s tokens in and %s out.", format.Count(s.Prompt), format.Count(s.Output)),
		"Figures are computed by the embedded endpoint's model, not measured.")
	return d
}

// surveyList has what the computation leaves out, the further names, and a row for
// each pair. Those that do not fit have their reason.
func surveyList(d *Doc, s *serving.Survey, note string, aliases []string) {
	d.Note(format.If(note != "", "note: "+note), format.If(len(aliases) > 0, "also: "+strings.Join(aliases, ", ")))
	names, _ := surveyed(s)
	t := &Table{Cols: slices.Concat(words(format.Either(byMachine(s), "machine", "model"), "weights"),
		figures("", "tok/s", "users"), words("target"))}
	for i := range s.Pairs {
		p, name := &s.Pairs[i], names[i]
		if p.Why != "" {
			t.row(name, format.Unknown, "", "", "", p.Why)
			continue
		}
		t.row(name, p.Precision, format.Amount(p.Weights, "B"),
			format.Known(p.One, format.Number), format.Count(p.Users), p.Target)
	}
	d.Note("tok/s: of one user. users: how many get " + format.Exact(s.Speed) + " tok/s. –: does not fit.")
	d.table(t)
}

// byMachine reports whether the rows are the machines of one model.
func byMachine(s *serving.Survey) bool { return len(s.Models) == 1 && len(s.Machines) != 1 }

// surveyed are the names of the rows. A * marks one whose computation leaves something
// out, marked that there is one.
func surveyed(s *serving.Survey) (names []string, marked bool) {
	add := func(name, note string) {
		names, marked = append(names, name+format.If(note != "", "*")), marked || note != ""
	}
	if byMachine(s) {
		for i := range s.Machines {
			add(s.Machines[i].Key, s.Machines[i].Note)
		}
		return names, marked
	}
	for i := range s.Models {
		add(s.Models[i].Key, s.Models[i].Note)
	}
	return names, marked
}

// surveyMatrix has models as rows and machines as columns.
func surveyMatrix(d *Doc, s *serving.Survey, width int, all bool) {
	t := &Table{Cols: words("")}
	for _, m := range s.Machines {
		t.Cols = append(t.Cols, Column{Group: m.Key, Name: "tok/s users"})
	}
	names, _ := surveyed(s)
	for i := range s.Models {
		cells := []string{names[i]}
		for j := range s.Machines {
			p := s.Pair(i, j)
			group := format.If(p.Devices > 1, format.Count(p.Devices)+"x")
			cell := fmt.Sprintf("%s %5s %5s", group, format.Known(p.One, format.Number), format.Count(p.Users))
			cells = append(cells, format.Either(p.Why != "", format.Unknown, cell))
		}
		t.row(cells...)
	}
	var rest []string
	if parts := t.parts(width, columnGap); !all && len(parts) > 1 {
		for _, c := range t.Cols[len(parts[0].Cols):] {
			rest = append(rest, c.Group)
		}
		t = parts[0]
	}
	d.Note("2x: devices. tok/s: of one user. users: how many get " + format.Exact(s.Speed) + " tok/s. –: does not fit.")
	d.table(t)
	d.Note(format.If(len(rest) > 0, "Not shown (--all): "+strings.Join(rest, ", ")),
		"Weights: as usually served; Q4 on personal computers; else fp8 or Q4.",
		"tokscope models NAME lists one model or machine, with precision and reason.")
}
