import type { Field, ScalarKind, Schema, StructSchema } from './schema.ts';

/*
 * Some of upstream's types, complete, so that tests can compare with upstream's bytes for them. Together they have every kind of field
 * there is.
 *
 * A field is written as `name number type flags`. Types are those of Go with a schema's kinds at the leaves. Flags: `always` (no
 * omitempty), `omitzero`, `inline`, `as=` the name of the Go type, `go=` that of the Go field.
 */
const definitions: Readonly<Record<string, string>> = {
  'meta.v1.TypeMeta': 'kind 1 string, apiVersion 2 string',
  'meta.v1.ObjectMeta': `
    name 1 string, generateName 2 string, namespace 3 string, selfLink 4 string, uid 5 string as=types.UID,
    resourceVersion 6 string, generation 7 int64, creationTimestamp 8 time omitzero, deletionTimestamp 9 *time,
    deletionGracePeriodSeconds 10 *int64, labels 11 map[string]string, annotations 12 map[string]string,
    ownerReferences 13 []meta.v1.OwnerReference, finalizers 14 []string,
    managedFields 17 []meta.v1.ManagedFieldsEntry`,
  'meta.v1.OwnerReference': `
    apiVersion 5 string always go=APIVersion, kind 1 string always, name 3 string always,
    uid 4 string always as=types.UID go=UID,
    controller 6 *bool, blockOwnerDeletion 7 *bool`,
  'meta.v1.ManagedFieldsEntry': `
    manager 1 string, operation 2 string as=ManagedFieldsOperationType, apiVersion 3 string go=APIVersion, time 4 *time,
    fieldsType 6 string, fieldsV1 7 *fieldsV1, subresource 8 string`,
  'meta.v1.Condition': `
    type 1 string always, status 2 string always as=ConditionStatus, observedGeneration 3 int64,
    lastTransitionTime 4 time always, reason 5 string always, message 6 string always`,
  'meta.v1.LabelSelector': 'matchLabels 1 map[string]string, matchExpressions 2 []meta.v1.LabelSelectorRequirement',
  'meta.v1.LabelSelectorRequirement':
    'key 1 string always, operator 2 string always as=LabelSelectorOperator, values 3 []string',
  'meta.v1.APIResource': `
    name 1 string always, singularName 6 string always, namespaced 2 bool always, group 8 string, version 9 string,
    kind 3 string always, verbs 4 wrapped[]string always, shortNames 5 []string, categories 7 []string,
    storageVersionHash 10 string`,
  'core.v1.Secret': `
    typeMeta 0 meta.v1.TypeMeta inline, metadata 1 meta.v1.ObjectMeta, immutable 5 *bool, data 2 map[string]bytes,
    stringData 4 map[string]string, type 3 string as=SecretType`,
  'core.v1.SecretList': `
    typeMeta 0 meta.v1.TypeMeta inline, metadata 1 meta.v1.ListMeta, items 2 []core.v1.Secret always`,
  'meta.v1.ListMeta': `
    selfLink 1 string, resourceVersion 2 string, continue 3 string, remainingItemCount 4 *int64,
    shardInfo 5 *meta.v1.ShardInfo`,
  'meta.v1.ShardInfo': 'selector 1 string always',
  'core.v1.LocalObjectReference': 'name 1 string',
  'core.v1.SecretKeySelector':
    'localObjectReference 1 core.v1.LocalObjectReference inline, key 2 string always, optional 3 *bool',
  'core.v1.ResourceQuota': `
    typeMeta 0 meta.v1.TypeMeta inline, metadata 1 meta.v1.ObjectMeta, spec 2 core.v1.ResourceQuotaSpec,
    status 3 core.v1.ResourceQuotaStatus`,
  'core.v1.ResourceQuotaSpec': `
    hard 1 map[string]quantity as=ResourceList, scopes 2 []string as=[]v1.ResourceQuotaScope,
    scopeSelector 3 *core.v1.ScopeSelector`,
  'core.v1.ResourceQuotaStatus':
    'hard 1 map[string]quantity as=ResourceList, used 2 map[string]quantity as=ResourceList',
  'core.v1.ScopeSelector': 'matchExpressions 1 []core.v1.ScopedResourceSelectorRequirement',
  'core.v1.ScopedResourceSelectorRequirement': `
    scopeName 1 string always as=ResourceQuotaScope, operator 2 string always as=ScopeSelectorOperator,
    values 3 []string`,
  'policy.v1.PodDisruptionBudget': `
    typeMeta 0 meta.v1.TypeMeta inline, metadata 1 meta.v1.ObjectMeta, spec 2 policy.v1.PodDisruptionBudgetSpec,
    status 3 policy.v1.PodDisruptionBudgetStatus`,
  'policy.v1.PodDisruptionBudgetSpec': `
    minAvailable 1 *intOrString, selector 2 *meta.v1.LabelSelector, maxUnavailable 3 *intOrString,
    unhealthyPodEvictionPolicy 4 *string as=UnhealthyPodEvictionPolicyType`,
  'policy.v1.PodDisruptionBudgetStatus': `
    observedGeneration 1 int64, disruptedPods 2 map[string]time, disruptionsAllowed 3 int32 always,
    currentHealthy 4 int32 always, desiredHealthy 5 int32 always, expectedPods 6 int32 always,
    conditions 7 []meta.v1.Condition`,
  'coordination.v1.Lease':
    'typeMeta 0 meta.v1.TypeMeta inline, metadata 1 meta.v1.ObjectMeta, spec 2 coordination.v1.LeaseSpec',
  'coordination.v1.LeaseSpec': `
    holderIdentity 1 *string, leaseDurationSeconds 2 *int32, acquireTime 3 *microTime, renewTime 4 *microTime,
    leaseTransitions 5 *int32, strategy 6 *string as=CoordinatedLeaseStrategy, preferredHolder 7 *string`,
  'apps.v1.ControllerRevision': `
    typeMeta 0 meta.v1.TypeMeta inline, metadata 1 meta.v1.ObjectMeta, data 2 rawObject, revision 3 int64 always`,
  'authentication.v1.UserInfo': `
    username 1 string, uid 2 string, groups 3 []string, extra 4 map[string]wrapped[]string`,
  'metrics.v1beta1.NodeMetrics': `
    typeMeta 0 meta.v1.TypeMeta inline, metadata 1 meta.v1.ObjectMeta, timestamp 2 time always, window 3 duration always,
    usage 4 map[string]quantity always as=v1.ResourceList`,
  'meta.v1.Table': 'typeMeta 0 meta.v1.TypeMeta inline, metadata 0 meta.v1.ListMeta',
  'apiextensions.v1.ExternalDocumentation': 'description 1 string, url 2 string',
  'apiextensions.v1.ValidationRule': `
    rule 1 string always, message 2 string, messageExpression 3 string, reason 4 *string, fieldPath 5 string,
    optionalOldSelf 6 *bool`,
  'apiextensions.v1.JSONSchemaProps': `
    id 1 string, $schema 2 string as=JSONSchemaURL, $ref 3 *string, description 4 string, type 5 string,
    format 6 string, title 7 string, default 8 *any, maximum 9 *double, exclusiveMaximum 10 bool, minimum 11 *double,
    exclusiveMinimum 12 bool, maxLength 13 *int64, minLength 14 *int64, pattern 15 string, maxItems 16 *int64,
    minItems 17 *int64, uniqueItems 18 bool, multipleOf 19 *double, enum 20 []any, maxProperties 21 *int64,
    minProperties 22 *int64, required 23 []string, items 24 *orArray, allOf 25 []apiextensions.v1.JSONSchemaProps,
    oneOf 26 []apiextensions.v1.JSONSchemaProps, anyOf 27 []apiextensions.v1.JSONSchemaProps,
    not 28 *apiextensions.v1.JSONSchemaProps, properties 29 map[string]apiextensions.v1.JSONSchemaProps,
    additionalProperties 30 *orBool, patternProperties 31 map[string]apiextensions.v1.JSONSchemaProps,
    dependencies 32 map[string]orStringArray, additionalItems 33 *orBool,
    definitions 34 map[string]apiextensions.v1.JSONSchemaProps, externalDocs 35 *apiextensions.v1.ExternalDocumentation,
    example 36 *any, nullable 37 bool, x-kubernetes-preserve-unknown-fields 38 *bool,
    x-kubernetes-embedded-resource 39 bool, x-kubernetes-int-or-string 40 bool, x-kubernetes-list-map-keys 41 []string,
    x-kubernetes-list-type 42 *string, x-kubernetes-map-type 43 *string,
    x-kubernetes-validations 44 []apiextensions.v1.ValidationRule`,
};

const structs = new Map<string, StructSchema>();

/** One of the types above. */
export function exampleType(fullName: string): StructSchema {
  const known = structs.get(fullName);
  if (known) return known;
  const definition = definitions[fullName];
  if (definition === undefined) throw new Error(`no example of ${fullName}`);
  const declared: Field[] = [];
  const fields = new Map<string, Field>();
  const name = fullName.slice(fullName.lastIndexOf('.') + 1);
  const struct: StructSchema = { kind: 'struct', name, fullName, declared, fields, atomic: false };
  structs.set(fullName, struct);
  for (const text of definition.split(',')) {
    const field = parseField(text.trim());
    declared.push(field);
    const inlined = field.inline && field.schema.kind === 'struct' ? field.schema.fields.values() : [field];
    for (const inner of inlined) fields.set(inner.name, inner);
  }
  return struct;
}

function parseField(text: string): Field {
  const [name = '', number, type = '', ...flags] = text.split(' ');
  const pointer = type.startsWith('*');
  const goName = flags.find((flag) => flag.startsWith('as='))?.slice(3);
  const fieldName = flags.find((flag) => flag.startsWith('go='))?.slice(3);
  const inline = flags.includes('inline');
  return {
    name,
    ...(fieldName && { goName: fieldName }),
    number: Number(number),
    schema: { ...parseType(type.replace('*', '')), ...(goName && { goName }) },
    pointer,
    inline,
    omitEmpty: !inline && !flags.includes('always'),
    omitZero: flags.includes('omitzero'),
    required: false,
    patchStrategy: [],
  };
}

const alternatives = { orBool: 'bool', orArray: 'array', orStringArray: 'stringArray' } as const;

function parseType(type: string): Schema {
  if (type.startsWith('map[string]')) {
    return { kind: 'map', values: parseType(type.slice('map[string]'.length)), atomic: false };
  }
  if (type.startsWith('wrapped')) {
    return {
      kind: 'list',
      items: parseType(type.slice('wrapped[]'.length)),
      listType: 'atomic',
      mapKeys: [],
      wrapped: true,
    };
  }
  if (type.startsWith('[]')) return { kind: 'list', items: parseType(type.slice(2)), listType: 'atomic', mapKeys: [] };
  if (type === 'orBool' || type === 'orArray' || type === 'orStringArray') {
    return {
      kind: 'schemaOr',
      alternative: alternatives[type],
      schema: exampleType('apiextensions.v1.JSONSchemaProps'),
    };
  }
  return type.includes('.') ? exampleType(type) : { kind: type as ScalarKind };
}

/** The kinds among them, by apiVersion and kind. */
export const exampleKinds: ReadonlyMap<string, StructSchema> = new Map(
  [
    ['v1 Secret', 'core.v1.Secret'],
    ['v1 SecretList', 'core.v1.SecretList'],
    ['v1 ResourceQuota', 'core.v1.ResourceQuota'],
    ['policy/v1 PodDisruptionBudget', 'policy.v1.PodDisruptionBudget'],
    ['coordination.k8s.io/v1 Lease', 'coordination.v1.Lease'],
    ['apps/v1 ControllerRevision', 'apps.v1.ControllerRevision'],
    ['metrics.k8s.io/v1beta1 NodeMetrics', 'metrics.v1beta1.NodeMetrics'],
    ['meta.k8s.io/v1 Table', 'meta.v1.Table'],
  ].map(([kind = '', fullName = '']) => [kind, exampleType(fullName)]),
);
