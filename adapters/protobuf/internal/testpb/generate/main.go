// Command generate writes the Go packages of the test protos beside it, with the
// protoc-gen-go that its go.mod names. all.proto becomes one package for each of the
// three APIs of generated messages.
package main

import (
	"bytes"
	"context"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const prefix = "github.com/ebbpool/arena/adapters/protobuf/internal/testpb/"

func main() {
	log.SetFlags(0)
	for _, api := range []string{"open", "hybrid", "opaque"} {
		for _, name := range []string{"open", "old", "features"} {
			if api == "open" {
				generate(read(name+".proto"), name+".proto", name, api)
			}
		}
		pkg := "all" + api
		generate(strings.ReplaceAll(read("all.proto"), "PKG", pkg), pkg+".proto", pkg, api)
	}
	for _, name := range []string{"lazy", "oddlazy"} {
		generate(read(name+".proto"), name+".proto", name, "opaque")
	}
	for _, name := range []string{"bare", "set"} {
		generate(read(name+".proto"), name+".proto", name, "open")
	}
	for pkg, api := range map[string]string{"odd": "open", "oddopaque": "opaque"} {
		generate(strings.ReplaceAll(read("odd.proto"), "PKG", pkg), pkg+".proto", pkg, api)
	}
	for _, api := range []string{"hybrid", "opaque"} {
		pkg := "features" + api
		generate(strings.NewReplacer("test.features", "test."+pkg, "featurespb", pkg+"pb").Replace(read("features.proto")), pkg+".proto", pkg, api)
	}
}

func read(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return string(b)
}

func generate(source, name, pkg, api string) {
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{name: source}),
	})}
	files, err := c.Compile(context.Background(), name)
	if err != nil {
		log.Fatal(err)
	}
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{name},
		Parameter:      proto.String("default_api_level=API_" + strings.ToUpper(api) + ",module=" + strings.TrimSuffix(prefix, "/")),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(files[0])},
	})
	if err != nil {
		log.Fatal(err)
	}
	run := exec.Command("go", "run", "-C", "generate", "-tags", "protolegacy", "google.golang.org/protobuf/cmd/protoc-gen-go")
	run.Stdin, run.Stderr = bytes.NewReader(request), os.Stderr
	out, err := run.Output()
	if err != nil {
		log.Fatal(err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &response); err != nil {
		log.Fatal(err)
	}
	if response.Error != nil {
		log.Fatal(*response.Error)
	}
	for _, f := range response.File {
		if err := os.MkdirAll(filepath.Dir(f.GetName()), 0o777); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(f.GetName(), []byte(f.GetContent()), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}
