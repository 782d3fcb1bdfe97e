// Command judge looks at a cluster as programs that use client-go do, and says of each thing that it tried whether it
// worked: one JSON object a line.
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

// A check is one thing that users of client-go rely on. It cleans up after itself.
type check struct {
	step string
	run  func(ctx context.Context, c *cluster) error
}

var checks = []check{
	{"discovery tells what there is", discoveryTells},
	{"typed objects are the same in protobuf and JSON", protobufIsTheSame},
	{"server-side apply keeps to its owners", applyKeepsToOwners},
	{"a watch begins with all that is there", watchListIsWhole},
	{"informers follow, typed and dynamic", informersFollow},
	{"leaders follow each other", leadersFollow},
	{"a Deployment comes up", deploymentComesUp},
	{"a Deployment rolls over and is scaled", deploymentRolls},
	{"a Deployment goes with all it made", deploymentGoes},
	{"a Service has its endpoints", serviceHasEndpoints},
	{"Jobs complete", jobsComplete},
	{"a namespace goes with all in it", namespaceGoes},
	{"a CRD works: made, used, deleted", definitionWorks},
	{"objects of a CRD go with their namespace", customObjectsGo},
}

// What one check may take, on a machine that has much else to do.
const patience = 90 * time.Second

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster to judge")
	flag.Parse()
	// What client-go has to say for itself is for whoever looks into a failure, not for the table.
	klog.SetOutput(os.Stderr)
	c, err := connect(*kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
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
