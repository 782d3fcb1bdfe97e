import type { Activity } from './activity.ts';
import { create, remove } from './calls.ts';

const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
const admission = '/apis/admissionregistration.k8s.io/v1';

/** Admission policies and flow schemas that are created, used and deleted. */
export const policies: Activity = {
  name: 'policies',
  perMinute: 3,
  atOnce: 2,
  async run({ rest, namespace, sleep }, turn) {
    const name = `policy-${turn}`;
    try {
      await create(rest, `${admission}/validatingadmissionpolicies`, policy(name));
      await create(rest, `${admission}/validatingadmissionpolicybindings`, {
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'] },
      });
      await create(rest, `${flowControl}/prioritylevelconfigurations`, {
        metadata: { name },
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
      });
      await create(rest, `${flowControl}/flowschemas`, flowSchema(name));
      await sleep(2000);
      await create(rest, `/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: { name, labels: { policed: name } },
      });
      await rest
        .raw({ method: 'GET', path: '/api/v1/namespaces', headers: { 'impersonate-user': name } })
        .catch(() => {});
    } finally {
      await remove(rest, `/api/v1/namespaces/${namespace}/configmaps/${name}`);
      await remove(rest, `${admission}/validatingadmissionpolicybindings/${name}`);
      await remove(rest, `${admission}/validatingadmissionpolicies/${name}`);
      await remove(rest, `${flowControl}/flowschemas/${name}`);
      await remove(rest, `${flowControl}/prioritylevelconfigurations/${name}`);
    }
  },
};

const policy = (name: string): Readonly<Record<string, unknown>> => ({
  metadata: { name },
  spec: {
    matchConstraints: {
      objectSelector: { matchLabels: { policed: name } },
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    },
    validations: [{ expression: `object.metadata.name == '${name}' && !has(object.data)` }],
  },
});

const flowSchema = (name: string): Readonly<Record<string, unknown>> => ({
  metadata: { name },
  spec: {
    matchingPrecedence: 500,
    priorityLevelConfiguration: { name },
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name } }],
        resourceRules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'], clusterScope: true, namespaces: ['*'] }],
      },
    ],
  },
});
