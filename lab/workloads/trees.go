package workloads

// tree builds a binary tree of the given depth and counts its nodes.
func tree(m Nodes, depth int, _ *Watch) uint64 {
	count := m.Tree(depth).Count()
	m.End()
	return count
}

// leastTreeDepth is the depth of the smallest trees.
const leastTreeDepth = 4

// trees is the public benchmark "binary trees" in one thread: a tree of depth+1; one of depth that stays to
// the end; and, for the depths 4, 6 and so on up to depth, as many trees as have about 16<<depth nodes, one
// after the other. Each is built from the root down, counted and dropped.
func trees(m Nodes, depth int, w *Watch) uint64 {
	sum := tree(m, depth+1, w)
	lasting := m.Apart()
	stays := lasting.Tree(depth)
	for d := leastTreeDepth; d <= depth; d += 2 {
		for range 1 << (depth - d + leastTreeDepth) {
			sum += tree(m, d, w)
		}
	}
	sum += stays.Count()
	lasting.End()
	return sum
}

// TreeNodes returns the total number of nodes of the trees for depth.
func TreeNodes(depth int) int {
	of := func(d int) int { return 2<<d - 1 }
	sum := of(depth+1) + of(depth)
	for d := leastTreeDepth; d <= depth; d += 2 {
		sum += of(d) << (depth - d + leastTreeDepth)
	}
	return sum
}

// Count returns the number of nodes of a tree whose nodes have two children or none.
func (n *Node) Count() uint64 {
	if n.Left == nil {
		return 1
	}
	return 1 + n.Left.Count() + n.Right.Count()
}
