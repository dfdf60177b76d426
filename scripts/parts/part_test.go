package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What go test -json, ctest and our scripts print, and what is to be counted of it.
// A number that is wrong here is wrong in the last line of each run.
func TestCounts(t *testing.T) {
	for name, c := range map[string]struct {
		printed, want, failures, missing string
	}{
		"tests of Go": {
			`{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- PASS: TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Test":"TestC/one"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"fail","Package":"p"}
`, "1 passed, 2 failed, 1 skipped", "p TestC/one, p TestC", ""},
		"a package without tests": {`{"Action":"skip","Package":"p"}`, "0 passed, 0 failed, 0 skipped", "", ""},
		"a package that fails outside of its tests": {
			`{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`, "1 passed, 1 failed, 0 skipped", "p", ""},
		"a package that can't be built": {
			`{"ImportPath":"p [p.test]","Action":"build-output","Output":"./p.go:1:1: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`, "0 passed, 1 failed, 0 skipped", "p [p.test]", ""},
		"a test that lacks something": {
			`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: SKIPPED: no PostgreSQL\n"}
{"Action":"skip","Package":"p","Test":"TestA"}`, "0 passed, 0 failed, 1 skipped", "", "no PostgreSQL"},
		"GoogleTest's and CTest's": {
			`12: [ RUN      ] Arena.Grows
12: [       OK ] Arena.Grows (3 ms)
12: [  SKIPPED ] Arena.Zones (0 ms)
12: [  FAILED  ] All/Arena.Marks/1, where GetParam() = 2 (0 ms)
12: [  PASSED  ] 1 test.
12: [  SKIPPED ] 1 test, listed below:
12: [  SKIPPED ] Arena.Zones
12: [  FAILED  ] 1 test, listed below:
12: [  FAILED  ] All/Arena.Marks/1, where GetParam() = 2
 1/4 Test #12: tests ............................***Failed    1.92 sec
      Start  2: consumer
 2/4 Test  #2: consumer .........................   Passed    2.34 sec
 3/4 Test  #3: fetch ............................***Exception: SegFault  0.10 sec
 4/4 Test  #4: anywhere .........................***Skipped   0.10 sec
50% tests passed, 2 tests failed out of 4
`, "2 passed, 2 failed, 2 skipped", "All/Arena.Marks/1, fetch", ""},
		"a script that lacks something": {"SKIPPED: no doxygen\nand so on\n", "0 passed, 0 failed, 1 skipped", "", "no doxygen"},
	} {
		log, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		p := &part{name: "part", log: log}
		p.read(strings.NewReader(c.printed))
		log.Close()
		if got := p.counts.String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if got := strings.Join(p.failures, ", "); got != c.failures {
			t.Errorf("%s: failed: %q, want %q", name, got, c.failures)
		}
		if got := strings.Join(p.missing, ", "); got != c.missing {
			t.Errorf("%s: missing: %q, want %q", name, got, c.missing)
		}
	}
}

// With EBBPOOL_REQUIRE=1 nothing may be left out.
func TestRequire(t *testing.T) {
	require = true
	defer func() { require = false }()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p := &part{name: "part", log: log}
	p.read(strings.NewReader("SKIPPED: no doxygen\n" + `{"Action":"skip","Package":"p","Test":"TestOfOtherBuilds"}`))
	if got, want := p.counts.String(), "0 passed, 1 failed, 1 skipped"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A part that fails without a test that does is a failure, and one that prints nothing
// and succeeds is one check. What was printed is kept.
func TestRun(t *testing.T) {
	root := t.TempDir()
	fake := filepath.Join(root, "make")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho \"it is $3\"\n[ $3 = good ]\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"good": "1 passed, 0 failed, 0 skipped", "bad": "0 passed, 1 failed, 0 skipped"} {
		p := &part{name: name}
		p.run(t.Context(), root, fake, time.Minute)
		if got := p.counts.String(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if name == "bad" && !strings.Contains(p.report.String(), "it is bad") {
			t.Errorf("the report lacks what was printed: %q", p.report.String())
		}
		if log, err := os.ReadFile(filepath.Join(root, "_build/test", name+".log")); string(log) != "it is "+name+"\n" {
			t.Errorf("the log of %s is %q, %v", name, log, err)
		}
	}
}

// A part that does not end is a failure like another, and the others are counted: else
// whoever runs all of them waits, and learns nothing.
func TestLimit(t *testing.T) {
	root := t.TempDir()
	fake := filepath.Join(root, "make")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho begun\nsleep 600 & wait\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &part{name: "endless"}
	p.run(t.Context(), root, fake, 200*time.Millisecond)
	if got, want := p.counts.String(), "0 passed, 1 failed, 0 skipped"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if report := p.report.String(); !strings.Contains(report, "killed after 200ms") || !strings.Contains(report, "begun") {
		t.Errorf("the report does not say why: %q", report)
	}
}
