package lessons

import "strings"

// Heading is a lesson as a list names it.
type Heading struct{ Key, Title, Claim string }

// Headings are those of the lessons, in order. A claim that names figures is
// "": they are computed only once it is shown.
func Headings() []Heading {
	var all []Heading
	for _, l := range lessons {
		h := Heading{l.key, l.title, l.claim}
		if strings.Contains(h.Claim, "{") {
			h.Claim = ""
		}
		all = append(all, h)
	}
	return all
}
