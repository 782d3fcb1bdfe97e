import { semanticEqual } from '@coxswain/apimachinery';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  JSONSchemaProps,
  SelectableField,
} from '../../generated/apiextensions/v1.ts';

/** The fields that either each version has itself or all versions have in common. */
interface PerVersion {
  readonly schema?: CustomResourceValidation;
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: CustomResourceColumnDefinition[];
  readonly selectableFields?: SelectableField[];
}

/**
 * A spec in the form that upstream validates: fields that are equal in all versions are moved out of them. Error paths
 * refer to this form (`spec.validation.openAPIV3Schema` and not `spec.versions[0].schema.openAPIV3Schema`).
 */
export interface SpecForm {
  readonly common: PerVersion;
  /** Without the common fields. */
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

const perVersionFields = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

export function specForm(spec: CustomResourceDefinitionSpec): SpecForm {
  const versions = spec.versions ?? [];
  const [first, ...others] = versions;
  if (!first) return { common: {}, versions };
  const commonFields = perVersionFields.filter((field) =>
    others.every((version) => semanticEqual(version[field], first[field])),
  );
  return {
    common: Object.fromEntries(commonFields.map((field) => [field, first[field]])),
    versions: versions.map((version) => {
      const own = { ...version };
      for (const field of commonFields) delete own[field];
      return own;
    }),
  };
}

/** Returns the schemas of all versions. */
export function schemasOf(spec: CustomResourceDefinitionSpec): JSONSchemaProps[] {
  return (spec.versions ?? []).flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
}
