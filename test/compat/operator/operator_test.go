package operator

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	webhookserver "sigs.k8s.io/controller-runtime/pkg/webhook"

	"coxswain.dev/compat/eventually"
)

// patience is the timeout of one step, on a busy machine.
const patience = 60 * time.Second

// TestOperator is a sequence of steps: each one depends on those before it.
func TestOperator(t *testing.T) {
	log.SetLogger(zap.New(zap.UseDevMode(true)))
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	addToScheme(scheme)
	environment := &envtest.Environment{
		Scheme:                   scheme,
		CRDDirectoryPaths:        []string{"config/crd.yaml"},
		ErrorIfCRDPathMissing:    true,
		WebhookInstallOptions:    envtest.WebhookInstallOptions{Paths: []string{"config/webhooks.yaml"}},
		ControlPlaneStartTimeout: patience,
	}
	var (
		config *rest.Config
		c      client.Client
	)
	// An interrupt stops the servers.
	story, cancel := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(cancel)
	t.Cleanup(func() { _ = environment.Stop() })
	step := func(name string, run func(t *testing.T, ctx context.Context) error) {
		t.Helper()
		if !t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(story, patience)
			defer cancel()
			if err := run(t, ctx); err != nil {
				t.Fatal(err)
			}
		}) {
			t.FailNow()
		}
	}
	step("envtest starts, with a CRD and webhooks", func(*testing.T, context.Context) (err error) {
		config, err = environment.Start()
		return err
	})
	running, stop := context.WithCancel(story)
	ended := make(chan error, 1)
	t.Cleanup(stop)
	step("the manager's cache is in sync and its webhooks are served", func(_ *testing.T, ctx context.Context) error {
		options := &environment.WebhookInstallOptions
		manager, err := ctrl.NewManager(config, ctrl.Options{
			Scheme:                  scheme,
			Metrics:                 metricsserver.Options{BindAddress: "0"},
			LeaderElection:          true,
			LeaderElectionID:        "operator",
			LeaderElectionNamespace: "default",
			// The lease is released, so that a stop is fast.
			LeaderElectionReleaseOnCancel: true,
			WebhookServer: webhookserver.NewServer(webhookserver.Options{
				Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
			}),
		})
		if err != nil {
			return err
		}
		c = manager.GetClient()
		if err := (&controller{c}).setup(manager); err != nil {
			return err
		}
		if err := (webhook{}).setup(manager); err != nil {
			return err
		}
		go func() { ended <- manager.Start(running) }()
		if !manager.GetCache().WaitForCacheSync(ctx) {
			return fmt.Errorf("the cache is not in sync")
		}
		serving := manager.GetWebhookServer().StartedChecker()
		return eventually.NoError(ctx, func() error { return serving(nil) })
	})
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	named := func() *Website {
		return &Website{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "front"}}
	}
	step("a CRD works: webhooks and the schema set defaults and refuse objects", func(_ *testing.T, ctx context.Context) error {
		if err := c.Create(ctx, namespace); err != nil {
			return err
		}
		site := named()
		site.Spec.Image = "web:latest"
		if err := c.Create(ctx, site); err == nil || !strings.Contains(err.Error(),
			`admission webhook "validate.websites.compat.example.com" denied the request: web:latest is not a fixed version`) {
			return fmt.Errorf("an invalid image gives %v", err)
		}
		site.Spec.Image = ""
		if err := c.Create(ctx, site); !apierrors.IsInvalid(err) {
			return fmt.Errorf("a missing image gives %v", err)
		}
		site.Spec.Image = "web:1"
		if err := c.Create(ctx, site); err != nil {
			return err
		}
		if site.Spec.Replicas == nil || *site.Spec.Replicas != 2 {
			return fmt.Errorf("the webhook's default is not set: %v", site.Spec)
		}
		return nil
	})
	step("a Deployment is created for it, and its status is copied", func(_ *testing.T, ctx context.Context) error {
		var deployment appsv1.Deployment
		if err := eventually.NoError(ctx, func() error {
			return c.Get(ctx, client.ObjectKeyFromObject(named()), &deployment)
		}); err != nil {
			return err
		}
		if owner := metav1.GetControllerOf(&deployment); owner == nil || owner.Kind != "Website" || *deployment.Spec.Replicas != 2 {
			return fmt.Errorf("it is owned by %v and has %d replicas", owner, *deployment.Spec.Replicas)
		}
		// In envtest no controllers run: the test writes the status itself.
		deployment.Status = appsv1.DeploymentStatus{Replicas: 2, ReadyReplicas: 2}
		if err := c.Status().Update(ctx, &deployment); err != nil {
			return err
		}
		return eventually.NoError(ctx, func() error {
			site := named()
			if err := c.Get(ctx, client.ObjectKeyFromObject(site), site); err != nil {
				return err
			}
			if site.Status.ReadyReplicas != 2 {
				return fmt.Errorf("%d replicas are ready", site.Status.ReadyReplicas)
			}
			return nil
		})
	})
	step("an object with a finalizer is deleted when the finalizer is removed", func(_ *testing.T, ctx context.Context) error {
		site := named()
		if err := c.Delete(ctx, site); err != nil {
			return err
		}
		return eventually.NoError(ctx, func() error { return gone(c.Get(ctx, client.ObjectKeyFromObject(site), site)) })
	})
	step("a namespace is deleted when it is finalized", func(_ *testing.T, ctx context.Context) error {
		if err := c.Delete(ctx, namespace); err != nil {
			return err
		}
		if err := eventually.NoError(ctx, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(namespace), namespace); err != nil {
				return err
			}
			if namespace.Status.Phase != corev1.NamespaceTerminating {
				return fmt.Errorf("the namespace is %s", namespace.Status.Phase)
			}
			return nil
		}); err != nil {
			return err
		}
		// As with the original, envtest has no namespace controller: the test finalizes the namespace itself.
		namespace.Spec.Finalizers = nil
		if err := c.SubResource("finalize").Update(ctx, namespace); err != nil {
			return err
		}
		return eventually.NoError(ctx, func() error { return gone(c.Get(ctx, client.ObjectKeyFromObject(namespace), namespace)) })
	})
	step("the CRD is uninstalled", func(*testing.T, context.Context) error {
		return envtest.UninstallCRDs(config, environment.CRDInstallOptions)
	})
	step("manager and envtest stop", func(*testing.T, context.Context) error {
		stop()
		if err := <-ended; err != nil {
			return err
		}
		return environment.Stop()
	})
}

func gone(err error) error {
	if err == nil {
		return fmt.Errorf("it is still there")
	}
	return client.IgnoreNotFound(err)
}
