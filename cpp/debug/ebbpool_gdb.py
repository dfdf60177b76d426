"""Pretty-printers for gdb: source this file, or add it to .gdbinit.

An arena is printed with its sizes. Its children are the chunks in use, newest first.
"""

import gdb
import gdb.printing


class Arena:
    def __init__(self, value):
        self.region = value["region_"]

    def to_string(self):
        r = self.region
        low = int(r["lo_"]) & ~7
        used = int(r["sunk_"]) + low - int(r["begin_"]) + int(r["end_"]) - int(r["hi_"]) - int(r["overhead_"])
        return "ebb::arena, %d bytes used of %d in %d chunks" % (used, int(r["held_"]), int(r["chunks_"]))

    def children(self):
        chunk, i = self.region["newest_"], 0
        while int(chunk) != 0:
            yield "[%d]" % i, "%d bytes at %#x" % (int(chunk["bytes"]), int(chunk))
            chunk, i = chunk["next"], i + 1


printers = gdb.printing.RegexpCollectionPrettyPrinter("ebbpool")
printers.add_printer("arena", r"^ebb::(\w+::)?basic_arena<.*>$", Arena)
gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)
