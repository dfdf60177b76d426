package life

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// textType is what a buffer has.
var textType = types.NewSlice(types.Typ[types.Byte])

// grows reports whether a call makes new memory for a buffer that it is a method of.
func grows(call ssa.CallInstruction) bool {
	g := call.Common().StaticCallee()
	return g != nil && catalog.CalleeName(g) == "bytes.Buffer.Write"
}

// grow is such a call: the buffers have what it makes.
func (f *function) grow(call ssa.CallInstruction, buffers *set) {
	k := key(textType)
	made := setOf(f.whole(f.made(site, call, k), k))
	for n := range buffers.all() {
		f.store(f.refs[n], "*", made, nil, Reason{"is kept by a buffer that outlives the root", call.Pos()})
	}
}
