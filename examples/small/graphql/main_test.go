package main

func Example() {
	main()
	// Output:
	// me
	//   name
	//   friends count=2 by="age" as first
	//     name
	//     born
	//       year
	// version
	// error: want a name or a value before ""
	// error: want : before "5) { name } "
	// error: nested too deeply before "{ a"
}
