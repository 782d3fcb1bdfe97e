package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
	"k8s.io/utils/ptr"

	"coxswain.dev/compat/eventually"
)

const mainContainer = "main"

// podOf returns a pod with a container that runs a script.
func podOf(n node, name, script string, change func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: ptr.To[int64](1),
			Containers: []corev1.Container{{
				Name:            mainContainer,
				Image:           n.image,
				ImagePullPolicy: corev1.PullIfNotPresent,
				Command:         []string{"/bin/sh", "-c", script},
			}},
		},
	}
	if change != nil {
		change(pod)
	}
	return pod
}

// runPod creates a pod and waits until it meets the condition, which returns an error until then.
func (c *cluster) runPod(ctx context.Context, namespace string, pod *corev1.Pod, met func(*corev1.Pod) error) error {
	if _, err := c.protobuf.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	return c.untilPod(ctx, namespace, pod.Name, met)
}

func (c *cluster) untilPod(ctx context.Context, namespace, name string, met func(*corev1.Pod) error) error {
	return eventually.NoError(ctx, func() error {
		pod, err := c.protobuf.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := met(pod); err != nil {
			return fmt.Errorf("%w (%s: %v)", err, pod.Status.Phase, pod.Status.ContainerStatuses)
		}
		return nil
	})
}

func isReady(pod *corev1.Pod) error {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("pod %s is not ready", pod.Name)
}

func deploymentRuns(ctx context.Context, c *cluster, n node) error {
	return c.inNamespace(ctx, func(namespace string) error {
		deployments := c.protobuf.AppsV1().Deployments(namespace)
		deployment := web(2, n.image)
		pod := podOf(n, "", "exec sleep 1000000", nil).Spec
		deployment.Spec.Template.Spec = pod
		if _, err := deployments.Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := c.rolledOut(ctx, namespace); err != nil {
			return err
		}
		patch := []byte(`{"spec":{"template":{"metadata":{"annotations":{"version":"2"}}}}}`)
		if _, err := deployments.Patch(ctx, "web", types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
		if err := c.rolledOut(ctx, namespace); err != nil {
			return fmt.Errorf("rolling update: %w", err)
		}
		return eventually.NoError(ctx, func() error {
			pods, err := c.webPods(ctx, namespace)
			if err != nil {
				return err
			}
			if len(pods) != 2 {
				return fmt.Errorf("there are %d pods", len(pods))
			}
			for _, pod := range pods {
				status := pod.Status
				switch {
				case pod.Spec.NodeName != n.name || pod.Annotations["version"] != "2":
					return fmt.Errorf("pod %s is on %q, with the annotations %v", pod.Name, pod.Spec.NodeName, pod.Annotations)
				case status.PodIP == "" || status.HostIP == "" || status.StartTime == nil:
					return fmt.Errorf("pod %s has the addresses %q and %q", pod.Name, status.PodIP, status.HostIP)
				case len(status.ContainerStatuses) != 1 || !strings.HasPrefix(status.ContainerStatuses[0].ContainerID, "containerd://"):
					return fmt.Errorf("pod %s has the containers %v", pod.Name, status.ContainerStatuses)
				}
			}
			return nil
		})
	})
}

func logsAreRead(ctx context.Context, c *cluster, n node) error {
	return c.inNamespace(ctx, func(namespace string) error {
		script := "echo one; echo two >&2; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo three; exec sleep 1000000"
		if err := c.runPod(ctx, namespace, podOf(n, "talk", script, nil), isReady); err != nil {
			return err
		}
		pods := c.protobuf.CoreV1().Pods(namespace)
		if err := eventually.NoError(ctx, func() error {
			text, err := pods.GetLogs("talk", &corev1.PodLogOptions{}).DoRaw(ctx)
			if err != nil || string(text) != "one\ntwo\n" {
				return fmt.Errorf("the log is %q (%v)", text, err)
			}
			return nil
		}); err != nil {
			return err
		}
		last, err := pods.GetLogs("talk", &corev1.PodLogOptions{TailLines: ptr.To[int64](1), Timestamps: true}).DoRaw(ctx)
		stamp, text, _ := strings.Cut(string(last), " ")
		if err != nil || text != "two\n" {
			return fmt.Errorf("the last line is %q (%v)", last, err)
		}
		if _, err := time.Parse(time.RFC3339Nano, stamp); err != nil {
			return err
		}
		followed, err := pods.GetLogs("talk", &corev1.PodLogOptions{Follow: true}).Stream(ctx)
		if err != nil {
			return err
		}
		defer followed.Close()
		if _, err := c.exec(ctx, namespace, "talk", nil, webSocket, "touch", "/tmp/go"); err != nil {
			return err
		}
		lines := bufio.NewScanner(followed)
		for _, wanted := range []string{"one", "two", "three"} {
			if !lines.Scan() || lines.Text() != wanted {
				return fmt.Errorf("the followed log has %q instead of %q (%v)", lines.Text(), wanted, lines.Err())
			}
		}
		return nil
	})
}

// transport is how a command is run in a container.
type transport func(config *rest.Config, request *rest.Request) (remotecommand.Executor, error)

func webSocket(config *rest.Config, request *rest.Request) (remotecommand.Executor, error) {
	return remotecommand.NewWebSocketExecutor(config, "GET", request.URL().String())
}

func spdy(config *rest.Config, request *rest.Request) (remotecommand.Executor, error) {
	return remotecommand.NewSPDYExecutor(config, "POST", request.URL())
}

// exec runs a command and returns its output. Its error has the exit code.
func (c *cluster) exec(ctx context.Context, namespace, pod string, stdin io.Reader, by transport, command ...string) (string, error) {
	options := &corev1.PodExecOptions{
		Container: mainContainer, Command: command, Stdin: stdin != nil, Stdout: true, Stderr: true,
	}
	request := c.json.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("exec").
		VersionedParams(options, scheme.ParameterCodec)
	executor, err := by(c.config, request)
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	err = executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: stdin, Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		return stdout.String(), fmt.Errorf("%s: %w", stderr.String(), err)
	}
	return stdout.String(), nil
}

func commandsRun(ctx context.Context, c *cluster, n node) error {
	return c.inNamespace(ctx, func(namespace string) error {
		if err := c.runPod(ctx, namespace, podOf(n, "shell", "exec sleep 1000000", nil), isReady); err != nil {
			return err
		}
		for name, by := range map[string]transport{"WebSocket": webSocket, "SPDY": spdy} {
			out, err := c.exec(ctx, namespace, "shell", strings.NewReader("hello"), by, "sh", "-c", "cat; echo done")
			if err != nil || out != "hellodone\n" {
				return fmt.Errorf("by %s: %q (%v)", name, out, err)
			}
			_, err = c.exec(ctx, namespace, "shell", nil, by, "sh", "-c", "echo wrong >&2; exit 7")
			var exit exec.CodeExitError
			if !errors.As(err, &exit) || exit.Code != 7 || !strings.HasPrefix(err.Error(), "wrong\n") {
				return fmt.Errorf("by %s, exit code 7 is %v", name, err)
			}
		}
		return nil
	})
}

func probesDecide(ctx context.Context, c *cluster, n node) error {
	fileIsThere := func(file string) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:     corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"test", "-e", file}}},
			PeriodSeconds:    1,
			FailureThreshold: 2,
		}
	}
	return c.inNamespace(ctx, func(namespace string) error {
		pod := podOf(n, "probed", "touch /tmp/alive; exec sleep 1000000", func(pod *corev1.Pod) {
			container := &pod.Spec.Containers[0]
			container.ReadinessProbe = fileIsThere("/tmp/ready")
			container.LivenessProbe = fileIsThere("/tmp/alive")
		})
		if err := c.runPod(ctx, namespace, pod, func(pod *corev1.Pod) error {
			if pod.Status.Phase != corev1.PodRunning {
				return errors.New("it does not run")
			}
			return nil
		}); err != nil {
			return err
		}
		found, err := c.protobuf.CoreV1().Pods(namespace).Get(ctx, "probed", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if isReady(found) == nil {
			return errors.New("it is ready before its probe has passed")
		}
		if _, err := c.exec(ctx, namespace, "probed", nil, webSocket, "touch", "/tmp/ready"); err != nil {
			return err
		}
		if err := c.untilPod(ctx, namespace, "probed", isReady); err != nil {
			return err
		}
		if _, err := c.exec(ctx, namespace, "probed", nil, webSocket, "rm", "/tmp/alive"); err != nil {
			return err
		}
		return c.untilPod(ctx, namespace, "probed", func(pod *corev1.Pod) error {
			statuses := pod.Status.ContainerStatuses
			if len(statuses) != 1 || statuses[0].RestartCount != 1 || statuses[0].State.Running == nil {
				return errors.New("it was not restarted")
			}
			return nil
		})
	})
}

func volumeFollows(ctx context.Context, c *cluster, n node) error {
	return c.inNamespace(ctx, func(namespace string) error {
		maps := c.protobuf.CoreV1().ConfigMaps(namespace)
		settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"color": "red"}}
		settings, err := maps.Create(ctx, settings, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		pod := podOf(n, "reader", "exec sleep 1000000", func(pod *corev1.Pod) {
			source := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}}
			pod.Spec.Volumes = []corev1.Volume{{Name: "settings", VolumeSource: corev1.VolumeSource{ConfigMap: source}}}
			pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "settings", MountPath: "/settings"}}
		})
		if err := c.runPod(ctx, namespace, pod, isReady); err != nil {
			return err
		}
		has := func(color string) error {
			text, err := c.exec(ctx, namespace, "reader", nil, webSocket, "cat", "/settings/color")
			if err != nil || text != color {
				return fmt.Errorf("the file has %q instead of %q (%v)", text, color, err)
			}
			return nil
		}
		if err := has("red"); err != nil {
			return err
		}
		settings.Data["color"] = "blue"
		if _, err := maps.Update(ctx, settings, metav1.UpdateOptions{}); err != nil {
			return err
		}
		return eventually.NoError(ctx, func() error { return has("blue") })
	})
}

// tokenIsMounted compares the mounted token with what a review says of it.
func tokenIsMounted(ctx context.Context, c *cluster, n node) error {
	return c.inNamespace(ctx, func(namespace string) error {
		if err := c.runPod(ctx, namespace, podOf(n, "caller", "exec sleep 1000000", nil), isReady); err != nil {
			return err
		}
		directory := "/var/run/secrets/kubernetes.io/serviceaccount/"
		token, err := c.exec(ctx, namespace, "caller", nil, webSocket, "cat", directory+"token")
		if err != nil {
			return err
		}
		config := rest.AnonymousClientConfig(c.config)
		config.BearerToken = token
		user, err := whoAmI(ctx, config)
		if err != nil {
			return err
		}
		if wanted := "system:serviceaccount:" + namespace + ":default"; user != wanted {
			return fmt.Errorf("the token is that of %s, not of %s", user, wanted)
		}
		mounted, err := c.exec(ctx, namespace, "caller", nil, webSocket, "cat", directory+"namespace")
		if err != nil || mounted != namespace {
			return fmt.Errorf("the namespace is %q (%v)", mounted, err)
		}
		return nil
	})
}

func podEndsGracefully(ctx context.Context, c *cluster, n node) error {
	return c.inNamespace(ctx, func(namespace string) error {
		script := `trap 'echo ending > /dev/termination-log; sleep 2; exit 7' TERM; while true; do sleep 0.1; done`
		pod := podOf(n, "polite", script, func(pod *corev1.Pod) {
			pod.Spec.TerminationGracePeriodSeconds = ptr.To[int64](60)
		})
		if err := c.runPod(ctx, namespace, pod, isReady); err != nil {
			return err
		}
		pods := c.protobuf.CoreV1().Pods(namespace)
		watching, err := pods.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=polite"})
		if err != nil {
			return err
		}
		defer watching.Stop()
		begun := time.Now()
		if err := pods.Delete(ctx, "polite", metav1.DeleteOptions{}); err != nil {
			return err
		}
		for event := range watching.ResultChan() {
			last, isPod := event.Object.(*corev1.Pod)
			if !isPod {
				return fmt.Errorf("%s: %v", event.Type, event.Object)
			}
			if event.Type != "DELETED" {
				continue
			}
			elapsed := time.Since(begun)
			if elapsed < 2*time.Second || elapsed > 30*time.Second {
				return fmt.Errorf("it was deleted after %s", elapsed)
			}
			statuses := last.Status.ContainerStatuses
			if len(statuses) != 1 || statuses[0].State.Terminated == nil {
				return fmt.Errorf("its last containers are %v", statuses)
			}
			if ended := statuses[0].State.Terminated; ended.ExitCode != 7 || ended.Message != "ending\n" {
				return fmt.Errorf("it ended with %d and the message %q", ended.ExitCode, ended.Message)
			}
			return nil
		}
		return errors.New("the watch ended before the pod was deleted")
	})
}
