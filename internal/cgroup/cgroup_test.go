package cgroup

import (
	"testing"
	"testing/fstest"
)

// File systems as in various containers, services and hosts. A wrong limit would make a pool use memory until
// the kernel ends the process, or refuse requests although memory is available.
func TestMemoryLimit(t *testing.T) {
	const mb = 1 << 20
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
		file  string
	}{
		"no /proc":  {},
		"no groups": {files: map[string]string{"proc/self/cgroup": "0::/\n"}},
		"version 2, a container": {
			files: map[string]string{
				"proc/self/cgroup":         "0::/\n",
				"sys/fs/cgroup/memory.max": "268435456\n",
			},
			want: 256 * mb, file: "/sys/fs/cgroup/memory.max",
		},
		"version 2, the path of the host": {
			files: map[string]string{
				"proc/self/cgroup":         "0::/system.slice/docker-1.scope\n",
				"sys/fs/cgroup/memory.max": "268435456\n",
			},
			want: 256 * mb, file: "/sys/fs/cgroup/memory.max",
		},
		"version 2, the group around it has less": {
			files: map[string]string{
				"proc/self/cgroup":                           "0::/a.slice/b.service\n",
				"sys/fs/cgroup/a.slice/memory.max":           "1048576\n",
				"sys/fs/cgroup/a.slice/b.service/memory.max": "2097152\n",
			},
			want: mb, file: "/sys/fs/cgroup/a.slice/memory.max",
		},
		"version 2, the group has less": {
			files: map[string]string{
				"proc/self/cgroup":                           "0::/a.slice/b.service\n",
				"sys/fs/cgroup/a.slice/memory.max":           "max\n",
				"sys/fs/cgroup/a.slice/b.service/memory.max": "2097152\n",
			},
			want: 2 * mb, file: "/sys/fs/cgroup/a.slice/b.service/memory.max",
		},
		"version 2, no limit": {
			files: map[string]string{
				"proc/self/cgroup":           "0::/a\n",
				"sys/fs/cgroup/a/memory.max": "max\n",
			},
		},
		"version 1": {
			files: map[string]string{
				"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/1\n",
				"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "1048576\n",
				"sys/fs/cgroup/memory/memory.limit_in_bytes":          "9223372036854771712\n",
				"sys/fs/cgroup/memory/x/memory.limit_in_bytes":        "1\n",
			},
			want: mb, file: "/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes",
		},
		"version 1, the path of the host": {
			files: map[string]string{
				"proc/self/cgroup":                           "4:memory:/docker/1\n",
				"sys/fs/cgroup/memory/memory.limit_in_bytes": "1048576\n",
			},
			want: mb, file: "/sys/fs/cgroup/memory/memory.limit_in_bytes",
		},
		"version 1, no limit": {
			files: map[string]string{
				"proc/self/cgroup":                           "4:memory:/\n",
				"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			},
		},
		"both, memory in version 1": {
			files: map[string]string{
				"proc/self/cgroup": "4:memory:/a\n0::/b\n",
				"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2097152\n",
			},
			want: 2 * mb, file: "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
		},
		"both, memory in version 2": {
			files: map[string]string{
				"proc/self/cgroup":                   "1:name=systemd:/b\n0::/b\n",
				"sys/fs/cgroup/unified/b/memory.max": "2097152\n",
			},
			want: 2 * mb, file: "/sys/fs/cgroup/unified/b/memory.max",
		},
		"nonsense": {
			files: map[string]string{
				"proc/self/cgroup":         "\n0\n0:\n0::../../etc\n0::/\n",
				"sys/fs/cgroup/memory.max": "-5\n",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{}
			for file, text := range test.files {
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
			if n, file := MemoryLimit(root); n != test.want || file != test.file {
				t.Errorf("%d by %q, want %d by %q", n, file, test.want, test.file)
			}
		})
	}
}
