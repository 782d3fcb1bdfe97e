import { Catalogue } from '@coxswain/api';
import {
  cloneJson,
  completed,
  compileNormalizer,
  DecodeError,
  findStrictErrors,
  GroupVersion,
  type GroupVersionKind,
  isJsonObject,
  type KubernetesObject,
  type Steps,
  type StructSchema,
  strictDecodingMessage,
  stringifyJson,
} from '@coxswain/apimachinery';
import type { AdmissionObjects } from '../admission/admission.ts';
import type { EquivalentResource } from '../registry/equivalent-resource.ts';
import { assertKind } from './decode-body.ts';
import type { ResourceScope } from './scope.ts';

const known = new WeakMap<ResourceScope, Map<string, AdmissionObjects>>();

/** Returns the conversions that admission needs for objects of a resource or subresource. One instance each, cached by scope. */
export function admissionObjects(scope: ResourceScope, subresource: string): AdmissionObjects {
  const parts = known.get(scope) ?? new Map<string, AdmissionObjects>();
  known.set(scope, parts);
  let objects = parts.get(subresource);
  if (!objects) {
    objects = new ScopeObjects(scope, subresource);
    parts.set(subresource, objects);
  }
  return objects;
}

class ScopeObjects implements AdmissionObjects {
  readonly #scope: ResourceScope;
  readonly #subresource: string;
  #equivalents: readonly EquivalentResource[] | undefined;

  constructor(scope: ResourceScope, subresource: string) {
    this.#scope = scope;
    this.#subresource = subresource;
  }

  equivalents(): readonly EquivalentResource[] {
    const { registry, services } = this.#scope;
    // Cached, because every admission policy calls this.
    this.#equivalents ??=
      registry.definition.equivalents?.(this.#subresource) ??
      services.equivalents?.(this.#scope, this.#subresource) ??
      [];
    return this.#equivalents;
  }

  toKind(object: KubernetesObject, kind: GroupVersionKind): Promise<KubernetesObject> {
    return this.#convert(object, kind.groupVersion);
  }

  toHub(object: KubernetesObject): Promise<KubernetesObject> {
    return this.#convert(object, this.#scope.registry.definition.hub.groupVersion);
  }

  read(value: unknown, kind: GroupVersionKind, strict = false): KubernetesObject {
    if (!isJsonObject(value)) throw new DecodeError('expected an object');
    const { apiVersion = kind.apiVersion, kind: kindName = kind.kind } = value;
    const stated = GroupVersion.parse(String(apiVersion || kind.apiVersion)).withKind(String(kindName || kind.kind));
    const typed = { ...value, apiVersion: stated.apiVersion, kind: stated.kind };
    const { definition } = this.#scope.registry;
    if (definition.custom && kind.kind === definition.kind) {
      assertKind(stated, kind);
      definition.custom.prune(typed);
      return typed;
    }
    const schema = this.schema(stated);
    if (!schema)
      throw new DecodeError(
        `no kind "${stated.kind}" is registered for version "${stated.groupVersion}" in scheme "pkg/runtime/scheme.go:111"`,
      );
    const { object, hasUnknownFields } = compileNormalizer(schema)(typed);
    assertKind(stated, kind);
    if (strict && hasUnknownFields)
      throw new DecodeError(strictDecodingMessage(findStrictErrors(stringifyJson(typed), schema)));
    return object;
  }

  withDefaults(object: KubernetesObject): KubernetesObject {
    const { custom, kind } = this.#scope.registry.definition;
    if (custom && object.kind === kind) custom.setDefaults(object);
    else this.#scope.services.scheme.default(object);
    return object;
  }

  /** Kinds other than the resource's own, such as Scale and Binding, have a single version and are not converted. */
  async #convert(object: KubernetesObject, target: GroupVersion): Promise<KubernetesObject> {
    const { definition } = this.#scope.registry;
    if (object.kind !== definition.kind || object.apiVersion === target.toString()) return object;
    // biome-ignore lint/correctness/useYield: the conversion is a single step.
    function* convert(): Steps<KubernetesObject> {
      return definition.convert(cloneJson(object), target);
    }
    return definition.custom?.whileConverting?.(convert) ?? completed(convert());
  }

  schema(kind: GroupVersionKind): StructSchema | undefined {
    const { definition } = this.#scope.registry;
    return kind.kind === definition.kind ? definition.schemaFor(kind) : Catalogue.builtIn().kind(kind)?.schema;
  }
}
