import type { PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import type { Queuing } from './queue-set.ts';
import { canDeal } from './shuffle-sharding.ts';

/** One request takes no more than this part of a level's seats. */
const maxSeatsPart = 0.15;

/** How many seats a level has by its configuration alone, and what it may come to by lending and borrowing. */
export interface LevelLimits {
  readonly nominal: number;
  readonly min: number;
  readonly max: number;
  /** Seats that one request may be estimated to need; 0: as many as any. */
  readonly maxSeatsPerRequest: number;
}

/** The shares of a level: what its part of all seats is reckoned by. */
export const sharesOf = ({ spec }: Pick<PriorityLevelConfiguration, 'spec'>): number =>
  (spec?.limited ?? spec?.exempt)?.nominalConcurrencyShares ?? 0;

export function levelLimits({ spec }: PriorityLevelConfiguration, serverSeats: number, shareSum: number): LevelLimits {
  const { lendablePercent = 0 } = spec?.limited ?? spec?.exempt ?? {};
  const borrowingLimitPercent = spec?.limited?.borrowingLimitPercent;
  // Rounding up gives away a few seats more than there are: better than a level with none.
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

/** What the level does when it is full. Undefined when the object makes no sense, and is as good as not there. */
export function queuingOf({ metadata, spec }: PriorityLevelConfiguration): Queuing | undefined {
  const isExempt = metadata.name === 'exempt';
  if (spec?.type === 'Exempt') return isExempt && spec.exempt && !spec.limited ? { type: 'exempt' } : undefined;
  if (spec?.type !== 'Limited' || !spec.limited || spec.exempt || isExempt) return undefined;
  const { type, queuing } = spec.limited.limitResponse ?? { type: '' };
  if (type === 'Reject') return queuing ? undefined : { type: 'reject' };
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing ?? {};
  return queuing && canDeal(queues, handSize) ? { type: 'queue', queues, handSize, queueLengthLimit } : undefined;
}
