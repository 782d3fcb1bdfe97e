import type { Node, Pod } from '@coxswain/api/core/v1';
import { Action } from '../../framework/cluster-event.ts';
import { StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status, skip } from '../../framework/status.ts';
import { requiredFeatures } from './required-features.ts';

const name = 'NodeDeclaredFeatures';

const required = new StateKey<readonly string[]>(`PreFilter${name}`);

/** Restricts pods to nodes that declare the features they use in `status.declaredFeatures`. */
export const nodeDeclaredFeatures: PluginDefinition = {
  name,
  create: () => {
    const rejected = Status.unresolvable("node(s) didn't match Pod's required features");
    return {
      name,
      preFilter: (state, { pod }) => {
        const features = requiredFeatures(pod);
        if (features.length === 0) return skip;
        state.set(required, features);
        return undefined;
      },
      filter: (state, _, { node }) => {
        const declared = node?.status?.declaredFeatures ?? [];
        return state.get(required).every((feature) => declared.includes(feature)) ? undefined : rejected;
      },
      signPod: (state) => state.get(required).join(),
      eventsToRegister: () => [
        {
          event: { resource: 'Node', action: Action.Add | Action.UpdateNodeDeclaredFeature },
          hint: hintAbout<Node>((_, before, after) =>
            queueIf(!before || !sameList(before.status?.declaredFeatures, after?.status?.declaredFeatures)),
          ),
        },
        {
          event: { resource: 'Pod', action: Action.Update },
          hint: hintAbout<Pod>((pod, before, after) => {
            if (!before || !after || after.metadata.uid !== pod.metadata.uid) return 'Skip';
            return queueIf(!sameList(requiredFeatures(before), requiredFeatures(after)));
          }),
        },
      ],
    };
  },
};

type Features = readonly string[] | null | undefined;

const sameList = (a: Features, b: Features): boolean =>
  (a?.length ?? 0) === (b?.length ?? 0) && (a ?? []).every((item, i) => item === b?.[i]);
