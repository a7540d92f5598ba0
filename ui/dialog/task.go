package dialog

import (
	"fmt"
	"strconv"
	"strings"

	"tokscope/metrics/slo"
)

// Task is the picker for the task of the lens's agent. It lists ready tasks
// and accepts one typed as steps and tokens.
type Task struct{ picker }

// UseTask reports the chosen task.
type UseTask struct{ Task slo.AgentTask }

func (UseTask) act() {}

// tasks are ready ones, from the one that waits longest to the one that
// writes most.
var tasks = []struct {
	task  slo.AgentTask
	about string
}{
	{slo.AgentTask{Steps: 50, Tokens: 50}, "many small tool calls: TTFT counts"},
	{slo.DefaultAgentTask, "an ordinary task with tools"},
	{slo.AgentTask{Steps: 20, Tokens: 1000}, "a coding agent that explains itself"},
	{slo.AgentTask{Steps: 1, Tokens: 3000}, "one long diff: TPOT counts"},
}

// NewTask returns the picker with the present task selected.
func NewTask(now slo.AgentTask) *Task {
	d := &Task{}
	d.list = list{title: "the agent's task", hint: "or type steps and tokens, such as 30 x 500", width: 66}
	d.leave = Closed{}
	d.accept = func(it item) Act {
		if t, ok := it.value.(slo.AgentTask); ok {
			return UseTask{t}
		}
		return nil // the typed text is no task; the row says why
	}
	d.extra = func(s string) (item, bool) {
		t, err := parseTask(s)
		if err != nil {
			return item{name: s, detail: []string{err.Error()}, dim: true, mark: notReady}, true
		}
		return item{name: taskText(t), detail: []string{"as typed"}, value: t, mark: isOffer}, true
	}
	for _, t := range tasks {
		it := item{name: taskText(t.task), detail: []string{t.about}, value: t.task}
		if t.task == now {
			it.mark = isCurrent
		}
		d.items = append(d.items, it)
	}
	if !hasTask(now) {
		d.items = append([]item{{name: taskText(now), detail: []string{"current"}, value: now, mark: isCurrent}}, d.items...)
	}
	d.refresh()
	d.seek(func(it item) bool { return it.value == now })
	return d
}

// Type implements Dialog. A complete typed task takes precedence, even where
// a ready task looks like it.
func (d *Task) Type(s string, pasted bool) Act {
	act := d.picker.Type(s, pasted)
	d.seek(func(it item) bool { return it.mark == isOffer })
	return act
}

func hasTask(now slo.AgentTask) bool {
	for _, t := range tasks {
		if t.task == now {
			return true
		}
	}
	return false
}

func taskText(t slo.AgentTask) string { return fmt.Sprintf("%d x %d", t.Steps, t.Tokens) }

// parseTask reads two whole numbers with anything between them: "30 x 500",
// "30x500", "30 500".
func parseTask(s string) (slo.AgentTask, error) {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if len(parts) == 2 {
		steps, err1 := strconv.Atoi(parts[0])
		tokens, err2 := strconv.Atoi(parts[1])
		t := slo.AgentTask{Steps: steps, Tokens: tokens}
		if err1 == nil && err2 == nil && t.OK() {
			return t, nil
		}
	}
	return slo.AgentTask{}, fmt.Errorf("steps 1 to %d x tokens 1 to %d", slo.MaxAgentSteps, slo.MaxAgentTokens)
}
