package main

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
	"k8s.io/utils/ptr"

	"coxswain.dev/compat/eventually"
)

func discoveryTells(_ context.Context, c *cluster) error {
	client := c.json.Discovery()
	version, err := client.ServerVersion()
	if err != nil {
		return err
	}
	if version.Major != "1" || version.Minor != "36" {
		return fmt.Errorf("the server is v%s.%s", version.Major, version.Minor)
	}
	if _, err := client.ServerPreferredResources(); err != nil {
		return fmt.Errorf("preferred resources: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	if err != nil {
		return err
	}
	if mapping.Resource != (schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}) {
		return fmt.Errorf("Deployment is mapped to %v", mapping.Resource)
	}
	if schema, err := client.OpenAPISchema(); err != nil || len(schema.GetDefinitions().GetAdditionalProperties()) < 500 {
		return fmt.Errorf("OpenAPI v2 as protobuf is incomplete (%v)", err)
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	core, isThere := paths["api/v1"]
	if !isThere {
		return fmt.Errorf("OpenAPI v3 has no api/v1")
	}
	_, err = core.Schema(runtime.ContentTypeJSON)
	return err
}

func protobufIsTheSame(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		made, err := c.protobuf.AppsV1().Deployments(namespace).Create(ctx, web(0, "web:1"), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		var contentType string
		answer := c.protobuf.CoreV1().RESTClient().Get().Resource("namespaces").Name(namespace).Do(ctx)
		if answer.ContentType(&contentType); !strings.HasPrefix(contentType, runtime.ContentTypeProtobuf) {
			return fmt.Errorf("a request for protobuf is answered with %q", contentType)
		}
		binary, err := c.protobuf.AppsV1().Deployments(namespace).Get(ctx, made.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		// Controllers change the object too, so versions are compared: the same version must be the same object.
		return eventually.NoError(ctx, func() error {
			text, err := c.json.AppsV1().Deployments(namespace).Get(ctx, made.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if text.ResourceVersion != binary.ResourceVersion {
				if binary, err = c.protobuf.AppsV1().Deployments(namespace).Get(ctx, made.Name, metav1.GetOptions{}); err != nil {
					return err
				}
				return fmt.Errorf("versions %s and %s", text.ResourceVersion, binary.ResourceVersion)
			}
			if !apiequality.Semantic.DeepEqual(text, binary) {
				return fmt.Errorf("%v in JSON is %v in protobuf", text, binary)
			}
			return nil
		})
	})
}

func applyKeepsToOwners(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		maps := c.json.CoreV1().ConfigMaps(namespace)
		config := func(data map[string]string) *corev1apply.ConfigMapApplyConfiguration {
			return corev1apply.ConfigMap("settings", namespace).WithData(data)
		}
		options := func(manager string, force bool) metav1.ApplyOptions {
			return metav1.ApplyOptions{FieldManager: manager, Force: force}
		}
		if _, err := maps.Apply(ctx, config(map[string]string{"color": "red", "size": "1"}), options("first", false)); err != nil {
			return err
		}
		_, err := maps.Apply(ctx, config(map[string]string{"color": "blue"}), options("second", false))
		if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "first": .data.color`) {
			return fmt.Errorf("applying another manager's field gives no conflict: %v", err)
		}
		if _, err := maps.Apply(ctx, config(map[string]string{"color": "blue"}), options("second", true)); err != nil {
			return err
		}
		// Fields that no manager applies any more are removed; fields of other managers stay.
		now, err := maps.Apply(ctx, config(map[string]string{}), options("first", false))
		if err != nil {
			return err
		}
		if len(now.Data) != 1 || now.Data["color"] != "blue" {
			return fmt.Errorf("the remaining data are %v", now.Data)
		}
		own, err := corev1apply.ExtractConfigMap(now, "second")
		if err != nil {
			return err
		}
		if own.Data["color"] != "blue" {
			return fmt.Errorf("the second manager owns %v", own.Data)
		}
		return nil
	})
}

func watchListIsWhole(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		secrets := c.protobuf.CoreV1().Secrets(namespace)
		for i := range 20 {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s-%d", i)}}
			if _, err := secrets.Create(ctx, secret, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		watching, err := secrets.Watch(ctx, metav1.ListOptions{
			SendInitialEvents:    ptr.To(true),
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			AllowWatchBookmarks:  true,
		})
		if err != nil {
			return err
		}
		defer watching.Stop()
		for seen := 0; ; {
			select {
			case <-ctx.Done():
				return fmt.Errorf("after %d objects there is no bookmark for the end of the initial events", seen)
			case event, open := <-watching.ResultChan():
				if !open {
					return fmt.Errorf("the watch ended after %d objects", seen)
				}
				secret, isSecret := event.Object.(*corev1.Secret)
				switch {
				case !isSecret:
					return fmt.Errorf("%s: %v", event.Type, event.Object)
				case event.Type == watch.Added:
					seen++
				case event.Type == watch.Bookmark && secret.Annotations[metav1.InitialEventsAnnotationKey] == "true":
					if seen != 20 {
						return fmt.Errorf("the initial events ended after %d of 20 objects", seen)
					}
					return nil
				}
			}
		}
	})
}
