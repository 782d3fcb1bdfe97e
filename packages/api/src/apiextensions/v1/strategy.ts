import type { CustomResourceDefinition } from '../../generated/apiextensions/v1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { isRecognizedFormat } from '../schema/index.ts';
import { someSchema } from '../schema/schema-visitor.ts';
import type { RuleChecks } from './rule-checks.ts';
import { schemasOf, specForm } from './spec-form.ts';
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from './validation.ts';

/** The strategy of CustomResourceDefinitions, without the checks of CEL rules, which need a compiler. */
export const customResourceDefinitionStrategy: Strategy<CustomResourceDefinition> = {
  validatesMetadata: true,
  allowUnconditionalUpdate: false,
  generation: ['spec'],
  subresources: { status: { owns: ['status'], validateUpdate: validateDefinitionStatus } },
  prepareForCreate: (definition, context) => {
    prepare(definition);
    dropDisabledFields(definition, undefined, context);
  },
  prepareForUpdate: (definition, old, context) => {
    prepare(definition);
    dropDisabledFields(definition, old, context);
  },
  validateInSteps: (definition, old) =>
    old ? validateDefinitionUpdate(definition, old) : validateDefinition(definition),
  warningsOnCreate: (definition) => formatWarnings(unrecognizedFormats(definition)),
  warningsOnUpdate: (definition, old) => {
    const before = unrecognizedFormats(old);
    return formatWarnings(unrecognizedFormats(definition).filter((format) => !before.includes(format)));
  },
  table: {
    columns: columns('Name', 'Created At:date'),
    row: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? null],
  },
};

/** Returns the strategy with the checks of CEL rules. */
export const definitionStrategyWithRules = (rules: RuleChecks): Strategy<CustomResourceDefinition> => ({
  ...customResourceDefinitionStrategy,
  validateInSteps: (definition, old) =>
    old ? validateDefinitionUpdate(definition, old, rules) : validateDefinition(definition, rules),
});

/** Adds the storage version to status.storedVersions. */
function prepare(definition: CustomResourceDefinition): void {
  const { webhook } = definition.spec.conversion ?? {};
  // Drops an empty `webhook`: upstream's internal type cannot hold it.
  if (webhook && !webhook.clientConfig && !webhook.conversionReviewVersions?.length) {
    definition.spec = { ...definition.spec, conversion: { strategy: definition.spec.conversion!.strategy } };
  }
  const storage = definition.spec.versions?.find((version) => version.storage);
  const stored = definition.status?.storedVersions ?? [];
  if (!storage || stored.includes(storage.name)) return;
  definition.status = { ...definition.status, storedVersions: [...stored, storage.name] };
}

function dropDisabledFields(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { features }: StrategyContext,
): void {
  const tracksGeneration = ({ status }: CustomResourceDefinition) =>
    status?.observedGeneration !== undefined ||
    (status?.conditions ?? []).some(({ observedGeneration }) => observedGeneration !== undefined);
  if (features.enabled('CRDObservedGenerationTracking') || (old && tracksGeneration(old)) || !definition.status) return;
  const { observedGeneration: _, ...status } = definition.status;
  definition.status = {
    ...status,
    ...(status.conditions && {
      conditions: status.conditions.map(({ observedGeneration: _dropped, ...condition }) => condition),
    }),
  };
}

/** Returns the unrecognized formats, version by version. A schema that all versions share is checked once. */
function unrecognizedFormats({ spec }: CustomResourceDefinition): string[] {
  const { common } = specForm(spec);
  const schemas = common.schema?.openAPIV3Schema ? [common.schema.openAPIV3Schema] : schemasOf(spec);
  const found: string[] = [];
  for (const schema of schemas) {
    someSchema(schema, ({ format, type }) => {
      if (format && !isRecognizedFormat(format, type)) found.push(format);
      return false;
    });
  }
  return found;
}

const formatWarnings = (formats: readonly string[]): string[] =>
  formats.map((format) => `unrecognized format ${JSON.stringify(format)}`);
