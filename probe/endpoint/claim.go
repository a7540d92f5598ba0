package endpoint

import "cmp"

// claim puts onto t what it is said to run on: by the flags, else by its profile.
func (r *Resolver) claim(t *Target) error {
	p := cmp.Or(t.profile, &Profile{})
	machine, size := cmp.Or(r.Flags.Machine, p.Machine), cmp.Or(r.Flags.ModelSize, p.ModelSize)
	switch {
	case machine == "" && size == "" || r.Claim == nil:
		return nil
	case machine == "" || size == "":
		return Refuse("a claim is a machine and a model", "give both, such as --machine rtx4090 --model-size 8b-q4")
	}
	c, err := r.Claim(machine, size)
	if err != nil {
		return Refuse("the claim (a size is such as 8b-q4 or 30b-a3b-q4, a group such as 2xh100): "+err.Error(),
			"tokscope models lists machines and models")
	}
	t.Endpoint.Claim = c
	return nil
}
