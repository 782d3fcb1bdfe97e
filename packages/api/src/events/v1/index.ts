import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { eventConversion, eventFieldLabels } from './conversion.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'events.k8s.io',
  version: 'v1',
  conversions: { Event: eventConversion },
  fieldLabels: { Event: eventFieldLabels },
};
