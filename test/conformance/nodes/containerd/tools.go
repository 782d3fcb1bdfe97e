//go:build tools

// Package containerd imports the programs of containerd that build.ts builds, so that `go mod tidy` keeps their
// dependencies. The module has no code of its own.
package containerd

import (
	_ "github.com/containerd/containerd/v2/cmd/containerd"
	_ "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"
	_ "github.com/containerd/containerd/v2/cmd/ctr"
)
