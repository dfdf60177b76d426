package arenapb_test

import (
	"slices"

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
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/lazypb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oddlazypb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oddopaquepb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oddpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oldpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/setpb"
)

// kinds are messages of all kinds that this package must decode itself.
var kinds = []proto.Message{
	(*openpb.Scalars)(nil), (*openpb.Optional)(nil), (*openpb.Lists)(nil), (*openpb.Choice)(nil), (*openpb.Maps)(nil),
	(*oldpb.Required)(nil), (*oldpb.Holder)(nil), (*oldpb.Groups)(nil), (*oldpb.Extended)(nil),
	(*featurespb.Mixed)(nil), (*featureshybridpb.Mixed)(nil), (*featuresopaquepb.Mixed)(nil),
	(*allopenpb.All)(nil), (*allhybridpb.All)(nil), (*allopaquepb.All)(nil), (*allopaquepb.Empty)(nil),
	(*descriptorpb.FileDescriptorSet)(nil), (*structpb.Struct)(nil), (*anypb.Any)(nil), (*apipb.Api)(nil), (*typepb.Type)(nil),
	(*wrapperspb.DoubleValue)(nil), (*gofeaturespb.GoFeatures)(nil), (*openpb.Far)(nil),
	(*oldpb.Many)(nil), (*oldpb.Both)(nil), (*oldpb.Wide)(nil),
	(*oddpb.Ones)(nil), (*oddpb.Strict)(nil), (*oddpb.CycleA)(nil), (*oddpb.CycleB)(nil),
	(*oddopaquepb.Ones)(nil), (*oddopaquepb.Strict)(nil), (*oddopaquepb.CycleA)(nil), (*oddopaquepb.CycleB)(nil),
}

// left are messages that package proto must decode, or that contain such messages.
var left = []proto.Message{
	(*lazypb.Lazy)(nil), (*lazypb.Outer)(nil),
	(*oddlazypb.Lazy)(nil), (*oddlazypb.Part)(nil), (*oddlazypb.Around)(nil), (*oddlazypb.Strict)(nil),
	(*setpb.Set)(nil), (*setpb.Item)(nil), (*setpb.Sets)(nil),
}

var both = slices.Concat(kinds, left)
