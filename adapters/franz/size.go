package arenafranz

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	// Of a batch that does not state its size, as most of lz4 and of Java's zstd don't. It is doubled after a batch
	// that outgrew its memory, up to believedRatio.
	usualRatio = 4

	// A stated size is believed up to the larger of these, as arena.ReadAll does.
	believedSize  = 16 << 10
	believedRatio = 16
)

// decompressedSize returns the capacity with which the client decompresses src without allocating: an estimate, because
// most formats state sizes only optionally. It returns 0 if the heap must serve, because src states a size that is not
// believed. grown is how many batches outgrew an estimate.
func decompressedSize(src []byte, codec kgo.CompressionCodecType, grown uint32) int {
	believed := max(believedSize, believedRatio*uint64(len(src)))
	size := min(uint64(usualRatio)<<min(grown, 8), believedRatio) * uint64(len(src))
	extra := uint64(0)
	switch codec {
	case kgo.CodecGzip:
		if len(src) >= 4 {
			size = uint64(binary.LittleEndian.Uint32(src[len(src)-4:]))
		}
		extra = bytes.MinRead // the client reads until io.EOF into a bytes.Buffer
	case kgo.CodecLz4:
		extra = bytes.MinRead
	case kgo.CodecSnappy:
		size = snappySize(src)
	case kgo.CodecZstd:
		var h zstd.Header
		if h.Decode(src) == nil && h.HasFCS {
			size = h.FrameContentSize
		}
	}
	if size > believed || size+extra > math.MaxInt {
		return 0
	}
	return int(size + extra)
}

// xerial begins a batch that Java compressed with snappy: eight bytes of versions and blocks with their lengths follow.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

// snappySize returns the sum of the sizes that the blocks of src state.
func snappySize(src []byte) (size uint64) {
	if len(src) <= 16 || !bytes.HasPrefix(src, xerial) {
		size, _ = binary.Uvarint(src)
		return size
	}
	for src = src[16:]; len(src) >= 4; {
		n := uint64(binary.BigEndian.Uint32(src))
		src = src[4:]
		if n > uint64(len(src)) {
			break
		}
		block, _ := binary.Uvarint(src[:n])
		size += min(block, 1<<32) // no sum of a batch's blocks overflows
		src = src[n:]
	}
	return size
}
