// Package probe holds no code: its folders drive endpoints. From bottom to top:
//
//	transport/stamp    when bytes arrived: the kernel's stamp, else the clock's
//	transport, sse     HTTP with stamps; its lines joined into events
//	dialect, secret    events decoded into chunks; keys, and text without them
//	endpoint           providers, URLs, discovery, models, prices
//	config             the configuration file, and where each setting comes from
//	client             one request becomes one Stream that anybody may look at
//	loadgen            many users
//	result, sim        documents and their codec; the embedded endpoint
//	session            session files: written, read, played, shared
//	history            what was measured, kept
//	explain            its engine laid open, with lessons and a runner
//	app                what a command or a screen is given
//	probetest          scripted servers for tests
//
// A package imports only what is listed above it; a test says so.
//
// Where to add what: a server's quirk goes to dialect, a provider to endpoint,
// a load shape to loadgen, a document to result, a file
// of lines to session.
package probe
