// Command generate writes OpenTelemetry's messages once more, for vtprotobuf, with its
// pools and its unsafe decoder: the packages in ../vt, which are not kept. They are those
// of go.opentelemetry.io/proto/otlp with another name, since vtprotobuf's methods have to
// be in the package of the messages.
package main

import (
	"bytes"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
)

const module = "github.com/ebbpool/arena/adapters/protobuf/bench"

func main() {
	log.SetFlags(0)
	var files []*descriptorpb.FileDescriptorProto
	var names []string
	options := []string{"module=" + module}
	features := append([]string{"features=unmarshal+unmarshal_unsafe+pool+size+marshal"}, options...)
	for _, f := range []protoreflect.FileDescriptor{
		commonpb.File_opentelemetry_proto_common_v1_common_proto, resourcepb.File_opentelemetry_proto_resource_v1_resource_proto,
		tracepb.File_opentelemetry_proto_trace_v1_trace_proto, logspb.File_opentelemetry_proto_logs_v1_logs_proto, metricspb.File_opentelemetry_proto_metrics_v1_metrics_proto,
		openpb.File_open_proto,
	} {
		d := protodesc.ToFileDescriptorProto(f)
		rename(d.ProtoReflect())
		pkg := module + "/vt/" + strings.Split(d.GetPackage(), ".")[2]
		d.Options.GoPackage = proto.String(pkg)
		files, names = append(files, d), append(names, d.GetName())
		pools(&features, pkg, "", d.MessageType)
	}
	run("google.golang.org/protobuf/cmd/protoc-gen-go", strings.Join(options, ","), names, files)
	run("github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto", strings.Join(features, ","), names, files)
}

// rename has all files and messages in m be of another package.
func rename(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		change := func(s string) protoreflect.Value {
			return protoreflect.ValueOfString(strings.NewReplacer("opentelemetry.proto", "opentelemetry.vtproto", "opentelemetry/proto", "opentelemetry/vtproto", "arenapb.test", "arenapb.vttest", "open.proto", "vtopen.proto").Replace(s))
		}
		switch {
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				rename(v.List().Get(i).Message())
			}
		case fd.IsList() && fd.Kind() == protoreflect.StringKind:
			for i := range v.List().Len() {
				v.List().Set(i, change(v.List().Get(i).String()))
			}
		case fd.IsList():
		case fd.Message() != nil:
			rename(v.Message())
		case fd.Kind() == protoreflect.StringKind:
			m.Set(fd, change(v.String()))
		}
		return true
	})
}

func pools(options *[]string, pkg, outer string, all []*descriptorpb.DescriptorProto) {
	for _, m := range all {
		*options = append(*options, "pool="+pkg+"."+outer+m.GetName())
		pools(options, pkg, outer+m.GetName()+"_", m.NestedType)
	}
}

func run(plugin, parameter string, names []string, files []*descriptorpb.FileDescriptorProto) {
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{FileToGenerate: names, Parameter: &parameter, ProtoFile: files})
	if err != nil {
		log.Fatal(err)
	}
	cmd := exec.Command("go", "run", plugin)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(request), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Fatal(err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &response); err != nil || response.Error != nil {
		log.Fatal(err, response.GetError())
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
