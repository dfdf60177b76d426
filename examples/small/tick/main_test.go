package main

func Example() {
	main()
	// Output:
	// tick  250: 38 ships, 99 shots, 212 sunk
	// tick  500: 38 ships, 104 shots, 462 sunk
	// tick  750: 36 ships, 92 shots, 714 sunk
	// tick 1000: 40 ships, 99 shots, 958 sunk
}
