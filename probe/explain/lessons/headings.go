package lessons

import "strings"

// Heading is the list entry of a lesson.
type Heading struct{ Key, Title, Claim string }

// Headings returns the headings of the lessons, in order. A claim with
// figures is "": they are computed only when the lesson is shown.
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
