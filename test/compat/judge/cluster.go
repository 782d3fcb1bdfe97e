package main

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"coxswain.dev/compat/eventually"
)

// cluster accesses a cluster through each of client-go's clients.
type cluster struct {
	config     *rest.Config
	protobuf   kubernetes.Interface
	json       kubernetes.Interface
	dynamic    dynamic.Interface
	extensions apiextensions.Interface
}

func connect(kubeconfig string) (*cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.UserAgent, config.QPS, config.Burst = "judge", 200, 400
	asProtobuf := *config
	asProtobuf.ContentType = runtime.ContentTypeProtobuf
	asProtobuf.AcceptContentTypes = runtime.ContentTypeProtobuf
	c := &cluster{config: config}
	if c.protobuf, err = kubernetes.NewForConfig(&asProtobuf); err != nil {
		return nil, err
	}
	if c.json, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	c.extensions, err = apiextensions.NewForConfig(config)
	return c, err
}

// inNamespace runs work in a new namespace, which is deleted afterwards without waiting for the end of
// the deletion.
func (c *cluster) inNamespace(ctx context.Context, work func(namespace string) error) error {
	made, err := c.protobuf.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "compat-"},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("creating a namespace: %w", err)
	}
	defer func() {
		cleanUp, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = c.protobuf.CoreV1().Namespaces().Delete(cleanUp, made.Name, metav1.DeleteOptions{})
	}()
	// Pods are refused until the default service account exists.
	if err := eventually.NoError(ctx, func() error {
		_, err := c.protobuf.CoreV1().ServiceAccounts(made.Name).Get(ctx, "default", metav1.GetOptions{})
		return err
	}); err != nil {
		return err
	}
	return work(made.Name)
}

// gone returns nil for a NotFound error, an error saying that the object still exists for nil, and any
// other error unchanged.
func gone(what string, err error) error {
	switch {
	case err == nil:
		return fmt.Errorf("%s is still there", what)
	case apierrors.IsNotFound(err):
		return nil
	default:
		return err
	}
}

// whoAmI returns the name of the user that the API server sees.
func whoAmI(ctx context.Context, config *rest.Config) (string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	review, err := client.AuthenticationV1().SelfSubjectReviews().
		Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return review.Status.UserInfo.Username, nil
}
