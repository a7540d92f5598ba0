package turn

// Agent is a kind of client, as far as a tap knows it.
type Agent struct {
	Command string `json:"client,omitempty"` // what is typed: "claude"; "" for one that a person starts
	Title   string `json:"client_title,omitempty"`
	// Version and Tried are what the recipe was tried with, and the day; "" where nobody has.
	Version string `json:"client_tried,omitempty"`
	Tried   string
	// Deadlines are those of Version. The zero value: nobody knows them.
	Deadlines Deadlines `json:"patience,omitzero"`
	// How are the lines that start it behind a tap, or what to write into its configuration, or
	// why it cannot be tapped. Around says where to look when no request came.
	How    []string
	Around string
	// Differs is what arrives otherwise than without the tap, and when; "" for nothing but ids and times.
	Differs string
}

// Tapped says what a tap stands between. It has no key.
type Tapped struct {
	Agent    Agent  `json:"" form:"inline"` // the zero value: any client
	URL      string // the base URL for the client
	Upstream string `json:"upstream"` // to which requests are passed on: scheme, host and path
	Stored   bool   // figures and times go to the history
	File     string // its session file, "" for none
	Texts    bool   // which has the texts too
	// Elsewhere: the client held a connection to port 443 while no request had come through the
	// tap, on Linux. It may be that of its telemetry.
	Elsewhere bool `json:"held_port_443,omitempty"`
}
