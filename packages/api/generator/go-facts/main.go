// Command go-facts prints facts about every type reachable from the kinds of Kubernetes v1.36 that are neither in
// OpenAPI nor in the .proto field numbers: which fields are pointers, which are omitted when empty, which are inlined
// in JSON, their order of declaration, and Go names that are not the JSON name with a capital first letter. It is a
// developer tool: its output is committed as ../facts/go-types.json, which only `npm run generate` reads.
package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/kubernetes/scheme"
	clientauthv1 "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	custommetricsv1beta2 "k8s.io/metrics/pkg/apis/custom_metrics/v1beta2"
	externalmetricsv1beta1 "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// Versions that the Go types still contain, but no v1.36 server can serve.
var removed = map[string]bool{
	"apps/v1beta1": true, "apps/v1beta2": true, "extensions/v1beta1": true, "batch/v1beta1": true,
	"policy/v1beta1": true, "rbac.authorization.k8s.io/v1alpha1": true, "rbac.authorization.k8s.io/v1beta1": true,
	"authentication.k8s.io/v1alpha1": true, "authentication.k8s.io/v1beta1": true, "authorization.k8s.io/v1beta1": true,
	"discovery.k8s.io/v1beta1": true, "events.k8s.io/v1beta1": true, "flowcontrol.apiserver.k8s.io/v1beta1": true,
	"flowcontrol.apiserver.k8s.io/v1beta2": true, "flowcontrol.apiserver.k8s.io/v1beta3": true,
	"node.k8s.io/v1alpha1": true, "node.k8s.io/v1beta1": true, "scheduling.k8s.io/v1beta1": true, "storage.k8s.io/v1alpha1": true,
}

type marshaler interface{ Marshal() ([]byte, error) }

var types = map[string]any{}

func fullName(t reflect.Type) string {
	return strings.ReplaceAll(strings.ReplaceAll(t.PkgPath(), "/", "."), "-", "_") + "." + t.Name()
}

// typeName returns a field's type in Go's notation, and visits named structs on the way.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		// A named slice with its own marshaller is a message in protobuf.
		if t.Name() != "" && reflect.PointerTo(t).Implements(reflect.TypeFor[marshaler]()) {
			return "wrapped[]" + typeName(t.Elem()) + "@" + fullName(t)
		}
		return "[]" + typeName(t.Elem())
	case reflect.Map:
		name := "map[string]" + typeName(t.Elem())
		if t.PkgPath() != "" || t.Key().PkgPath() != "" {
			// Error messages print the name, or the type of the keys.
			return "(" + t.String() + ")" + name
		}
		return name
	case reflect.Struct:
		visit(t)
		return fullName(t)
	case reflect.Interface:
		return "any"
	default:
		if t.PkgPath() != "" {
			return t.Kind().String() + ":" + t.String()
		}
		return t.Kind().String()
	}
}

func visit(t reflect.Type) {
	name := fullName(t)
	if _, done := types[name]; done {
		return
	}
	fields := [][]string{}
	types[name] = nil
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		parts := strings.Split(f.Tag.Get("json"), ",")
		if parts[0] == "-" || !f.IsExported() {
			continue
		}
		inline := f.Anonymous && parts[0] == ""
		flags := []string{}
		for _, option := range parts[1:] {
			if option == "omitempty" || option == "omitzero" {
				flags = append(flags, option)
			}
		}
		jsonName := parts[0]
		if inline {
			flags = []string{"inline"}
			jsonName = strings.ToLower(f.Name[:1]) + f.Name[1:]
		}
		entry := []string{jsonName, typeName(f.Type), strings.Join(flags, ",")}
		if jsonName == "" || f.Name != strings.ToUpper(jsonName[:1])+jsonName[1:] {
			entry = append(entry, f.Name)
		}
		fields = append(fields, entry)
	}
	types[name] = fields
}

func main() {
	all := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{
		apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme, admissionv1.AddToScheme,
		apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme, imagepolicyv1alpha1.AddToScheme,
		auditv1.AddToScheme, metricsv1beta1.AddToScheme, custommetricsv1beta2.AddToScheme,
		externalmetricsv1beta1.AddToScheme, clientauthv1.AddToScheme,
	} {
		if err := add(all); err != nil {
			panic(err)
		}
	}
	kinds := map[string]string{}
	for gvk, t := range all.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal || removed[gvk.Group+"/"+gvk.Version] {
			continue
		}
		visit(t)
		kinds[fmt.Sprintf("%s/%s %s", gvk.Group, gvk.Version, gvk.Kind)] = fullName(t)
	}
	for _, t := range []reflect.Type{
		reflect.TypeFor[metav1.Table](), reflect.TypeFor[metav1.PartialObjectMetadata](), reflect.TypeFor[metav1.PartialObjectMetadataList](),
		reflect.TypeFor[metav1.APIGroupList](), reflect.TypeFor[metav1.APIResourceList](), reflect.TypeFor[metav1.TableOptions](),
		reflect.TypeFor[metav1.Condition](), reflect.TypeFor[metav1.WatchEvent](),
	} {
		visit(t)
	}
	names := make([]string, 0, len(types))
	for name := range types {
		names = append(names, name)
	}
	sort.Strings(names)
	gvks := make([]string, 0, len(kinds))
	for gvk := range kinds {
		gvks = append(gvks, gvk)
	}
	sort.Strings(gvks)
	fmt.Println(`{"kinds":{`)
	for i, gvk := range gvks {
		fmt.Printf("%q:%q%s\n", gvk, kinds[gvk], comma(i, len(gvks)))
	}
	fmt.Println(`},"types":{`)
	for i, name := range names {
		line, _ := json.Marshal(types[name])
		fmt.Printf("%q:%s%s\n", name, line, comma(i, len(names)))
	}
	fmt.Println("}}")
}

func comma(i, n int) string {
	if i == n-1 {
		return ""
	}
	return ","
}
