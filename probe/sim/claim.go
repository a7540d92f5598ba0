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

// sizeForm is billions of parameters, those of a token, and a precision.
var sizeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]{1,4}(?:\.[0-9]{1,3})?)b(?:-a([0-9]{1,4}(?:\.[0-9]{1,3})?)b)?(?:-([a-z0-9]+))?$`)
})

// leastRead is the part of a size's parameters that a step reads at the least: a table
// of embeddings is not read, and "8b" may be 7.5.
const leastRead = 0.9

// Claim returns what bounds a model on a machine. machine is what stands behind the @ of
// an id, such as "rtx4090" or "2xh100+kv-fp8". size is what stands before it, such as
// "llama-3.1-8b-q4", or parameters, those that a token needs, and a precision: "8b-q4",
// "30b-a3b-q4". The error names the unknown part and the known values, or says that the
// machine has no such bound or cannot hold the model.
func Claim(cat *physics.Catalogue, machine, size string) (*metrics.Claim, error) {
	size = strings.ToLower(strings.TrimSpace(size))
	id, part := size, sizeForm().FindStringSubmatch(size)
	switch {
	case part != nil && part[3] == "":
		return nil, fmt.Errorf("model size %q has no precision: %s-q4, %s-fp8 and %s-bf16 have one", size, size, size, size)
	case part != nil:
		id = "llama-3.1-8b-" + part[3] // of any shape
	}
	c, _, err := ParseID(cat, id+"@"+machine)
	if err != nil {
		return nil, err
	}
	h := &c.Hardware
	if h.Flow != nil {
		return nil, fmt.Errorf("%s is a dataflow machine: no bandwidth bounds its speed", h.Name)
	}
	claim := &metrics.Claim{Model: size, Machine: c.Group(), Bandwidth: h.BW * float64(c.TP), Step: 1}
	if c.Draft != nil {
		claim.Step += c.Draft.K
	}
	if part == nil {
		s, err := physics.New(c)
		if err != nil {
			return nil, err
		}
		claim.Model = c.Model.Name + " " + c.Precision.Name
		claim.Weights, claim.Cache = s.Reads()
		claim.Weights /= 1e9
		return claim, nil
	}
	total, _ := strconv.ParseFloat(part[1], 64)
	active, err := strconv.ParseFloat(part[2], 64)
	if err != nil {
		active = total // not named
	}
	claim.Weights = leastRead * active * c.Precision.Expert
	need, have := leastRead*total*c.Precision.Expert*1e9, h.Bytes()*float64(c.TP)
	switch {
	case active <= 0 || active > total:
		return nil, fmt.Errorf("model size %q: a token needs some of its parameters, at most all", size)
	case need > have:
		return nil, fmt.Errorf("%.0f GB of weights, %.0f GB of memory", need/1e9, have/1e9)
	}
	return claim, nil
}
