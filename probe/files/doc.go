// Package files writes and opens every file that tokscope keeps. What stands at a
// path is lost only where a person named it, and then only once the new content is
// complete. No link that another user planted is followed, and no device is replaced.
//
// Save is for a path that a person gave. Replace, Create and Open are for files in
// folders of tokscope's own.
package files
