package app

// maxRuns bounds how many ended runs are kept in memory; older ones remain in
// the recording.
const maxRuns = 200
