import type { Node, NodeSelector, Pod } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { preferredNodeAffinity, requiredNodeAffinity } from '@coxswain/component-helpers';
import { Action } from '../../framework/cluster-event.ts';
import { StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status, skip } from '../../framework/status.ts';
import { defaultNormalizeScore } from '../default-normalize-score.ts';
import { compileAddedAffinity, joined, type NodeAffinityArgs, readNodeAffinityArgs } from './node-affinity-args.ts';

const name = 'NodeAffinity';

const required = new StateKey<(node: Node) => boolean>(`PreFilter${name}`);
const preferred = new StateKey<(node: Node) => number>(`PreScore${name}`);

/**
 * Restricts pods to nodes that match their `nodeSelector` and required node affinity, and prefers nodes by their preferred node affinity.
 */
export const nodeAffinity: PluginDefinition<NodeAffinityArgs> = {
  name,
  readArgs: readNodeAffinityArgs,
  create: ({ addedAffinity = {} }) => {
    const { isAllowed, preference } = compileAddedAffinity(addedAffinity);
    const rejected = Status.unresolvable("node(s) didn't match Pod's node affinity/selector");
    const rejectedByAdded = Status.unresolvable("node(s) didn't match scheduler-enforced node affinity");
    return {
      name,
      preFilter: (state, { pod }) => {
        const selector = requiredTermsOf(pod);
        if (!selector && !isAllowed && !pod.spec?.nodeSelector) return skip;
        state.set(required, requirementOf(pod));
        const nodeNames = selector && namedNodes(selector);
        if (nodeNames?.size === 0) return Status.unresolvable('pod affinity terms conflict');
        return nodeNames && { nodeNames };
      },
      filter: (state, { pod }, { node }) => {
        if (!node) return undefined;
        if (isAllowed && !isAllowed(node)) return rejectedByAdded;
        const isMet = state.find(required) ?? requirementOf(pod);
        return isMet(node) ? undefined : rejected;
      },
      signPod: (_, { pod }) => JSON.stringify([pod.spec?.nodeSelector ?? {}, requiredTermsOf(pod) ?? {}]),
      preScore: (state, { pod }) => {
        const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
        if (!terms && !preference) return skip;
        const errors: string[] = [];
        state.set(preferred, preferredNodeAffinity(terms ?? [], Path.of(''), errors));
        if (errors.length > 0) return Status.failed(new Error(joined(errors)));
        return undefined;
      },
      score: (state, _, { node }) => (node ? (preference?.(node) ?? 0) + state.get(preferred)(node) : 0),
      normalizeScore: (_state, _pod, _nodes, scores) => defaultNormalizeScore(scores),
      eventsToRegister: () => [
        {
          event: { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel },
          hint: hintAbout<Node>((pod, before, after) => {
            if (!after || (isAllowed && !isAllowed(after))) return 'Skip';
            const isMet = requirementOf(pod);
            // Differs from upstream: a node is also considered when the added affinity matches only now, while the pod's own affinity
            // matched before.
            const wasAllowed = !isAllowed || !before || isAllowed(before);
            return queueIf(isMet(after) && (!before || !wasAllowed || !isMet(before)));
          }),
        },
      ],
    };
  },
};

const requiredTermsOf = ({ spec }: Pod): NodeSelector | undefined =>
  spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;

const requirementOf = ({ spec }: Pod): ((node: Node) => boolean) => requiredNodeAffinity(spec ?? { containers: [] });

/** The names of the only nodes that can match, when each term requires names; undefined otherwise. */
function namedNodes({ nodeSelectorTerms }: NodeSelector): ReadonlySet<string> | undefined {
  if (nodeSelectorTerms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields } of nodeSelectorTerms) {
    const asked = (matchFields ?? []).filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    const [first, ...others] = asked.map(({ values }) => values ?? []);
    if (!first) return undefined;
    for (const nodeName of first) if (others.every((values) => values.includes(nodeName))) names.add(nodeName);
  }
  return names;
}
