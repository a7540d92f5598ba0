package metrics

const (
	// busyCores is the share of all cores from which this program's own work
	// delays its goroutines.
	busyCores = 0.8
	// busyDescriptors is the share of the limit of descriptors from which the
	// next users may get no connection.
	busyDescriptors = 0.8
)

// Use is what this program took of the machine: user and system time of all
// its threads, the embedded endpoint's included, and its open descriptors. The
// zero value: not measured.
type Use struct {
	// CPU is cores in use on average: seconds of CPU per second.
	CPU float64 `json:"cpu_cores" form:"null=zero"`
	// Seconds are whole seconds that CPU covers; 0: not measured. Of a probe they are
	// all of it, but at most its last five minutes.
	Seconds int `json:"cpu_seconds,omitempty"`
	Cores   int `json:"cores,omitempty"` // that the system gives this program
	// Descriptors are those open at the last measurement, DescriptorLimit the most
	// that the system allows; 0: the system does not say.
	Descriptors     int `json:"descriptors" form:"null=zero"`
	DescriptorLimit int `json:"descriptor_limit,omitempty"`
}

// CPUUsed returns the cores in use on average. It is unknown before two
// measurements, a second apart.
func (u *Use) CPUUsed() Value {
	if u.Seconds < 1 {
		return Unknown(WhyNoUse)
	}
	return Finite(u.CPU, u.Seconds)
}

// CPUShare returns the part (0..1) of all cores in use on average.
func (u *Use) CPUShare() Value {
	v := u.CPUUsed()
	if v.OK && u.Cores > 0 {
		v.V /= float64(u.Cores)
		return v
	}
	return Unknown(WhyNoUse)
}

// Busy reports whether this program may be short of processors or of
// descriptors.
func (u *Use) Busy() bool {
	share := u.CPUShare()
	return share.OK && share.V >= busyCores ||
		u.DescriptorLimit > 0 && float64(u.Descriptors) >= busyDescriptors*float64(u.DescriptorLimit)
}

// merge returns the larger use of each kind.
func (u Use) merge(v Use) Use {
	if v.CPU > u.CPU {
		u.CPU = v.CPU
	}
	u.Seconds, u.Cores = max(u.Seconds, v.Seconds), max(u.Cores, v.Cores)
	u.Descriptors, u.DescriptorLimit = max(u.Descriptors, v.Descriptors), max(u.DescriptorLimit, v.DescriptorLimit)
	return u
}
