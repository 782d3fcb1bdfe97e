import {
  compileNormalizer,
  excludeFields,
  FieldManager,
  FieldSet,
  type FieldSetFilter,
  fieldPath,
  GroupVersion,
  type GroupVersionKind,
  includeFields,
  type KubernetesObject,
  type Scheme,
} from '@coxswain/apimachinery';
import { plainError } from './plain-error.ts';
import type { ResourceRegistry } from './resource-registry.ts';

export interface FieldManagerOf {
  /** The kind, in the version of the writes. */
  readonly kind: GroupVersionKind;
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly scheme: Scheme;
  readonly now: () => Date;
}

/** Returns the FieldManager for writes to a resource or subresource in one of its versions. */
export function newFieldManager(registry: ResourceRegistry, of: FieldManagerOf): FieldManager {
  const { kind, subresource, now } = of;
  const { definition } = registry;
  const { custom } = definition;
  const inVersion = (apiVersion: string): GroupVersionKind => GroupVersion.parse(apiVersion).withKind(kind.kind);
  return new FieldManager({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    subresource,
    versions: {
      schemaFor: (apiVersion) => {
        const schema = definition.schemaFor(inVersion(apiVersion));
        // For built-in kinds, managedFields of unknown versions are dropped. For custom resources they are an error.
        if (!schema && custom) throw plainError(`request to convert CR to an invalid group/version: ${apiVersion}`);
        return schema;
      },
      convert: (object, apiVersion) =>
        definition.convert({ ...(object as KubernetesObject) }, inVersion(apiVersion).groupVersion),
    },
    filters: custom
      ? customFilters(custom.resetFields(subresource))
      : new VersionFilters(resetFilter(registry, subresource)),
    ...(custom && { emptyObject: () => ({ apiVersion: kind.apiVersion, kind: kind.kind }) }),
    complete: (object) => completeApplied(registry, of, object),
    objectsFit: !custom,
    now,
  });
}

/** A map with the same filter for all versions, because the filtered fields have the same names in all of them. */
class VersionFilters extends Map<string, FieldSetFilter> {
  readonly #filter: FieldSetFilter | undefined;

  constructor(filter: FieldSetFilter | undefined) {
    super();
    this.#filter = filter;
  }

  override get(): FieldSetFilter | undefined {
    return this.#filter;
  }
}

const customFilters = (reset: ReadonlyMap<string, readonly string[]>): Map<string, FieldSetFilter> =>
  new Map([...reset].map(([version, paths]) => [version, excluding(paths)]));

const excluding = (paths: readonly string[]): FieldSetFilter =>
  excludeFields(FieldSet.of(...paths.map((path) => fieldPath(...path.split('.')))));

/** Upstream's reset fields where they differ from what follows from the fields of the subresources. */
const specialResets: Readonly<Record<string, readonly string[]>> = {
  'certificatesigningrequests.certificates.k8s.io': ['spec', 'status'],
  'certificatesigningrequests.certificates.k8s.io/approval': ['spec', 'status.certificate'],
  'certificatesigningrequests.certificates.k8s.io/status': ['spec', 'status.conditions'],
  'deployments.apps/status': ['spec', 'metadata.labels'],
  'namespaces/finalize': ['status'],
  'pods/status': ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
};

/** Returns the filter for upstream's reset fields: managers do not own fields that their endpoint cannot change. */
function resetFilter({ definition }: ResourceRegistry, subresource: string): FieldSetFilter | undefined {
  const parts = definition.strategy.subresources ?? {};
  const name = `${definition.groupResource}${subresource && `/${subresource}`}`;
  const owned = Object.values(parts).flatMap(({ owns }) => owns.filter((path) => !path.includes('.')));
  const reset = specialResets[name] ?? (subresource === '' ? owned : undefined);
  if (reset) return excluding(reset);
  const part = parts[subresource];
  if (!part) return undefined;
  const written = [...part.owns, ...(part.takes ?? [])].map((path) => path.split('.'));
  return includeFields(...written, ...(part.metadata === 'none' ? [] : [['metadata']]));
}

/** Normalizes the result of an apply as if a client had sent it, and sets defaults. */
function completeApplied(
  { definition }: ResourceRegistry,
  { kind, scheme }: FieldManagerOf,
  merged: KubernetesObject,
): KubernetesObject {
  const { custom } = definition;
  if (custom) {
    custom.setDefaults(merged);
    return merged;
  }
  const schema = definition.schemaFor(kind);
  const object = schema ? compileNormalizer(schema)(merged).object : merged;
  scheme.default(object);
  return object;
}
