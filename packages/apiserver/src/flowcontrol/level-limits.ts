import type { PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import type { Queuing } from './queue-set.ts';
import { canDeal } from './shuffle-sharding.ts';

/** The maximum fraction of a level's seats for one request. */
const maxSeatsPart = 0.15;

/** The seats of a level: `nominal` by its shares, `min` with all lendable seats lent, `max` with all borrowable ones. */
export interface LevelLimits {
  readonly nominal: number;
  readonly min: number;
  readonly max: number;
  /** The maximum estimate for one request; 0 means the limit of its verb alone. */
  readonly maxSeatsPerRequest: number;
}

/** Returns the `nominalConcurrencyShares` of a level. */
export const sharesOf = ({ spec }: Pick<PriorityLevelConfiguration, 'spec'>): number =>
  (spec?.limited ?? spec?.exempt)?.nominalConcurrencyShares ?? 0;

export function levelLimits({ spec }: PriorityLevelConfiguration, serverSeats: number, shareSum: number): LevelLimits {
  const { lendablePercent = 0 } = spec?.limited ?? spec?.exempt ?? {};
  const borrowingLimitPercent = spec?.limited?.borrowingLimitPercent;
  // Rounded up, so that no level with shares gets zero seats. The sum may exceed the server's seats a little.
  const nominal = shareSum > 0 ? Math.ceil((serverSeats * sharesOf({ spec })) / shareSum) : 0;
  const lendable = Math.round((nominal * lendablePercent) / 100);
  const borrowing =
    borrowingLimitPercent === undefined ? serverSeats : Math.round((nominal * borrowingLimitPercent) / 100);
  const handSize = spec?.limited?.limitResponse?.queuing?.handSize;
  return {
    nominal,
    min: nominal - lendable,
    max: nominal + borrowing,
    maxSeatsPerRequest: handSize
      ? Math.max(1, Math.min(Math.ceil(nominal * maxSeatsPart), Math.floor(nominal / handSize)))
      : 0,
  };
}

/** Returns how the level handles requests without a free seat. Undefined for an invalid object, which is ignored. */
export function queuingOf({ metadata, spec }: PriorityLevelConfiguration): Queuing | undefined {
  const isExempt = metadata.name === 'exempt';
  if (spec?.type === 'Exempt') return isExempt && spec.exempt && !spec.limited ? { type: 'exempt' } : undefined;
  if (spec?.type !== 'Limited' || !spec.limited || spec.exempt || isExempt) return undefined;
  const { type, queuing } = spec.limited.limitResponse ?? { type: '' };
  if (type === 'Reject') return queuing ? undefined : { type: 'reject' };
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing ?? {};
  return queuing && canDeal(queues, handSize) ? { type: 'queue', queues, handSize, queueLengthLimit } : undefined;
}
