package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"coxswain.dev/compat/eventually"
)

// node is the only node of the cluster, which runs containers.
type node struct {
	name string
	// manifests is the directory of its static pods.
	manifests string
	// image has a shell and the commands of busybox, and needs no pull.
	image string
}

// checksOf returns the checks of a node and its pods.
func checksOf(n node) []check {
	with := func(run func(ctx context.Context, c *cluster, n node) error) func(context.Context, *cluster) error {
		return func(ctx context.Context, c *cluster) error { return run(ctx, c, n) }
	}
	return []check{
		{"a kubelet gets its certificate with a bootstrap token", with(nodeJoins)},
		{"its node becomes ready", with(nodeBecomesReady)},
		{"its serving certificate is used once it is approved", with(servingCertificateIsUsed)},
		{"its lease is renewed", with(leaseIsRenewed)},
		{"a Deployment is rolled out and its pods run", with(deploymentRuns)},
		{"logs are read and followed", with(logsAreRead)},
		{"commands run in containers, by WebSocket and SPDY", with(commandsRun)},
		{"readiness follows its probe, and a failing liveness probe restarts the container", with(probesDecide)},
		{"a volume follows its ConfigMap", with(volumeFollows)},
		{"a pod with its token can call the API", with(tokenIsMounted)},
		{"a pod is deleted when its containers have ended by themselves", with(podEndsGracefully)},
		{"a static pod has a mirror pod", with(staticPodIsMirrored)},
	}
}

// requestsOf returns the node's requests for certificates of a signer.
func (c *cluster) requestsOf(ctx context.Context, signer string) ([]certificatesv1.CertificateSigningRequest, error) {
	list, err := c.protobuf.CertificatesV1().CertificateSigningRequests().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(each certificatesv1.CertificateSigningRequest) bool {
		return each.Spec.SignerName != signer
	}), nil
}

func nodeJoins(ctx context.Context, c *cluster, n node) error {
	return eventually.NoError(ctx, func() error {
		requests, err := c.requestsOf(ctx, certificatesv1.KubeAPIServerClientKubeletSignerName)
		if err != nil {
			return err
		}
		for _, request := range requests {
			if !strings.HasPrefix(request.Spec.Username, "system:bootstrap:") || len(request.Status.Certificate) == 0 {
				continue
			}
			block, _ := pem.Decode(request.Status.Certificate)
			if block == nil {
				return fmt.Errorf("the issued certificate is not PEM: %s", request.Status.Certificate)
			}
			issued, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return err
			}
			if issued.Subject.CommonName != "system:node:"+n.name || !slices.Equal(issued.Subject.Organization, []string{"system:nodes"}) {
				return fmt.Errorf("the certificate is that of %s", issued.Subject)
			}
			return nil
		}
		return fmt.Errorf("none of %d requests was made with a bootstrap token and has a certificate", len(requests))
	})
}

func nodeBecomesReady(ctx context.Context, c *cluster, n node) error {
	return eventually.NoError(ctx, func() error {
		found, err := c.protobuf.CoreV1().Nodes().Get(ctx, n.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, condition := range found.Status.Conditions {
			wanted := corev1.ConditionFalse
			if condition.Type == corev1.NodeReady {
				wanted = corev1.ConditionTrue
			}
			if condition.Status != wanted {
				return fmt.Errorf("%s is %s: %s", condition.Type, condition.Status, condition.Message)
			}
		}
		if len(found.Spec.Taints) > 0 {
			return fmt.Errorf("it has the taints %v", found.Spec.Taints)
		}
		info := found.Status.NodeInfo
		switch {
		case len(found.Status.Conditions) < 4:
			return fmt.Errorf("it has only the conditions %v", found.Status.Conditions)
		case info.KubeletVersion == "" || !strings.HasPrefix(info.ContainerRuntimeVersion, "containerd://"):
			return fmt.Errorf("its versions are %q and %q", info.KubeletVersion, info.ContainerRuntimeVersion)
		case found.Status.Allocatable.Cpu().IsZero() || found.Status.Allocatable.Pods().IsZero():
			return fmt.Errorf("it can allocate %v", found.Status.Allocatable)
		}
		return nil
	})
}

// servingCertificateIsUsed approves the node's request, as an administrator does, and connects to the kubelet.
func servingCertificateIsUsed(ctx context.Context, c *cluster, n node) error {
	return eventually.NoError(ctx, func() error {
		requests, err := c.requestsOf(ctx, certificatesv1.KubeletServingSignerName)
		if err != nil {
			return err
		}
		for _, request := range requests {
			if len(request.Status.Conditions) > 0 {
				continue
			}
			if request.Spec.Username != "system:node:"+n.name {
				return fmt.Errorf("%s requests a serving certificate", request.Spec.Username)
			}
			request.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{
				Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Judged", Message: "by the judge",
			}}
			api := c.protobuf.CertificatesV1().CertificateSigningRequests()
			if _, err := api.UpdateApproval(ctx, request.Name, &request, metav1.UpdateOptions{}); err != nil {
				return err
			}
		}
		address, err := c.kubeletAddress(ctx, n)
		if err != nil {
			return err
		}
		connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return err
		}
		defer connection.Close()
		if subject := connection.ConnectionState().PeerCertificates[0].Subject; subject.CommonName != "system:node:"+n.name {
			return fmt.Errorf("of %d requests none is used: the kubelet serves with the certificate of %s", len(requests), subject)
		}
		return nil
	})
}

func (c *cluster) kubeletAddress(ctx context.Context, n node) (string, error) {
	found, err := c.protobuf.CoreV1().Nodes().Get(ctx, n.name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	for _, address := range found.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			port := int(found.Status.DaemonEndpoints.KubeletEndpoint.Port)
			return net.JoinHostPort(address.Address, strconv.Itoa(port)), nil
		}
	}
	return "", fmt.Errorf("the node has the addresses %v", found.Status.Addresses)
}

func leaseIsRenewed(ctx context.Context, c *cluster, n node) error {
	var first time.Time
	return eventually.NoError(ctx, func() error {
		lease, err := c.protobuf.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(ctx, n.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != n.name || lease.Spec.RenewTime == nil {
			return fmt.Errorf("the lease is %v", lease.Spec)
		}
		if first.IsZero() {
			first = lease.Spec.RenewTime.Time
		}
		if !lease.Spec.RenewTime.After(first) {
			return fmt.Errorf("it was not renewed since %s", first)
		}
		if len(lease.OwnerReferences) != 1 || lease.OwnerReferences[0].Name != n.name {
			return fmt.Errorf("its owners are %v", lease.OwnerReferences)
		}
		return nil
	})
}

const staticManifest = `apiVersion: v1
kind: Pod
metadata:
  name: static
  namespace: default
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: %s
    imagePullPolicy: IfNotPresent
    command: [sleep, "1000000"]
`

func staticPodIsMirrored(ctx context.Context, c *cluster, n node) error {
	manifest := filepath.Join(n.manifests, "static.yaml")
	if err := os.WriteFile(manifest, fmt.Appendf(nil, staticManifest, n.image), 0o600); err != nil {
		return err
	}
	defer os.Remove(manifest)
	pods := c.protobuf.CoreV1().Pods("default")
	name := "static-" + n.name
	running := func(not types.UID) (types.UID, error) {
		var uid types.UID
		return uid, eventually.NoError(ctx, func() error {
			pod, err := pods.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if pod.Annotations[corev1.MirrorPodAnnotationKey] == "" || pod.UID == not || pod.Status.Phase != corev1.PodRunning {
				return fmt.Errorf("%s (%s) is %s, with the annotations %v", name, pod.UID, pod.Status.Phase, pod.Annotations)
			}
			uid = pod.UID
			return nil
		})
	}
	first, err := running("")
	if err != nil {
		return err
	}
	if err := pods.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := running(first); err != nil {
		return fmt.Errorf("after its deletion: %w", err)
	}
	if err := os.Remove(manifest); err != nil {
		return err
	}
	return eventually.NoError(ctx, func() error {
		_, err := pods.Get(ctx, name, metav1.GetOptions{})
		return gone("the mirror pod", err)
	})
}
