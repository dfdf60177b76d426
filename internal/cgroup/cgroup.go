// Package cgroup reads the memory limit that Linux control groups, and so containers,
// set for this process.
package cgroup

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// none is version 1's number for no limit, or a little less: the number
// depends on the page size.
const none = 1 << 60

// MemoryLimit returns the lowest limit, in bytes, of the process's memory group and of
// the groups around it, and the file that says so; 0 where there is none. root is the
// root of the file system, with /proc and with the groups at /sys/fs/cgroup.
//
// A container may see only its own group, at the place of the outermost one, while
// /proc/self/cgroup says where that is on the host: a group that is not there is left
// out, those around it are not.
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

// limitIn returns the limit that a file has, 0 for none.
func limitIn(root fs.FS, file string) int64 {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is none
	if err != nil || n <= 0 || n >= none {
		return 0
	}
	return n
}
