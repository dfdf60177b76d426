package arenapb_test

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/apipb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/typepb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/allhybridpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/allopaquepb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/allopenpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/featureshybridpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/featuresopaquepb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/featurespb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oldpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
)

// kinds are messages of all kinds, none of which package proto may have to read.
var kinds = []proto.Message{
	(*openpb.Scalars)(nil), (*openpb.Optional)(nil), (*openpb.Lists)(nil), (*openpb.Choice)(nil), (*openpb.Maps)(nil),
	(*oldpb.Required)(nil), (*oldpb.Holder)(nil), (*oldpb.Groups)(nil), (*oldpb.Extended)(nil),
	(*featurespb.Mixed)(nil), (*featureshybridpb.Mixed)(nil), (*featuresopaquepb.Mixed)(nil),
	(*allopenpb.All)(nil), (*allhybridpb.All)(nil), (*allopaquepb.All)(nil), (*allopaquepb.Empty)(nil),
	(*descriptorpb.FileDescriptorSet)(nil), (*structpb.Struct)(nil), (*anypb.Any)(nil), (*apipb.Api)(nil), (*typepb.Type)(nil),
	(*wrapperspb.DoubleValue)(nil), (*gofeaturespb.GoFeatures)(nil), (*openpb.Far)(nil),
}
