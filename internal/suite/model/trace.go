package model

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
)

// Kind is the operation of a line of a trace, spelled as in the file.
type Kind string

const (
	Alloc      Kind = "alloc"      // allocate; Slot is -1 if the pool is exhausted
	Free       Kind = "free"       // free a slot in use
	Null       Kind = "null"       // misuse: free the null pointer
	Foreign    Kind = "foreign"    // misuse: free an object that is not from a pool
	Other      Kind = "other"      // misuse: free a slot of another pool
	End        Kind = "end"        // misuse: free the address after the last slot
	Interior   Kind = "interior"   // misuse: free the middle of a slot
	Misaligned Kind = "misaligned" // misuse: free the second byte of a slot
	Double     Kind = "double"     // misuse: free a slot that is free again
	Never      Kind = "never"      // misuse: free a slot that was never used
)

// hasSlot reports whether lines of this kind name a slot.
func (k Kind) hasSlot() bool {
	switch k {
	case Alloc, Free, Interior, Misaligned, Double, Never:
		return true
	}
	return false
}

// Op is one line: an operation and the number of slots in use after it.
type Op struct {
	Kind Kind
	Slot int // if the kind has a slot
	Used int
}

func (o Op) String() string {
	slot := ""
	if o.Kind.hasSlot() {
		slot = strconv.Itoa(o.Slot) + " "
		if o.Slot < 0 {
			slot = "- "
		}
	}
	return string(o.Kind) + " " + slot + strconv.Itoa(o.Used)
}

// Trace is a sequence of calls on a new pool.
type Trace struct {
	Capacity int
	Ops      []Op
}

// header is the beginning of every trace file.
const header = `# ebbpool trace, version 1
# Calls on a new pool of fixed capacity, one a line, and what each must answer.
# Words are separated by one space; lines that begin with # say nothing.
# The last number of a call is how many slots are out after it.
#   capacity N         the first line: the pool has N slots, 0 to N-1
#   alloc S U          allocate answers slot S; - means that the pool is full
#   free S U           slot S, which is out, is given back
# Misuse. Each must be reported as the kind that is named, and change nothing:
#   null U             the null pointer is given back
#   foreign U          an object that no pool made is
#   other U            a slot that another pool of the same type has out is
#   end U              the address behind the last slot is
#   interior S U       the middle of slot S is (not for objects below 2 bytes)
#   misaligned S U     the second byte of slot S is (not for objects below 2 bytes)
#   double S U         slot S, which was out and is free, is
#   never S U          slot S, which was never out, is
# A reader may report other, end and foreign as one kind, and interior and
# misaligned as one.
`

// Text returns the trace in file format.
func (t Trace) Text() string {
	var b strings.Builder
	b.WriteString(header)
	fmt.Fprintf(&b, "capacity %d\n", t.Capacity)
	for _, o := range t.Ops {
		b.WriteString(o.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// ParseTrace parses a trace file.
func ParseTrace(text string) (Trace, error) {
	t := Trace{Capacity: -1}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		fail := func(what string) (Trace, error) {
			return Trace{}, fmt.Errorf("line %d, %q: %s", n, line, what)
		}
		words := strings.Split(line, " ")
		if t.Capacity < 0 {
			var err error
			if len(words) != 2 || words[0] != "capacity" {
				return fail("the first line must be capacity N")
			}
			if t.Capacity, err = strconv.Atoi(words[1]); err != nil || t.Capacity < 0 {
				return fail("not a capacity")
			}
			continue
		}
		o := Op{Kind: Kind(words[0]), Slot: -1}
		switch o.Kind {
		case Alloc, Free, Null, Foreign, Other, End, Interior, Misaligned, Double, Never:
		default:
			return fail("no such call")
		}
		numbers := words[1:]
		if want := 1; o.Kind.hasSlot() {
			if want = 2; len(numbers) != want {
				return fail("needs a slot and the number of slots out")
			}
			if numbers[0] != "-" {
				slot, err := strconv.Atoi(numbers[0])
				if err != nil || slot < 0 || slot >= t.Capacity {
					return fail("no such slot")
				}
				o.Slot = slot
			} else if o.Kind != Alloc {
				return fail("only alloc may have no slot")
			}
			numbers = numbers[1:]
		}
		if len(numbers) != 1 {
			return fail("needs the number of slots out")
		}
		used, err := strconv.Atoi(numbers[0])
		if err != nil || used < 0 || used > t.Capacity {
			return fail("not a number of slots")
		}
		o.Used = used
		t.Ops = append(t.Ops, o)
	}
	if err := lines.Err(); err != nil {
		return Trace{}, err
	}
	if t.Capacity < 0 {
		return Trace{}, fmt.Errorf("no line says the capacity")
	}
	return t, nil
}
