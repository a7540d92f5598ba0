package dialog

import (
	"fmt"
	"strconv"
	"strings"

	"tokscope/metrics/slo"
)

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

// NewTask returns the picker for the task of the lens's agent, with the present one
// selected. It lists ready tasks and accepts one typed as steps and tokens.
func NewTask(now slo.AgentTask) *Picker[slo.AgentTask] {
	d := newPicker[slo.AgentTask](list{title: "the agent's task", hint: "or type steps and tokens, such as 30 x 500",
		width: 66}, nil)
	d.prefers = true
	d.extra = func(s string) (item, bool) {
		t, err := parseTask(s)
		return offer(s, taskText(t), []string{"as typed"}, t, err)
	}
	seen := false
	for _, t := range tasks {
		d.add(item{name: taskText(t.task), detail: []string{t.about}, value: t.task}, t.task == now)
		seen = seen || t.task == now
	}
	if !seen {
		d.items = append([]item{{name: taskText(now), detail: []string{"current"}, value: now, mark: isCurrent}}, d.items...)
	}
	return d.open()
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
