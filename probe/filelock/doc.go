// Package filelock locks files between processes. A lock ends with its process,
// also by kill -9.
package filelock
