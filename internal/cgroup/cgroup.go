// Package cgroup reads the memory limit that Linux control groups, and so containers, set for the process.
package cgroup

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// none is the lower bound of the values by which version 1 represents no limit; the value depends on the page
// size.
const none = 1 << 60

// MemoryLimit returns the lowest limit, in bytes, of the process's memory group and its ancestors, and the
// file that contains it. It returns 0 if there is no limit. root is the root of the file system, with /proc
// and /sys/fs/cgroup.
//
// A container may see only its own group, mounted as the outermost one, while /proc/self/cgroup contains the
// path on the host. Groups that do not exist are skipped.
func MemoryLimit(root fs.FS) (bytes int64, file string) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0, ""
	}
	for line := range strings.Lines(string(groups)) { // hierarchy:controllers:path
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		mounts, name := []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}, "memory.max"
		if parts[1] != "" { // version 1
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			mounts, name = []string{"sys/fs/cgroup/memory", "sys/fs/cgroup/" + parts[1]}, "memory.limit_in_bytes"
		}
		for _, mount := range mounts {
			for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
				at := path.Join(mount, group, name)
				if n := limitIn(root, at); n != 0 && (bytes == 0 || n < bytes) {
					bytes, file = n, "/"+at
				}
				if group == "/" {
					break
				}
			}
		}
	}
	return bytes, file
}

// limitIn returns the limit in a file, or 0.
func limitIn(root fs.FS, file string) int64 {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" means no limit
	if err != nil || n <= 0 || n >= none {
		return 0
	}
	return n
}
