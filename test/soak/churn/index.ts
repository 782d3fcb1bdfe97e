import { accounts } from './accounts.ts';
import type { Activity } from './activity.ts';
import { connections } from './connections.ts';
import { customKinds } from './custom-kinds.ts';
import { discovery } from './discovery.ts';
import { jobs } from './jobs.ts';
import { namespaces } from './namespaces.ts';
import { policies } from './policies.ts';
import { rollOuts } from './roll-outs.ts';
import { smallObjects } from './small-objects.ts';
import { strangers } from './strangers.ts';
import { watches } from './watches.ts';

export type { Activity, Churn } from './activity.ts';

/** All activities of a soak. */
export const activities: readonly Activity[] = [
  namespaces,
  customKinds,
  rollOuts,
  jobs,
  watches,
  connections,
  discovery,
  strangers,
  accounts,
  smallObjects,
  policies,
];
