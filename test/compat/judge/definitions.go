package main

import (
	"context"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"coxswain.dev/compat/eventually"
)

var boats = schema.GroupVersionResource{Group: "compat.example.com", Version: "v1", Resource: "boats"}

func boat(name string, oars int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": boats.GroupVersion().String(),
		"kind":       "Boat",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"oars": oars},
	}}
}

func boatDefinition() *apiextensionsv1.CustomResourceDefinition {
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	spec := object(map[string]apiextensionsv1.JSONSchemaProps{
		"oars":   {Type: "integer", Minimum: ptr.To(1.0)},
		"colour": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"white"`)}},
	})
	spec.XValidations = apiextensionsv1.ValidationRules{{Rule: "self.oars % 2 == 0", Message: "oars come in pairs"}}
	whole := object(map[string]apiextensionsv1.JSONSchemaProps{
		"spec":   spec,
		"status": object(map[string]apiextensionsv1.JSONSchemaProps{"afloat": {Type: "boolean"}}),
	})
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: boats.GroupResource().String()},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: boats.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "boats", Singular: "boat", Kind: "Boat", ListKind: "BoatList"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &whole},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}

// withBoats creates the definition, runs work, and checks that the definition can be deleted afterwards.
func (c *cluster) withBoats(ctx context.Context, work func(namespace string) error) error {
	definitions := c.extensions.ApiextensionsV1().CustomResourceDefinitions()
	if _, err := definitions.Create(ctx, boatDefinition(), metav1.CreateOptions{}); err != nil {
		return err
	}
	err := eventually.NoError(ctx, func() error {
		made, err := definitions.Get(ctx, boats.GroupResource().String(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, condition := range made.Status.Conditions {
			if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
				_, err := c.dynamic.Resource(boats).List(ctx, metav1.ListOptions{})
				return err
			}
		}
		return fmt.Errorf("the definition is not established: %v", made.Status.Conditions)
	})
	if err == nil {
		err = c.inNamespace(ctx, work)
	}
	if deleting := definitions.Delete(ctx, boats.GroupResource().String(), metav1.DeleteOptions{}); err == nil {
		err = deleting
	}
	if err != nil {
		return err
	}
	if err := eventually.NoError(ctx, func() error {
		_, err := definitions.Get(ctx, boats.GroupResource().String(), metav1.GetOptions{})
		return gone("the definition", err)
	}); err != nil {
		return err
	}
	return eventually.NoError(ctx, func() error {
		_, err := c.dynamic.Resource(boats).List(ctx, metav1.ListOptions{})
		return gone("the custom resource", err)
	})
}

func definitionWorks(ctx context.Context, c *cluster) error {
	return c.withBoats(ctx, func(namespace string) error {
		fleet := c.dynamic.Resource(boats).Namespace(namespace)
		made, err := fleet.Create(ctx, boat("skiff", 2), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if colour, _, _ := unstructured.NestedString(made.Object, "spec", "colour"); colour != "white" {
			return fmt.Errorf("the default is not set; the value is %q", colour)
		}
		if _, err := fleet.Create(ctx, boat("gig", 3), metav1.CreateOptions{}); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "oars come in pairs") {
			return fmt.Errorf("an object that violates a rule gives %v", err)
		}
		_ = unstructured.SetNestedField(made.Object, true, "status", "afloat")
		_ = unstructured.SetNestedField(made.Object, int64(8), "spec", "oars")
		made, err = fleet.UpdateStatus(ctx, made, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		afloat, _, _ := unstructured.NestedBool(made.Object, "status", "afloat")
		oars, _, _ := unstructured.NestedInt64(made.Object, "spec", "oars")
		if !afloat || oars != 2 {
			return fmt.Errorf("an update of the status subresource gives %v", made.Object)
		}
		applied, err := fleet.Apply(ctx, "launch", boat("launch", 4), metav1.ApplyOptions{FieldManager: "judge"})
		if err != nil {
			return err
		}
		if len(applied.GetManagedFields()) == 0 {
			return fmt.Errorf("the applied object has no managedFields")
		}
		list, err := fleet.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(list.Items) != 2 {
			return fmt.Errorf("the list has %d of 2 objects", len(list.Items))
		}
		resources, err := c.json.Discovery().ServerResourcesForGroupVersion(boats.GroupVersion().String())
		if err != nil {
			return err
		}
		if len(resources.APIResources) != 2 {
			return fmt.Errorf("discovery has %v", resources.APIResources)
		}
		return fleet.Delete(ctx, "skiff", metav1.DeleteOptions{})
	})
}

func customObjectsGo(ctx context.Context, c *cluster) error {
	return c.withBoats(ctx, func(namespace string) error {
		fleet := c.dynamic.Resource(boats).Namespace(namespace)
		if _, err := fleet.Create(ctx, boat("skiff", 2), metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := c.endNamespace(ctx, namespace); err != nil {
			return err
		}
		left, err := fleet.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(left.Items) != 0 {
			return fmt.Errorf("%d objects are left in a deleted namespace", len(left.Items))
		}
		return nil
	})
}
