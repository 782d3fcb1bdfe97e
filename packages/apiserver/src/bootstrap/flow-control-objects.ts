import type {
  FlowSchema,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  Subject,
} from '@coxswain/api/flowcontrol/v1';

export const autoUpdateAnnotation = 'apf.kubernetes.io/autoupdate-spec';

const metadata = (name: string) => ({ name, annotations: { [autoUpdateAnnotation]: 'true' } });

/**
 * The limited priority levels: shares, percentage that may be lent, and queues. Without queues, requests are rejected.
 */
const limitedLevels: readonly [name: string, shares: number, lendable: number, queues?: number, handSize?: number][] = [
  ['system', 30, 33, 64, 6],
  ['node-high', 40, 25, 64, 6],
  ['leader-election', 10, 0, 16, 4],
  ['workload-high', 40, 50, 128, 6],
  ['workload-low', 100, 90, 128, 6],
  ['global-default', 20, 50, 128, 6],
  ['catch-all', 5, 0],
];

export const priorityLevels: readonly PriorityLevelConfiguration[] = [
  ...limitedLevels.map(
    ([name, nominalConcurrencyShares, lendablePercent, queues, handSize]): PriorityLevelConfiguration => ({
      kind: 'PriorityLevelConfiguration',
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      metadata: metadata(name),
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares,
          lendablePercent,
          limitResponse: queues
            ? { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } }
            : { type: 'Reject' },
        },
      },
    }),
  ),
  {
    kind: 'PriorityLevelConfiguration',
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    metadata: metadata('exempt'),
    spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
];

/** The objects whose specs are always reset to these, whatever users change. */
export const mandatoryNames: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

const group = (name: string): Subject => ({ kind: 'Group', group: { name } });
const user = (name: string): Subject => ({ kind: 'User', user: { name } });
const serviceAccountsOf = (namespace: string): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name: '*' },
});
const everybody = [group('system:unauthenticated'), group('system:authenticated')];

type ResourceRule = NonNullable<PolicyRulesWithSubjects['resourceRules']>[number];

const all = ['*'];
const resources = (apiGroups: string[], names: string[], verbs: string[], clusterScope?: true): ResourceRule => ({
  verbs,
  apiGroups,
  resources: names,
  ...(clusterScope && { clusterScope }),
  namespaces: all,
});
const urls = (nonResourceURLs: string[], verbs: string[]) => ({ verbs, nonResourceURLs });

type Rules = Pick<PolicyRulesWithSubjects, 'resourceRules' | 'nonResourceRules'>;
const everything: Rules = { resourceRules: [resources(all, all, all, true)], nonResourceRules: [urls(all, all)] };

/** The flow schemas in order of precedence: subjects, rules, priority level, and the distinguisher of flows. */
const flows: readonly [
  name: string,
  matchingPrecedence: number,
  level: string,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  subjects: Subject[],
  rules: Rules,
][] = [
  ['exempt', 1, 'exempt', undefined, [group('system:masters')], everything],
  [
    'probes',
    2,
    'exempt',
    undefined,
    everybody,
    { nonResourceRules: [urls(['/healthz', '/readyz', '/livez'], ['get'])] },
  ],
  [
    'system-leader-election',
    100,
    'leader-election',
    'ByUser',
    [user('system:kube-controller-manager'), user('system:kube-scheduler'), serviceAccountsOf('kube-system')],
    { resourceRules: [resources(['coordination.k8s.io'], ['leases'], ['get', 'create', 'update'])] },
  ],
  [
    'system-node-high',
    400,
    'node-high',
    'ByUser',
    [group('system:nodes')],
    {
      resourceRules: [
        resources([''], ['nodes', 'nodes/status'], all, true),
        resources(['coordination.k8s.io'], ['leases'], all),
      ],
    },
  ],
  ['system-nodes', 500, 'system', 'ByUser', [group('system:nodes')], everything],
  [
    'kube-controller-manager',
    800,
    'workload-high',
    'ByNamespace',
    [user('system:kube-controller-manager')],
    everything,
  ],
  ['kube-scheduler', 800, 'workload-high', 'ByNamespace', [user('system:kube-scheduler')], everything],
  ['kube-system-service-accounts', 900, 'workload-high', 'ByNamespace', [serviceAccountsOf('kube-system')], everything],
  ['service-accounts', 9000, 'workload-low', 'ByUser', [group('system:serviceaccounts')], everything],
  ['global-default', 9900, 'global-default', 'ByUser', everybody, everything],
  ['catch-all', 10000, 'catch-all', 'ByUser', everybody, everything],
];

export const flowSchemas: readonly FlowSchema[] = flows.map(
  ([name, matchingPrecedence, level, type, subjects, rules]): FlowSchema => {
    const spec: FlowSchemaSpec = {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(type && { distinguisherMethod: { type } }),
      rules: [{ subjects, ...rules }],
    };
    return { kind: 'FlowSchema', apiVersion: 'flowcontrol.apiserver.k8s.io/v1', metadata: metadata(name), spec };
  },
);
