import { type ErrorList, forbidden, invalid, Path } from '@coxswain/apimachinery';
import type { Lease } from '../../generated/coordination/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateLeaseStrategyName } from './lease-strategy-name.ts';

const path = Path.of('spec');

function validate({ spec }: Lease): ErrorList {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions, strategy, preferredHolder } = spec ?? {};
  const errors: ErrorList = [];
  if (duration !== undefined && duration <= 0)
    errors.push(invalid(path.child('leaseDurationSeconds'), duration, 'must be greater than 0'));
  if (transitions !== undefined && transitions < 0)
    errors.push(invalid(path.child('leaseTransitions'), transitions, 'must be greater than or equal to 0'));
  if (strategy !== undefined) errors.push(...validateLeaseStrategyName(strategy, path.child('strategy')));
  if (preferredHolder && !strategy)
    errors.push(forbidden(path.child('preferredHolder'), 'may only be specified if `strategy` is defined'));
  return errors;
}

function dropDisabledFields({ spec }: Lease, old: Lease | undefined, { features }: StrategyContext): void {
  if (features.enabled('CoordinatedLeaderElection') || !spec) return;
  for (const name of ['strategy', 'preferredHolder'] as const) if (old?.spec?.[name] === undefined) delete spec[name];
}

export const leaseStrategy: Strategy<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (lease, context) => dropDisabledFields(lease, undefined, context),
  prepareForUpdate: dropDisabledFields,
  validate,
  validateUpdate: validate,
  table: {
    columns: columns('Name', 'Holder', 'Age'),
    row: ({ metadata, spec }, context) => [
      metadata.name ?? '',
      spec?.holderIdentity ?? '',
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
