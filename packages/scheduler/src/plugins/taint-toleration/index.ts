import type { Node, Pod, Taint, Toleration } from '@coxswain/api/core/v1';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import { toleratesTaint, untoleratedTaint } from '@coxswain/component-helpers';
import { Action } from '../../framework/cluster-event.ts';
import { StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status } from '../../framework/status.ts';
import { defaultNormalizeScore } from '../default-normalize-score.ts';

const name = 'TaintToleration';

/** The effects that prevent scheduling. */
const effects: readonly Taint['effect'][] = ['NoSchedule', 'NoExecute'];

/** The pod's tolerations that apply to the effect PreferNoSchedule. */
const preferred = new StateKey<readonly Toleration[]>(`PreScore${name}`);

/**
 * Rejects nodes with taints that the pod does not tolerate, and prefers nodes with fewer untolerated PreferNoSchedule
 * taints.
 */
export const taintToleration: PluginDefinition = {
  name,
  create: () => {
    const rejected = Status.unresolvable('node(s) had untolerated taint(s)');
    return {
      name,
      filter: (_, { pod }, { node }) => (node && keepsAway(node, pod) ? rejected : undefined),
      signPod: (_, { pod }) => writeJson(pod.spec?.tolerations ?? []),
      preScore: (state, { pod }) => {
        const tolerations = pod.spec?.tolerations ?? [];
        state.set(
          preferred,
          tolerations.filter(({ effect }) => !effect || effect === 'PreferNoSchedule'),
        );
        return undefined;
      },
      score: (state, _, { node }) => {
        const taints = node?.spec?.taints;
        return taints?.length ? countUntolerated(taints, state.get(preferred)) : 0;
      },
      normalizeScore: (_state, _pod, _nodes, scores) => defaultNormalizeScore(scores, { reverse: true }),
      eventsToRegister: () => [
        {
          event: { resource: 'Node', action: Action.Add | Action.UpdateNodeTaint },
          hint: hintAbout<Node>((pod, before, after) =>
            queueIf((!before || keepsAway(before, pod)) && !!after && !keepsAway(after, pod)),
          ),
        },
        {
          event: { resource: 'Pod', action: Action.UpdatePodToleration },
          hint: hintAbout<Pod>((pod, _before, after) => queueIf(after?.metadata.uid === pod.metadata.uid)),
        },
      ],
    };
  },
};

function keepsAway({ spec }: Node, pod: Pod): boolean {
  const taints = spec?.taints;
  return !!taints?.length && untoleratedTaint(taints, pod.spec?.tolerations, effects) !== undefined;
}

function countUntolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let count = 0;
  for (const taint of taints)
    if (taint.effect === 'PreferNoSchedule' && !tolerations.some((toleration) => toleratesTaint(toleration, taint)))
      count++;
  return count;
}
