package report

import (
	"fmt"
	"io"
	"strings"

	"tokscope/metrics/serving"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Models are the options of WriteModels.
type Models struct {
	Width int  // of the lines, at least 40
	All   bool // every machine, in tables one below the other
	ASCII bool
}

// Columns of the matrix of models and machines.
const (
	modelCells = 22 // the name of a model
	pairCells  = 14 // "2x  54.1   120", and the space before it
)

// WriteModels prints a survey as text: a list when it has one machine or one
// model, else a matrix of as many machines as fit the width. It names the
// machines that are left out.
func WriteModels(w io.Writer, s *serving.Survey, o Models) error {
	var b strings.Builder
	switch {
	case len(s.Machines) == 1:
		m := &s.Machines[0]
		fmt.Fprintf(&b, "%s (%s): %s, %s/s\n", m.Name, m.Key,
			format.Number(m.Memory/(1<<30))+" GiB", format.Amount(m.Bandwidth, "B"))
		note(&b, o, m.Note, m.Aliases)
		list(&b, s, o)
	case len(s.Models) == 1:
		m := &s.Models[0]
		fmt.Fprintf(&b, "%s (%s): %sB parameters, %sB active, context %s tokens\n", m.Name,
			m.Key, format.Number(m.Total/1e9), format.Number(m.Active/1e9), format.Count(m.Context))
		note(&b, o, m.Note, m.Aliases)
		list(&b, s, o)
	default:
		matrix(&b, s, o)
	}
	paragraph(&b, o, fmt.Sprintf("Requests have %s tokens in and %s out.", format.Count(s.Prompt), format.Count(s.Output)))
	paragraph(&b, o, "Figures are computed by the embedded endpoint's model, not measured.")
	_, err := io.WriteString(w, b.String())
	return err
}

// note prints what the computation leaves out, and the further names.
func note(b *strings.Builder, o Models, text string, aliases []string) {
	if text != "" {
		paragraph(b, o, "note: "+text)
	}
	if len(aliases) > 0 {
		paragraph(b, o, "also: "+strings.Join(aliases, ", "))
	}
}

// paragraph prints a text in lines of the width. Those after the first are indented.
func paragraph(b *strings.Builder, o Models, text string) {
	wide := 0
	for i, word := range strings.Fields(text) {
		n := draw.Width(word)
		switch {
		case i == 0:
		case wide+1+n > o.Width:
			b.WriteString("\n ")
			wide = 1
			fallthrough
		default:
			b.WriteByte(' ')
			wide++
		}
		b.WriteString(word)
		wide += n
	}
	b.WriteByte('\n')
}

// list prints a line for each pair. Those that do not fit have their reason.
func list(b *strings.Builder, s *serving.Survey, o Models) {
	byMachine := len(s.Models) == 1 && len(s.Machines) != 1
	name := func(i int) string {
		if byMachine {
			return starred(s.Machines[i].Key, s.Machines[i].Note)
		}
		return starred(s.Models[i].Key, s.Models[i].Note)
	}
	head := "model"
	if byMachine {
		head = "machine"
	}
	wide := len(head)
	for i := range s.Pairs {
		wide = max(wide, draw.Width(name(i)))
	}
	line := func(name, layout string, cells ...any) {
		b.WriteString(cut(pad(name, wide)+"  "+fmt.Sprintf(layout, cells...), o) + "\n")
	}
	b.WriteByte('\n')
	line(head, "%-7s %8s %6s %6s  %s", "weights", "", "tok/s", "users", "target")
	for i := range s.Pairs {
		p := &s.Pairs[i]
		if p.Why != "" {
			line(name(i), "%s %s", dash(o), p.Why)
			continue
		}
		line(name(i), "%-7s %8s %6s %6s  %s", p.Precision, format.Amount(p.Weights, "B"),
			format.Known(p.One, format.Number), format.Count(p.Users), p.Target)
	}
	b.WriteByte('\n')
	paragraph(b, o,
		fmt.Sprintf("tok/s: of one user. users: how many get %s tok/s. %s: does not fit.", format.Exact(s.Speed), dash(o)))
	stars(b, s, o)
}

// starred marks a name whose computation leaves something out.
func starred(name, note string) string {
	if note == "" {
		return name
	}
	return name + "*"
}

// stars explains the marks, if there are any.
func stars(b *strings.Builder, s *serving.Survey, o Models) {
	marked := false
	for i := range s.Machines {
		marked = marked || s.Machines[i].Note != "" && len(s.Models) == 1 && len(s.Machines) > 1
	}
	for i := range s.Models {
		marked = marked || s.Models[i].Note != "" && (len(s.Models) > 1 || len(s.Machines) == 1)
	}
	if marked {
		paragraph(b, o, "*: the computation leaves something out; tokscope models NAME says what.")
	}
}

// matrix prints models as rows and machines as columns.
func matrix(b *strings.Builder, s *serving.Survey, o Models) {
	fit := max((o.Width-modelCells)/(pairCells+1), 1)
	for from := 0; from < len(s.Machines); from += fit {
		to := min(from+fit, len(s.Machines))
		if from > 0 {
			b.WriteByte('\n')
		}
		table(b, s, from, to, o)
		if !o.All {
			from = to
			rest(b, s, to, o)
			break
		}
	}
	for _, text := range []string{
		"Cells: devices, tok/s of one user, users that get " +
			format.Exact(s.Speed) + " tok/s. " + dash(o) + ": does not fit.",
		"Weights: as usually served; Q4 on personal computers; else fp8 or Q4.",
		"tokscope models NAME lists one model or machine, with precision and reason.",
	} {
		paragraph(b, o, text)
	}
	stars(b, s, o)
}

// table prints the machines from from to to.
func table(b *strings.Builder, s *serving.Survey, from, to int, o Models) {
	line := func(first string, cells func(j int) string) {
		text := pad(cut(first, Models{Width: modelCells, ASCII: o.ASCII}), modelCells)
		for j := from; j < to; j++ {
			cell := cells(j)
			text += " " + pad("", pairCells-draw.Width(cell)) + cell
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("", func(j int) string { return s.Machines[j].Key })
	for i := range s.Models {
		line(starred(s.Models[i].Key, s.Models[i].Note), func(j int) string {
			p := s.Pair(i, j)
			if p.Why != "" {
				return dash(o)
			}
			group := ""
			if p.Devices > 1 {
				group = format.Count(p.Devices) + "x"
			}
			return fmt.Sprintf("%s %5s %5s", group, format.Known(p.One, format.Number), format.Count(p.Users))
		})
	}
	b.WriteByte('\n')
}

// rest names the machines from from on, which have no column.
func rest(b *strings.Builder, s *serving.Survey, from int, o Models) {
	if from >= len(s.Machines) {
		return
	}
	var names []string
	for _, m := range s.Machines[from:] {
		names = append(names, m.Key)
	}
	paragraph(b, o, "Not shown (--all): "+strings.Join(names, ", "))
}

// pad fills s with blanks to w columns.
func pad(s string, w int) string { return s + strings.Repeat(" ", max(w-draw.Width(s), 0)) }

func dash(o Models) string {
	if o.ASCII {
		return "-"
	}
	return "–"
}

// cut shortens a line to the width.
func cut(text string, o Models) string {
	if draw.Width(text) <= o.Width {
		return text
	}
	end := "…"
	if o.ASCII {
		end = "..."
	}
	return draw.Head(text, o.Width-draw.Width(end)) + end
}
