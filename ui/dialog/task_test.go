package dialog

import (
	"testing"

	"tokscope/metrics/slo"
	"tokscope/ui/keys"
)

func TestTaskTakesWhatIsTyped(t *testing.T) {
	for _, c := range []struct {
		typed string
		want  slo.AgentTask // zero: refused
	}{
		{"30 x 500", slo.AgentTask{Steps: 30, Tokens: 500}},
		{"30x500", slo.AgentTask{Steps: 30, Tokens: 500}},
		{"30 500", slo.AgentTask{Steps: 30, Tokens: 500}},
		{"20 x 300", slo.AgentTask{Steps: 20, Tokens: 300}},
		{"9", slo.AgentTask{}},
		{"0 x 500", slo.AgentTask{}},
		{"1 x 2 x 3", slo.AgentTask{}},
		{"99999999999999999999 x 1", slo.AgentTask{}},
		{"umpteen", slo.AgentTask{}},
	} {
		d := NewTask(slo.DefaultAgentTask)
		d.Type(c.typed, true)
		act := d.Do(keys.Accept)
		if c.want == (slo.AgentTask{}) {
			if act != nil {
				t.Errorf("%q is taken: %+v", c.typed, act)
			}
		} else if got, ok := act.(Chosen[slo.AgentTask]); !ok || got.Value != c.want {
			t.Errorf("%q: %+v, want %+v", c.typed, act, c.want)
		}
	}
	if _, ok := NewTask(slo.DefaultAgentTask).Do(keys.Close).(Closed); !ok {
		t.Error("esc does not leave")
	}
	other := slo.AgentTask{Steps: 3, Tokens: 7}
	if got, ok := NewTask(other).Do(keys.Accept).(Chosen[slo.AgentTask]); !ok || got.Value != other {
		t.Errorf("the present task is not selected: %+v", got)
	}
}
