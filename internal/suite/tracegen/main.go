// Command tracegen writes the shared traces into the given directory.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/ebbpool/arena/internal/suite/model"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tracegen FOLDER")
		os.Exit(2)
	}
	files := model.Traces()
	maps.Copy(files, model.RegionTraces())
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "tracegen:", err)
			os.Exit(1)
		}
	}
}
