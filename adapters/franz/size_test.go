package arenafranz

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Stated sizes are believed up to 16 KB, or 16 times the compressed size. Otherwise a batch gets 4 times its size, which
// doubles with each batch that needed more, up to 16 times.
func TestDecompressedSize(t *testing.T) {
	gzip := func(n int, size uint32) []byte {
		return binary.LittleEndian.AppendUint32(make([]byte, n-4), size)
	}
	snappy := func(n int, size uint64) []byte {
		return append(binary.AppendUvarint(nil, size), make([]byte, n)...)
	}
	java := func(sizes ...uint64) []byte {
		src := append(bytes.Clone(xerial), 0, 0, 0, 1, 0, 0, 0, 1)
		for _, size := range sizes {
			block := snappy(20, size)
			src = append(binary.BigEndian.AppendUint32(src, uint32(len(block))), block...)
		}
		return src
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	stated := encoder.EncodeAll(bytes.Repeat([]byte("text"), 1000), nil)
	var b bytes.Buffer
	encoder.Reset(&b)
	encoder.Write(make([]byte, 4000)) // of unknown size, because of the Flush
	encoder.Flush()
	encoder.Close()
	const lz4, gz, sn, zs = kgo.CodecLz4, kgo.CodecGzip, kgo.CodecSnappy, kgo.CodecZstd
	for name, test := range map[string]struct {
		src   []byte
		codec kgo.CompressionCodecType
		grown uint32
		want  int
	}{
		"lz4":                      {make([]byte, 100), lz4, 0, 400 + 512},
		"lz4, grown":               {make([]byte, 100), lz4, 1, 800 + 512},
		"lz4, grown twice":         {make([]byte, 100), lz4, 2, 1600 + 512},
		"lz4, grown often":         {make([]byte, 100), lz4, 1 << 31, 1600 + 512},
		"gzip":                     {gzip(100, 1000), gz, 0, 1000 + 512},
		"gzip of 4 bytes":          {gzip(4, 10), gz, 0, 10 + 512},
		"gzip of 3 bytes":          {make([]byte, 3), gz, 0, 12 + 512},
		"gzip, 16 KB":              {gzip(100, 16<<10), gz, 0, 16<<10 + 512},
		"gzip, more than 16 KB":    {gzip(100, 16<<10+1), gz, 0, 0},
		"gzip, 16 times":           {gzip(4096, 64<<10), gz, 0, 64<<10 + 512},
		"gzip, more than 16 times": {gzip(4096, 64<<10+1), gz, 0, 0},
		"gzip, 4 GB":               {gzip(100, 1<<32-1), gz, 0, 0},
		"snappy":                   {snappy(20, 1000), sn, 3, 1000},
		"snappy, 16 KB":            {snappy(20, 16<<10), sn, 0, 16 << 10},
		"snappy, more than 16 KB":  {snappy(20, 16<<10+1), sn, 0, 0},
		"snappy, empty":            {nil, sn, 0, 0},
		"Java's snappy":            {java(300, 400), sn, 0, 700},
		"Java's snappy, cut":       {java(300, 400)[:50], sn, 0, 300},
		"Java's snappy, cut early": {append(java(300), 0, 0, 0), sn, 0, 300},
		"Java's snappy, no block":  {append(java(), 0), sn, 0, 0},
		"Java's snappy, huge":      {java(1<<63, 1<<63, 5), sn, 0, 0},
		"zstd":                     {stated, zs, 3, 4000},
		"zstd, unknown":            {b.Bytes(), zs, 0, 4 * b.Len()},
		"zstd, broken":             {[]byte{1, 2, 3}, zs, 0, 12},
	} {
		if got := decompressedSize(test.src, test.codec, test.grown); got != test.want {
			t.Errorf("%s: %d bytes, want %d", name, got, test.want)
		}
	}
}
