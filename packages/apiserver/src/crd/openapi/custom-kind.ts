import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '@coxswain/api/apiextensions/v1';

/** A custom kind in one version, with everything that OpenAPI documents contain of it. */
export interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly schema: JSONSchemaProps | undefined;
  readonly preserveUnknownFields: boolean;
  readonly selectableFields: readonly string[];
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
}

/** The served versions of a definition. */
export function customKinds({ spec }: CustomResourceDefinition): CustomKind[] {
  return spec.versions
    .filter(({ served }) => served)
    .map((version) => ({
      group: spec.group,
      version: version.name,
      kind: spec.names.kind,
      listKind: spec.names.listKind ?? `${spec.names.kind}List`,
      plural: spec.names.plural,
      namespaced: spec.scope === 'Namespaced',
      schema: version.schema?.openAPIV3Schema,
      preserveUnknownFields: spec.preserveUnknownFields === true,
      ...describedSubresources(version),
    }));
}

const describedSubresources = ({ selectableFields, subresources }: CustomResourceDefinitionVersion) => ({
  selectableFields: (selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
  hasStatus: subresources?.status !== undefined,
  hasScale: subresources?.scale !== undefined,
});

/** `stable.example.com`, `v1`, `CronTab` → `com.example.stable.v1.CronTab`. */
export const modelName = ({ group, version }: CustomKind, kind: string): string =>
  [...group.split('.').reverse(), version, kind].join('.');
