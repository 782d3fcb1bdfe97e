module coxswain.dev/conformance/images

go 1.26.0
