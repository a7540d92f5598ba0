package sim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/sim/physics"
)

// sizeForm is a number of parameters, those of a token, and a precision.
var sizeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]{1,4}(?:\.[0-9]{1,3})?)b(?:-a([0-9]{1,4}(?:\.[0-9]{1,3})?)b)?(?:-(.+))?$`)
})

// Claim returns what a model on a machine can do at most. machine is what stands behind
// the @ of an id, such as "rtx4090" or "2xh100+kv-fp8". size is what stands before it,
// such as "llama-3.1-8b-q4", or parameters, those that a token needs, and a precision:
// "8b-q4", "30b-a3b-q4". The error names the unknown part and the known values, or says
// why the machine cannot hold the model.
func Claim(cat *physics.Catalogue, machine, size string) (*metrics.Claim, error) {
	size = strings.ToLower(strings.TrimSpace(size))
	part := sizeForm().FindStringSubmatch(size)
	if part == nil {
		c, _, err := ParseID(cat, size+"@"+machine)
		if err != nil {
			return nil, err
		}
		s, err := physics.New(c)
		if err != nil {
			return nil, err
		}
		return s.Claim()
	}
	if part[3] == "" {
		return nil, fmt.Errorf("model size %q: add a precision, such as %s-q4", size, size)
	}
	c, _, err := ParseID(cat, "llama-3.1-8b-"+part[3]+"@"+machine) // of any shape
	if err != nil {
		return nil, err
	}
	total, _ := strconv.ParseFloat(part[1], 64)
	active := total
	if part[2] != "" {
		active, _ = strconv.ParseFloat(part[2], 64)
	}
	if active <= 0 || active > total {
		return nil, fmt.Errorf("model size %q: a token needs more than none of its parameters, and at most all", size)
	}
	claim, err := physics.ClaimOfSize(c, total*1e9, active*1e9)
	if err != nil {
		return nil, err
	}
	claim.Model = size
	return claim, nil
}
