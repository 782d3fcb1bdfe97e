import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod, PodTemplateSpec } from '@coxswain/api/core/v1';
import { type PodOwner, podFromTemplate } from '../framework/pods/pod-control.ts';
import { podNameOf, revisionLabel, withIdentity } from './identity.ts';
import { withStorage } from './volume-claims.ts';

interface PodSource {
  /** The name of the revision with the template. */
  readonly revision: string;
  readonly template: PodTemplateSpec;
}

/** Returns the set's new pod with this ordinal. */
export function newPod(set: StatefulSet, owner: PodOwner, { revision, template }: PodSource, ordinal: number): Pod {
  const pod = podFromTemplate(template, owner, { labels: { [revisionLabel]: revision } });
  const named = withStorage(set, withIdentity(set, pod, ordinal), ordinal);
  const { serviceName } = set.spec ?? {};
  return {
    ...named,
    metadata: { ...named.metadata, namespace: set.metadata.namespace ?? '' },
    // These give the pod a DNS name in the domain of the service.
    spec: {
      ...named.spec,
      containers: named.spec?.containers ?? [],
      hostname: podNameOf(set, ordinal),
      ...(serviceName && { subdomain: serviceName }),
    },
  };
}
