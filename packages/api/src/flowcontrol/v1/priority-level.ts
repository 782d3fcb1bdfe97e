import {
  type ErrorList,
  forbidden,
  invalid,
  notSupported,
  ownEntry,
  Path,
  required,
  semanticEqual,
} from '@coxswain/apimachinery';
import { requiredSupported } from '../../core/v1/checks.ts';
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../generated/flowcontrol/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateStatus } from './conditions.ts';
import { internalForm } from './internal-form.ts';
import { mandatoryPriorityLevels } from './mandatory-objects.ts';

const path = Path.of('spec');
const exempt = 'exempt';
const types = ['Exempt', 'Limited'];
const responseTypes = ['Queue', 'Reject'];
const maxQueues = 10_000_000;
const maxHashBits = 60;
/** Marked a zero in v1beta3. It must not be set through other versions. */
const preserveZeroAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
const nonNegative = 'must be a non-negative integer';
const queuingDefaults = { handSize: 8, queues: 64, queueLengthLimit: 50 } as const;

export function setPriorityLevelDefaults({ spec }: PriorityLevelConfiguration): void {
  const { limited, exempt: lending } = spec ?? {};
  if (limited) {
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const queuing = limited.limitResponse?.queuing;
    if (queuing)
      for (const name of ['handSize', 'queues', 'queueLengthLimit'] as const) queuing[name] ||= queuingDefaults[name];
  }
  if (lending) {
    lending.nominalConcurrencyShares ??= 0;
    lending.lendablePercent ??= 0;
  }
}

function validate(level: PriorityLevelConfiguration): ErrorList {
  const { metadata, spec = { type: '' } } = level;
  const errors =
    ownEntry(metadata.annotations, preserveZeroAnnotation) === undefined
      ? []
      : [forbidden(Path.of('metadata', 'annotations'), `annotation '${preserveZeroAnnotation}' is forbidden`)];
  const name = metadata.name ?? '';
  errors.push(...validateSpec(spec, name), ...validateMandatory(spec, name), ...validateStatus(level));
  return errors;
}

function validateSpec(spec: PriorityLevelConfigurationSpec, name: string): ErrorList {
  const { type, limited, exempt: lending } = spec;
  const typePath = path.child('type');
  const limitedPath = path.child('limited');
  const exemptPath = path.child('exempt');
  const errors: ErrorList = [];
  if ((name === exempt) !== (type === 'Exempt'))
    errors.push(invalid(typePath, type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  if (type === 'Exempt') {
    if (limited) errors.push(forbidden(limitedPath, 'must be nil if the type is not Limited'));
    if (lending) errors.push(...validateExempt(lending, exemptPath));
  } else if (type === 'Limited') {
    if (lending) errors.push(forbidden(exemptPath, 'must be nil if the type is Limited'));
    if (limited) errors.push(...validateLimited(limited, limitedPath));
    else errors.push(required(limitedPath, 'must not be empty when type is Limited'));
  } else errors.push(type ? notSupported(typePath, type, types) : required(typePath));
  return errors;
}

function validateMandatory(spec: PriorityLevelConfigurationSpec, name: string): ErrorList {
  const fixed = mandatoryPriorityLevels.get(name);
  const { exempt: lending, ...rest } = spec;
  const compared = name === exempt ? { ...rest, exempt: fixed?.exempt } : spec;
  if (!fixed || semanticEqual(compared, fixed)) return [];
  const except = name === exempt ? " except the 'spec.exempt' field" : '';
  const value = internalForm('PriorityLevelConfigurationSpec', spec);
  return [invalid(path, value, `spec of '${name}'${except} must equal the fixed value`)];
}

function validateShares(shares: number | null | undefined, at: Path): ErrorList {
  return shares && shares < 0 ? [invalid(at.child('nominalConcurrencyShares'), shares, nonNegative)] : [];
}

function validateLendable(percent: number | undefined, at: Path): ErrorList {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return [];
  return [invalid(at.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive')];
}

const validateExempt = (lending: ExemptPriorityLevelConfiguration, at: Path): ErrorList => [
  ...validateShares(lending.nominalConcurrencyShares, at),
  ...validateLendable(lending.lendablePercent, at),
];

function validateLimited(limited: LimitedPriorityLevelConfiguration, at: Path): ErrorList {
  const { borrowingLimitPercent: borrowing, limitResponse = { type: '' } } = limited;
  return [
    ...validateShares(limited.nominalConcurrencyShares, at),
    ...validateLimitResponse(limitResponse, at.child('limitResponse')),
    ...validateLendable(limited.lendablePercent, at),
    ...(borrowing !== undefined && borrowing < 0
      ? [invalid(at.child('borrowingLimitPercent'), borrowing, `if specified, ${nonNegative}`)]
      : []),
  ];
}

function validateLimitResponse({ type, queuing }: LimitResponse, at: Path): ErrorList {
  const queuingPath = at.child('queuing');
  if (type === 'Reject' && queuing)
    return [forbidden(queuingPath, 'must be nil if limited.limitResponse.type is not Limited')];
  if (type === 'Queue' && !queuing)
    return [required(queuingPath, 'must not be empty if limited.limitResponse.type is Limited')];
  return type === 'Queue'
    ? validateQueuing(queuing!, queuingPath)
    : requiredSupported(at.child('type'), type, responseTypes);
}

function validateQueuing(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: QueuingConfiguration,
  at: Path,
): ErrorList {
  const positive = 'must be positive';
  const errors = queueLengthLimit <= 0 ? [invalid(at.child('queueLengthLimit'), queueLengthLimit, positive)] : [];
  if (queues <= 0) errors.push(invalid(at.child('queues'), queues, positive));
  else if (queues > maxQueues)
    errors.push(invalid(at.child('queues'), queues, `must not be greater than ${maxQueues}`));
  const problem = handProblem(queues, handSize);
  if (problem) errors.push(invalid(at.child('handSize'), handSize, problem));
  return errors;
}

/** Validates the numbers of queues and hand size: shuffle sharding needs enough bits of a hash for them. */
function handProblem(queues: number, handSize: number): string | undefined {
  if (handSize <= 0) return 'must be positive';
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  if (Math.ceil(Math.log2(queues) * handSize) <= maxHashBits) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`;
}

export const priorityLevelStrategy: Strategy<PriorityLevelConfiguration> = {
  generation: ['spec'],
  revalidatesMetadata: true,
  validatesMetadataUpdate: true,
  validate,
  validateUpdate: validate,
  subresources: {
    status: { owns: ['status'], metadata: 'none', validatesMetadataUpdate: true, validateUpdate: validateStatus },
  },
  table: {
    columns: columns('Name', 'Type', 'NominalConcurrencyShares', 'Queues', 'HandSize', 'QueueLengthLimit', 'Age'),
    row({ metadata, spec }, context) {
      const { limited } = spec ?? {};
      const queuing = limited?.limitResponse?.queuing;
      const none = '<none>';
      return [
        metadata.name ?? '',
        spec?.type ?? '',
        limited?.nominalConcurrencyShares ?? none,
        queuing?.queues ?? none,
        queuing?.handSize ?? none,
        queuing?.queueLengthLimit ?? none,
        translateTimestampSince(metadata.creationTimestamp, context),
      ];
    },
  },
};
