import type { PluginDefinition } from '../framework/handle.ts';
import type { PluginReference } from '../framework/profile.ts';
import { defaultBinder } from './default-binder/index.ts';
import { defaultPreemption } from './default-preemption/index.ts';
import { dynamicResources } from './dynamic-resources/index.ts';
import { imageLocality } from './image-locality/index.ts';
import { interPodAffinity } from './inter-pod-affinity/index.ts';
import { nodeAffinity } from './node-affinity/index.ts';
import { nodeDeclaredFeatures } from './node-declared-features/index.ts';
import { nodeName } from './node-name/index.ts';
import { nodePorts } from './node-ports/index.ts';
import { nodeResourcesBalancedAllocation } from './node-resources-balanced-allocation/index.ts';
import { nodeResourcesFit } from './node-resources-fit/index.ts';
import { nodeUnschedulable } from './node-unschedulable/index.ts';
import { nodeVolumeLimits } from './node-volume-limits/index.ts';
import { podTopologySpread } from './pod-topology-spread/index.ts';
import { prioritySort } from './priority-sort/index.ts';
import { schedulingGates } from './scheduling-gates/index.ts';
import { taintToleration } from './taint-toleration/index.ts';
import { volumeBinding } from './volume-binding/index.ts';
import { volumeRestrictions } from './volume-restrictions/index.ts';
import { volumeZone } from './volume-zone/index.ts';

interface DefaultPlugin {
  readonly definition: PluginDefinition;
  readonly weight?: number;
}

/** All in-tree plug-ins, in default order and with default weights. */
const inOrder: readonly DefaultPlugin[] = [
  { definition: schedulingGates },
  { definition: prioritySort },
  { definition: nodeUnschedulable },
  { definition: nodeName },
  { definition: taintToleration, weight: 3 },
  { definition: nodeAffinity, weight: 2 },
  { definition: nodePorts },
  { definition: nodeResourcesFit, weight: 1 },
  { definition: volumeRestrictions },
  { definition: nodeVolumeLimits },
  { definition: volumeBinding },
  { definition: volumeZone },
  { definition: podTopologySpread, weight: 2 },
  { definition: interPodAffinity, weight: 2 },
  { definition: dynamicResources, weight: 2 },
  { definition: defaultPreemption },
  { definition: nodeResourcesBalancedAllocation, weight: 1 },
  { definition: imageLocality, weight: 1 },
  { definition: defaultBinder },
  { definition: nodeDeclaredFeatures },
];

export const inTreePlugins: readonly PluginDefinition[] = inOrder.map(({ definition }) => definition);

/** The default plug-ins of `multiPoint`. */
export const defaultPlugins: readonly PluginReference[] = inOrder.map(({ definition: { name }, weight }) => ({
  name,
  ...(weight !== undefined && { weight }),
}));
