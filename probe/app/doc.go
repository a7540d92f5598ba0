// Package app sets up what a command or a screen needs. App holds the
// settings, the target, the client, the recording and the embedded endpoint.
// Session is the backend of the terminal interface. It has a selectable
// endpoint, one stream at a time, the runs so far, a load and the Explain
// screen.
package app
