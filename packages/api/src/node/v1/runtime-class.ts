import {
  duplicate,
  type ErrorList,
  nameIsDnsLabel,
  Path,
  required,
  validateImmutableField,
  validateLabels,
} from '@coxswain/apimachinery';
import { invalidEach, sortedEntries } from '../../core/v1/checks.ts';
import { internalForm } from '../../core/v1/internal-form/internal-form.ts';
import { nodeLabelDeprecation } from '../../core/v1/node-label-warnings.ts';
import { validateContainerResourceRequirements, validateTolerations } from '../../core/v1/pod/index.ts';
import type { Toleration } from '../../generated/core/v1.ts';
import type { RuntimeClass } from '../../generated/node/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import { revalidated } from '../../strategy/revalidated.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const handlerPath = Path.of('handler');
const selectorPath = Path.of('scheduling', 'nodeSelector');
const tolerationsPath = Path.of('scheduling', 'tolerations');

function validate({ handler, overhead, scheduling }: RuntimeClass): ErrorList {
  return [
    ...(handler ? invalidEach(handlerPath, handler, nameIsDnsLabel(handler, false)) : [required(handlerPath)]),
    ...(overhead
      ? validateContainerResourceRequirements({ limits: overhead.podFixed ?? {} }, new Set(), Path.of('overhead'))
      : []),
    ...validateLabels(scheduling?.nodeSelector, selectorPath),
    ...validateUniqueTolerations(scheduling?.tolerations ?? []),
  ];
}

function validateUniqueTolerations(tolerations: readonly Toleration[]): ErrorList {
  const errors = validateTolerations(tolerations, tolerationsPath);
  const seen = new Set<string>();
  tolerations.forEach((toleration, i) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    const identity = JSON.stringify([key, operator, value, effect]);
    if (seen.has(identity)) errors.push(duplicate(tolerationsPath.index(i), internalForm('Toleration', toleration)));
    seen.add(identity);
  });
  return errors;
}

const warningsFor = ({ scheduling }: RuntimeClass): string[] =>
  sortedEntries(scheduling?.nodeSelector).flatMap(([label]) => {
    const message = nodeLabelDeprecation(label);
    return message ? [`${selectorPath}: ${message}`] : [];
  });

export const runtimeClassStrategy: Strategy<RuntimeClass> = {
  ...revalidated<RuntimeClass>({
    validate,
    validateChange: ({ handler }, old) => validateImmutableField(handler, old.handler, handlerPath),
  }),
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  warningsOnCreate: warningsFor,
  warningsOnUpdate: warningsFor,
  table: {
    columns: columns('Name', 'Handler', 'Age'),
    row: ({ metadata, handler }, context) => [
      metadata.name ?? '',
      handler,
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
