// Package swiss implements the hash table of arena.Map. The caller provides the memory.
//
// It is a Swiss table (Benzaquen, Evlogimenos, Kulukundis and Perepelitsa, Abseil, 2017) with groups of eight
// slots and a control word for each group, like cockroachdb/swiss and Go's builtin maps.
//
//	 table.groups, a power of two of them
//	+---------+---------+---------+---------+
//	| group 0 | group 1 | group 2 | group 3 |
//	+---------+----|----+---------+---------+
//	               v
//	 ctrl   7    6    5    4    3    2    1    0     slot
//	      +----+----+----+----+----+----+----+----+
//	      | 00 | 00 | c3 | 01 | 9f | 80 | e1 | a2 |  00 empty, 01 deleted,
//	      +----+----+----+----+----+----+----+----+  80 and above: full, and
//	 keys | k0 | k1 | k2 | k3 |    | k5 |    |    |  seven bits of the hash
//	      +----+----+----+----+----+----+----+----+
//	 vals | v0 | v1 | v2 | v3 |    | v5 |    |    |
//	      +----+----+----+----+----+----+----+----+
//
// The upper half of a key's hash selects the group at which its search begins. The top seven bits are its
// tag. A search compares the tag with all eight control bytes at once, as one number, and then compares only
// keys with that tag: 1 in 128 of the other keys. A group with an empty slot ends the search, because a later
// entry would have been stored there. Deleting an entry leaves a deletion mark, unless its group has an empty
// slot. See hash.go for how keys are hashed, and why a client cannot choose keys that collide.
//
// Two things differ from those tables. An empty slot has control byte zero, so zeroed memory is an empty
// table. And a table never splits (Go's maps consist of tables of at most 1,024 slots): it holds the data of
// one request, and the arena reclaims its former groups at the next reset.
//
// # Changes during a walk
//
// A walk visits the groups in order, from a random slot. Entries stay in their slots until the table moves to
// other groups, so entries can be added and deleted during a walk. If the table moves, the walk continues
// over the former groups, which no longer change, and looks up each key in the new groups. It skips keys that
// were deleted and yields current values.
//
// Former groups are cleared when the table moves, because they would keep deleted values reachable. If a walk
// began in them, they are cleared when the last such walk ends. The count of walks is atomic, because several
// goroutines may walk a table that does not change.
//
// # Growth
//
// A table must move when seven of eight slots are used. Up to 256 groups it grows fourfold, because
// reinserting entries is most of the cost of growth; above that it doubles. If deleted entries use most of
// the slots, it moves to the same number of groups and keeps the former ones for the next move. So a map of
// constant size uses two tables, no matter how many entries come and go.
package swiss
