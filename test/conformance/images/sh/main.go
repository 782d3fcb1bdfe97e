// Command sh is the shell of the busybox image. Debian's busybox drops environment variables whose names are not
// identifiers, and upstream's does not. So bash runs where there are such variables, and busybox everywhere else: tests
// compare its messages.
package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func main() {
	shell := "/bin/busybox"
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !identifier.MatchString(name) {
			shell = "/bin/bash"
		}
	}
	// Busybox is a shell because the first argument ends with sh.
	if err := syscall.Exec(shell, os.Args, os.Environ()); err != nil {
		fmt.Fprintf(os.Stderr, "sh: %s: %v\n", shell, err)
		os.Exit(127)
	}
}
