// Command judge checks a cluster with client-go and prints a verdict for each check: one JSON object per line.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/klog/v2"
)

// check tests one feature that users of client-go rely on. It cleans up after itself.
type check struct {
	step string
	run  func(ctx context.Context, c *cluster) error
}

var checks = []check{
	{"discovery lists all resources", discoveryTells},
	{"typed objects are the same in protobuf and JSON", protobufIsTheSame},
	{"server-side apply respects field owners", applyKeepsToOwners},
	{"a watch can begin with all existing objects", watchListIsWhole},
	{"typed and dynamic informers receive changes", informersFollow},
	{"leader election passes leadership on", leadersFollow},
	{"a Deployment becomes available", deploymentComesUp},
	{"a Deployment is rolled out and scaled", deploymentRolls},
	{"a Deployment is deleted with its dependents", deploymentGoes},
	{"a Service has its endpoints", serviceHasEndpoints},
	{"Jobs complete", jobsComplete},
	{"a namespace is deleted with its contents", namespaceGoes},
	{"a CRD can be created, used and deleted", definitionWorks},
	{"custom resources are deleted with their namespace", customObjectsGo},
}

// patience is the timeout of one check, on a busy machine.
const patience = 90 * time.Second

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the kubeconfig of the cluster to check")
	var n node
	flag.StringVar(&n.name, "node", "", "check this node, which runs containers, instead of the cluster")
	flag.StringVar(&n.manifests, "manifests", "", "the directory of the node's static pods")
	flag.StringVar(&n.image, "image", "", "an image with busybox that the node has")
	flag.Parse()
	// client-go's log goes to stderr, for the investigation of failures.
	klog.SetOutput(os.Stderr)
	c, err := connect(*kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if n.name != "" {
		checks = checksOf(n)
	}
	for _, each := range checks {
		report(each.step, each.within(patience, c))
	}
}

func (c check) within(limit time.Duration, cluster *cluster) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return c.run(ctx, cluster)
}

func report(step string, err error) {
	verdict := map[string]any{"step": step, "ok": err == nil}
	if err != nil {
		verdict["why"] = err.Error()
	}
	line, _ := json.Marshal(verdict)
	fmt.Println(string(line))
}
