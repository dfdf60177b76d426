// Package swiss is a hash table in memory that its caller brings, for
// arena.Map. It knows nothing of arenas.
//
// It is a Swiss table, as Abseil's flat_hash_map made it known (Benzaquen,
// Evlogimenos, Kulukundis, Perepelitsa, 2017), in groups of eight slots with a
// control word each, as cockroachdb/swiss and Go's own maps have them.
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
// The upper half of a key's hash says at which group its search begins; the top
// seven bits are its tag. All eight control bytes are compared with the tag at once,
// as one number, and only keys whose tag is the same are compared: one in
// 128 of the others. A group with an empty slot ends the search, since
// whatever comes after it would have been entered there. What is deleted leaves
// a mark for the searches that went on behind it, unless its group has an
// empty slot anyway. (hash.go says how keys are hashed, and why nobody can
// choose keys that collide.)
//
// Two things differ from those tables. An empty slot is a zero byte, so that
// zero memory is an empty table: an arena has much of that. And a table never
// splits (Go's has parts of at most 1,024 slots): it is made for what one
// request has, and its former groups stay with the arena until that is reset.
//
// # Changes during a walk
//
// A walk goes over the groups, in order, from a slot drawn by lot. Entries stay
// in their slots until the table moves to other groups, so a walk is right
// whatever is entered and deleted. If the table moves, the walk goes on over
// the former groups, which nobody changes any more, and looks up each key in
// the new ones: there it is, with its present value, or it was deleted.
//
// Former groups are cleared when the table moves, since they would keep alive
// what is deleted later. Groups that are walked are kept until the last walk that
// began in them ends; for that, walks are counted, atomically, because several
// goroutines may walk a table that none of them changes.
//
// # Growth
//
// A table asks for groups when seven of eight slots are full: four times as many up
// to 256 of them, since entering all anew is most of what growth costs, then twice as
// many; or as many as it has where deleted entries took the slots. Then the former
// groups are kept, empty, for the next time: entries that come and go in a map of
// constant size take two tables, however long they do so.
package swiss
