import {
  type ErrorList,
  invalid,
  nameIsDnsSubdomain,
  notSupported,
  Path,
  required,
  semanticEqual,
} from '@coxswain/apimachinery';
import { invalidEach } from '../../core/v1/checks.ts';
import type { FlowSchema } from '../../generated/flowcontrol/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateStatus } from './conditions.ts';
import { validateRule } from './flow-schema-rules.ts';
import { internalForm } from './internal-form.ts';
import { mandatoryFlowSchemas } from './mandatory-objects.ts';

const path = Path.of('spec');
const exempt = 'exempt';
const defaultPrecedence = 1000;
const maxPrecedence = 10000;
const distinguisherMethods = ['ByNamespace', 'ByUser'];

export function setFlowSchemaDefaults(schema: FlowSchema): void {
  schema.spec ??= { priorityLevelConfiguration: { name: '' } };
  schema.spec.matchingPrecedence ||= defaultPrecedence;
}

function validate(schema: FlowSchema): ErrorList {
  const {
    matchingPrecedence: precedence = 0,
    distinguisherMethod,
    priorityLevelConfiguration,
    rules,
  } = schema.spec ?? {};
  const name = schema.metadata.name ?? '';
  const errors: ErrorList = [];
  const complain = (detail: string): void =>
    void errors.push(invalid(path.child('matchingPrecedence'), precedence, detail));
  if (precedence <= 0) complain('must be a positive value');
  if (precedence > maxPrecedence) complain(`must not be greater than ${maxPrecedence}`);
  if (precedence === 1 && name !== exempt) complain(`only the schema named '${exempt}' may have matchingPrecedence 1`);
  if (distinguisherMethod && !distinguisherMethods.includes(distinguisherMethod.type)) {
    const value = internalForm('FlowDistinguisherMethod', distinguisherMethod);
    errors.push(notSupported(path.child('distinguisherMethod', 'type'), value, distinguisherMethods));
  }
  const level = priorityLevelConfiguration?.name ?? '';
  const levelPath = path.child('priorityLevelConfiguration', 'name');
  if (level) errors.push(...invalidEach(levelPath, level, nameIsDnsSubdomain(level, false)));
  else errors.push(required(levelPath, 'must reference a priority level'));
  rules?.forEach((rule, i) => {
    errors.push(...validateRule(rule, path.child('rules').index(i)));
  });
  const fixed = mandatoryFlowSchemas.get(name);
  if (fixed && !semanticEqual(schema.spec, fixed)) {
    const value = internalForm('FlowSchemaSpec', schema.spec ?? {});
    errors.push(invalid(path, value, `spec of '${name}' must equal the fixed value`));
  }
  return [...errors, ...validateStatus(schema)];
}

const precedenceOf = ({ spec }: FlowSchema): number => spec?.matchingPrecedence ?? 0;
const nameOf = ({ metadata }: FlowSchema): string => metadata.name ?? '';

export const flowSchemaStrategy: Strategy<FlowSchema> = {
  generation: ['spec'],
  revalidatesMetadata: true,
  validatesMetadataUpdate: true,
  validate,
  validateUpdate: validate,
  subresources: {
    status: { owns: ['status'], metadata: 'none', validatesMetadataUpdate: true, validateUpdate: validateStatus },
  },
  table: {
    columns: columns('Name', 'PriorityLevel', 'MatchingPrecedence', 'DistinguisherMethod', 'Age', 'MissingPL'),
    row: (schema, context) => [
      nameOf(schema),
      schema.spec?.priorityLevelConfiguration.name ?? '',
      precedenceOf(schema),
      schema.spec?.distinguisherMethod?.type ?? '<none>',
      translateTimestampSince(schema.metadata.creationTimestamp, context),
      schema.status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ],
    // In the order in which requests are matched.
    order: (a, b) => precedenceOf(a) - precedenceOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
  },
};
