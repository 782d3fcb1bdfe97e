import { Path, semanticEqual, type Steps } from '@coxswain/apimachinery';
import { isRecognized } from '../../admissionregistration/v1/review-versions.ts';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { someSchema } from '../schema/schema-visitor.ts';
import { validateCABundle } from './ca-bundle.ts';
import { hasUnprunedDefaults } from './default-values.ts';
import { validateMapListKeys, validateSetItems } from './list-type.ts';
import type { SchemaStrictness } from './schema-rules.ts';
import { schemasOf, specForm } from './spec-form.ts';
import { isStructuralInSteps } from './structural.ts';

/** Which rules apply. A rule that the stored definition breaks does not apply to an update. */
export interface Strictness extends SchemaStrictness {
  readonly recognizedReviewVersion: boolean;
  /** Every version must have a schema. */
  readonly schema: boolean;
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
  readonly validCABundle: boolean;
  /** Reports whether an update leaves the version's schema unchanged. */
  readonly unchangedSchema: (version: string) => boolean;
  /** Reports whether the version (all versions: '') may have more selectable fields than the limit. */
  readonly tooManySelectable: (version: string) => boolean;
}

export const maxSelectableFields = 8;
const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
const nowhere = Path.of('');

export const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.find(({ type }) => type === 'Established')?.status === 'True';

/** The rules of creation. A valid CA bundle is not required before the definition is established. */
export const strict: Strictness = {
  recognizedReviewVersion: true,
  schema: true,
  structural: true,
  propertyTypes: true,
  prunedDefaults: true,
  atomicSets: true,
  mapListKeys: true,
  validCABundle: false,
  unchangedSchema: () => false,
  tooManySelectable: () => false,
};

/** Returns the rules that the old definition keeps. */
export function* strictnessAfter(old: CustomResourceDefinition, updated: CustomResourceDefinition): Steps<Strictness> {
  const schemas = schemasOf(old.spec);
  function* none(isSuch: (schema: JSONSchemaProps) => boolean): Steps<boolean> {
    for (const schema of schemas) {
      if (someSchema(schema, isSuch)) return false;
      yield;
    }
    return true;
  }
  let structural = true;
  let prunedDefaults = true;
  for (const schema of schemas) {
    const isOne = yield* isStructuralInSteps(schema);
    structural &&= isOne;
    yield;
    prunedDefaults &&= !isOne || !hasUnprunedDefaults(schema);
    yield;
  }
  const { webhook } = old.spec.conversion ?? {};
  const versions = webhook?.conversionReviewVersions ?? [];
  const caBundle = webhook?.clientConfig?.caBundle;
  return {
    recognizedReviewVersion: versions.length === 0 || isRecognized(versions),
    schema: (old.spec.versions ?? []).every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    structural,
    propertyTypes: yield* none(({ type }) => type !== undefined && !types.has(type)),
    prunedDefaults,
    atomicSets: yield* none((schema) => validateSetItems(schema, nowhere).length > 0),
    mapListKeys: yield* none((schema) => validateMapListKeys(schema, nowhere).length > 0),
    validCABundle: isEstablished(old) && (!caBundle || validateCABundle(caBundle, nowhere).length === 0),
    unchangedSchema: (version) => {
      // A schema that all versions have in common counts as the old schema of a new version too.
      const find = ({ spec }: CustomResourceDefinition) =>
        specForm(spec).common.schema ?? spec.versions?.find(({ name }) => name === version)?.schema;
      const before = find(old);
      return before !== undefined && semanticEqual(before, find(updated));
    },
    tooManySelectable: (version) => {
      const find = ({ spec }: CustomResourceDefinition) => {
        const { common, versions: all } = specForm(spec);
        return version === '' ? common.selectableFields : all.find(({ name }) => name === version)?.selectableFields;
      };
      const before = find(old);
      return (before?.length ?? 0) > maxSelectableFields && semanticEqual(before, find(updated));
    },
  };
}
