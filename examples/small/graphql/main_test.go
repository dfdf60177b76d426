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
	// error: a name or a value is wanted before ""
	// error: a : is wanted before "5) { name } "
	// error: it is nested too deeply before "{ a"
}
