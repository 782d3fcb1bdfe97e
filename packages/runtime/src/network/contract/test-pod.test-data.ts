import type { NetworkedPod, PortMapping } from '../pod-network.ts';

export const testPod = (id: string, netns: string, portMappings: readonly PortMapping[] = []): NetworkedPod => ({
  id,
  name: `name-of-${id}`,
  namespace: 'default',
  uid: `uid-of-${id}`,
  netns,
  portMappings,
  annotations: {},
});
