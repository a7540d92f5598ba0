package endpoint

import (
	"errors"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestClaimComesFromFlagsAndProfiles holds that a target has what it is said to be, each
// flag before the profile's, and that half a claim or a wrong one is refused with the
// next step.
func TestClaimComesFromFlagsAndProfiles(t *testing.T) {
	all := profiles(t, "[profile.box]\nurl = \"http://127.0.0.1:9/v1\"\nmachine = \"rtx4090\"\nmodel_size = \"8b-q4\"\n")
	for _, c := range []struct {
		arg   string
		flags Flags
		want  string // "" for no claim; with a space, words of the error
	}{
		{"box", Flags{}, "8b-q4@rtx4090"},
		{"box", Flags{Machine: "m3max"}, "8b-q4@m3max"},
		{"box", Flags{ModelSize: "70b-q4"}, "70b-q4@rtx4090"},
		{"demo", Flags{Machine: "h100", ModelSize: "8b-fp8"}, "8b-fp8@h100"},
		{"127.0.0.1:9", Flags{}, ""},
		{"127.0.0.1:9", Flags{Machine: "h100"}, "give both"},
		{"127.0.0.1:9", Flags{ModelSize: "8b-q4"}, "give both"},
		{"127.0.0.1:9", Flags{Machine: "toaster", ModelSize: "8b-q4"}, "2xh100): no toaster"},
	} {
		r := Resolver{Profiles: all, Flags: c.flags, Env: func(string) string { return "" },
			Claim: func(machine, size string) (*metrics.Claim, error) {
				if machine == "toaster" {
					return nil, errors.New("no toaster")
				}
				return &metrics.Claim{Model: size, Machine: machine}, nil
			}}
		got, err := r.Resolve(c.arg)
		if strings.Contains(c.want, " ") {
			f, ok := errors.AsType[*metrics.Fault](err)
			testkit.That(t, ok && strings.Contains(f.Message+"; "+f.Next, c.want) && f.Next != "",
				"%s %+v: %v", c.arg, c.flags, err)
			continue
		}
		testkit.OK(t, err)
		claim := ""
		if got.Claim != nil {
			claim = got.Claim.Model + "@" + got.Claim.Machine
		}
		testkit.Is(t, claim, c.want, c.arg, c.flags)
	}
}

// TestClaimIsAboutOneModel holds that a claim stays with an endpoint that is chosen again,
// and not with another model there.
func TestClaimIsAboutOneModel(t *testing.T) {
	r := Resolver{Env: func(string) string { return "" }, Flags: Flags{Model: "a", Machine: "h100", ModelSize: "8b-q4"},
		Claim: func(machine, size string) (*metrics.Claim, error) {
			return &metrics.Claim{Model: size, Machine: machine}, nil
		}}
	first := testkit.Must(r.Resolve("http://127.0.0.1:9/v1"))(t)
	again := testkit.Must(r.ForEndpoint(first.Endpoint))(t)
	testkit.That(t, again.Claim != nil && again.Claim == first.Claim, "chosen again: %+v", again.Claim)
	other := first.Endpoint
	other.Model = "b"
	got := testkit.Must(r.ForEndpoint(other))(t)
	testkit.That(t, got.Claim == nil && got.Model == "b", "another model: %q %+v", got.Model, got.Claim)
}
