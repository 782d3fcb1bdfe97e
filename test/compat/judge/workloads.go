package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"coxswain.dev/compat/eventually"
)

func web(replicas int32, image string) *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					// The graceful termination of pods is not tested here.
					TerminationGracePeriodSeconds: ptr.To[int64](0),
					Containers: []corev1.Container{{
						Name: "web", Image: image, Ports: []corev1.ContainerPort{{ContainerPort: 8080}},
					}},
				},
			},
		},
	}
}

func (c *cluster) deploy(ctx context.Context, namespace string, replicas int32) error {
	_, err := c.protobuf.AppsV1().Deployments(namespace).Create(ctx, web(replicas, "web:1"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return c.rolledOut(ctx, namespace)
}

// rolledOut waits until the Deployment's status matches its spec and no pod of an older revision is left.
func (c *cluster) rolledOut(ctx context.Context, namespace string) error {
	return eventually.NoError(ctx, func() error {
		d, err := c.protobuf.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		want, s := *d.Spec.Replicas, d.Status
		if s.ObservedGeneration < d.Generation || s.Replicas != want || s.UpdatedReplicas != want || s.AvailableReplicas != want {
			return fmt.Errorf("of %d replicas %d exist, %d are updated, %d are available (conditions: %s)",
				want, s.Replicas, s.UpdatedReplicas, s.AvailableReplicas, reasons(s.Conditions))
		}
		return nil
	})
}

func (c *cluster) webPods(ctx context.Context, namespace string) ([]corev1.Pod, error) {
	list, err := c.protobuf.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func reasons(conditions []appsv1.DeploymentCondition) string {
	var all []string
	for _, each := range conditions {
		all = append(all, fmt.Sprintf("%s=%s %s", each.Type, each.Status, each.Reason))
	}
	return strings.Join(all, ", ")
}

func deploymentComesUp(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		if err := c.deploy(ctx, namespace, 3); err != nil {
			return err
		}
		pods, err := c.webPods(ctx, namespace)
		if err != nil {
			return err
		}
		if len(pods) != 3 {
			return fmt.Errorf("there are %d pods", len(pods))
		}
		for _, pod := range pods {
			owner := metav1.GetControllerOf(&pod)
			switch {
			case pod.Status.Phase != corev1.PodRunning:
				return fmt.Errorf("pod %s is %s", pod.Name, pod.Status.Phase)
			case pod.Spec.NodeName == "":
				return fmt.Errorf("pod %s has no node", pod.Name)
			case owner == nil || owner.Kind != "ReplicaSet":
				return fmt.Errorf("pod %s is owned by %v", pod.Name, owner)
			}
		}
		return nil
	})
}

func deploymentRolls(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		if err := c.deploy(ctx, namespace, 3); err != nil {
			return err
		}
		deployments := c.protobuf.AppsV1().Deployments(namespace)
		patch := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}}`)
		if _, err := deployments.Patch(ctx, "web", types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
		if err := c.rolledOut(ctx, namespace); err != nil {
			return fmt.Errorf("rolling update: %w", err)
		}
		pods, err := c.webPods(ctx, namespace)
		if err != nil {
			return err
		}
		for _, pod := range pods {
			if image := pod.Spec.Containers[0].Image; image != "web:2" {
				return fmt.Errorf("pod %s has image %s", pod.Name, image)
			}
		}
		scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		scale.Spec.Replicas = 1
		if _, err := deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil {
			return err
		}
		if err := c.rolledOut(ctx, namespace); err != nil {
			return fmt.Errorf("scaling: %w", err)
		}
		return nil
	})
}

func deploymentGoes(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		if err := c.deploy(ctx, namespace, 2); err != nil {
			return err
		}
		deployments := c.protobuf.AppsV1().Deployments(namespace)
		foreground := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}
		if err := deployments.Delete(ctx, "web", foreground); err != nil {
			return err
		}
		if err := eventually.NoError(ctx, func() error {
			_, err := deployments.Get(ctx, "web", metav1.GetOptions{})
			return gone("the Deployment", err)
		}); err != nil {
			return err
		}
		// With foreground deletion, dependents are deleted first.
		sets, err := c.protobuf.AppsV1().ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
		if err != nil || len(sets.Items) > 0 {
			return fmt.Errorf("there are still ReplicaSets after the Deployment has gone (%v)", err)
		}
		pods, err := c.webPods(ctx, namespace)
		if err != nil || len(pods) > 0 {
			return fmt.Errorf("there are still pods after the Deployment has gone (%v)", err)
		}
		return nil
	})
}

func serviceHasEndpoints(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		service := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec: corev1.ServiceSpec{
				Selector: map[string]string{"app": "web"},
				Ports:    []corev1.ServicePort{{Port: 80}},
			},
		}
		made, err := c.protobuf.CoreV1().Services(namespace).Create(ctx, service, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if made.Spec.ClusterIP == "" {
			return fmt.Errorf("the Service has no address")
		}
		if err := c.deploy(ctx, namespace, 2); err != nil {
			return err
		}
		selector := metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=web"}
		return eventually.NoError(ctx, func() error {
			list, err := c.protobuf.DiscoveryV1().EndpointSlices(namespace).List(ctx, selector)
			if err != nil {
				return err
			}
			ready := 0
			for _, slice := range list.Items {
				for _, endpoint := range slice.Endpoints {
					if ptr.Deref(endpoint.Conditions.Ready, false) && len(endpoint.Addresses) == 1 {
						ready++
					}
				}
			}
			if ready != 2 {
				return fmt.Errorf("of 2 endpoints %d are ready", ready)
			}
			return nil
		})
	})
}

// jobsComplete runs many Jobs concurrently, to detect confusion between them.
func jobsComplete(ctx context.Context, c *cluster) error {
	const jobs, completions = 20, 2
	return c.inNamespace(ctx, func(namespace string) error {
		client := c.protobuf.BatchV1().Jobs(namespace)
		for i := range jobs {
			job := &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("sum-%d", i)},
				Spec: batchv1.JobSpec{
					Completions: ptr.To[int32](completions),
					Parallelism: ptr.To[int32](completions),
					Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
						RestartPolicy: corev1.RestartPolicyNever,
						Containers:    []corev1.Container{{Name: "sum", Image: "sum:1"}},
					}},
				},
			}
			if _, err := client.Create(ctx, job, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		if err := eventually.NoError(ctx, func() error {
			list, err := client.List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, job := range list.Items {
				if !isComplete(job) {
					return fmt.Errorf("%s is not complete: of %d pods %d are active and %d have succeeded",
						job.Name, completions, job.Status.Active, job.Status.Succeeded)
				}
			}
			return nil
		}); err != nil {
			return err
		}
		pods, err := c.protobuf.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(pods.Items) != jobs*completions {
			return fmt.Errorf("there were %d pods instead of %d", len(pods.Items), jobs*completions)
		}
		return nil
	})
}

func isComplete(job batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(condition batchv1.JobCondition) bool {
		return condition.Type == batchv1.JobComplete && condition.Status == corev1.ConditionTrue
	})
}

func namespaceGoes(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		if err := c.deploy(ctx, namespace, 2); err != nil {
			return err
		}
		settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"a": "b"}}
		if _, err := c.protobuf.CoreV1().ConfigMaps(namespace).Create(ctx, settings, metav1.CreateOptions{}); err != nil {
			return err
		}
		return c.endNamespace(ctx, namespace)
	})
}

func (c *cluster) endNamespace(ctx context.Context, namespace string) error {
	namespaces := c.protobuf.CoreV1().Namespaces()
	if err := namespaces.Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return eventually.NoError(ctx, func() error {
		left, err := namespaces.Get(ctx, namespace, metav1.GetOptions{})
		if err == nil {
			for _, condition := range left.Status.Conditions {
				if condition.Status == corev1.ConditionTrue {
					return fmt.Errorf("the namespace is still there: %s", condition.Message)
				}
			}
		}
		return gone("the namespace", err)
	})
}
