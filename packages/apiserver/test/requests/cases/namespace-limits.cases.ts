import { asMetadata, asTable, mergePatch, strategicPatch } from '../headers.ts';
import type { Call, Suite } from '../scenario.ts';

const label = 'pod-security.kubernetes.io/';
const labelled = (labels: Record<string, string | null>, query = ''): Call => ({
  send: `PATCH v1::namespaces/{{ns}}${query}`,
  body: { metadata: { labels: Object.fromEntries(Object.entries(labels).map(([key, v]) => [`${label}${key}`, v])) } },
  headers: { ...mergePatch, ...asMetadata },
});
const account: Call = { send: 'POST v1:serviceaccounts', body: { metadata: { name: 'default' } } };
const container = (more: object = {}, name = 'c') => ({ name, image: 'i', ...more });
/** A create of a pod. The response is PartialObjectMetadata, because the rest depends on other plug-ins. */
const pod = (name: string, containers: object[], spec: object = {}, query = ''): Call => ({
  send: `POST v1:pods${query}`,
  body: {
    metadata: name.endsWith('-') ? { generateName: name } : { name },
    spec: { automountServiceAccountToken: false, containers, ...spec },
  },
  headers: asMetadata,
  settle: true,
});
const dryRun = '?dryRun=All';
const privileged = { securityContext: { privileged: true } };
const good = {
  securityContext: {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
};
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [container(privileged)], hostNetwork: true },
};
const selected = { selector: { matchLabels: { a: 'b' } }, template };
const once = { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } };
const made = (resource: string, body: object): Call => ({
  send: `POST ${resource}${dryRun}`,
  body: { metadata: { name: 'x' }, ...body },
  headers: asMetadata,
});
const makers: Call[] = [
  made('apps/v1:deployments', { spec: selected }),
  made('apps/v1:replicasets', { spec: selected }),
  // PartialObjectMetadata would lack an annotation that depends on the kind's version.
  { ...made('apps/v1:daemonsets', { spec: selected }), headers: {} },
  made('apps/v1:statefulsets', { spec: { ...selected, serviceName: 's' } }),
  made('batch/v1:jobs', once),
  made('batch/v1:cronjobs', { spec: { schedule: '* * * * *', jobTemplate: once } }),
  made('v1:replicationcontrollers', { spec: { selector: { a: 'b' }, template } }),
  made('v1:replicationcontrollers', { spec: { selector: { a: 'b' } } }),
  made('v1:podtemplates', { template }),
];

const resources = (requests?: object, limits?: object) => ({
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
});
const range = (...limits: object[]): Call => ({
  send: 'POST v1:limitranges',
  body: { metadata: { name: 'r' }, spec: { limits } },
});
const claim = (name: string, storage: string, more: object = {}, query = ''): Call => ({
  send: `POST v1:persistentvolumeclaims${query}`,
  body: {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', ...resources({ storage }), ...more },
  },
  headers: asMetadata,
  settle: true,
});

/** A quota, with the status that a controller would write. */
const quota = (
  hard: Record<string, string>,
  used: Record<string, string> = {},
  spec: object = {},
  name = 'q',
): Call[] => [
  { send: 'POST v1:resourcequotas', body: { metadata: { name }, spec: { hard, ...spec } }, as: name },
  {
    send: `PATCH v1:resourcequotas/${name}/status`,
    body: {
      status: { hard, used: { ...Object.fromEntries(Object.keys(hard).map((key) => [key, '0'])), ...used } },
    },
    headers: mergePatch,
  },
];
const used: Call = { send: 'GET v1:resourcequotas?includeObject=None', headers: asTable };
const configMap = (name: string, query = ''): Call => ({
  send: `POST v1:configmaps${query}`,
  body: { metadata: { name } },
  settle: true,
});
const service = (name: string, type: string, ports: object[], query = ''): Call => ({
  send: `POST v1:services${query}`,
  body: { metadata: { name }, spec: { type, ports } },
  headers: asMetadata,
  settle: true,
});

/** Restrictions by namespace: pod security, limit ranges, quotas. */
export const suite: Suite = {
  server: 'default',
  scenarios: {
    'labels of pod security make sense': [
      { send: 'POST v1::namespaces', body: { metadata: { name: 'bad', labels: { [`${label}enforce`]: 'strict' } } } },
      {
        send: 'POST v1::namespaces',
        body: {
          metadata: {
            name: 'bad',
            labels: { [`${label}audit`]: '', [`${label}warn-version`]: 'v2.0', [`${label}enforce-version`]: '1.2' },
          },
        },
      },
      labelled({ warn: 'everything' }),
      labelled({ 'enforce-version': 'v1.01' }),
      labelled({ enforce: 'baseline', 'enforce-version': 'v1.99' }),
      labelled({ enforce: null, 'enforce-version': null }),
    ],
    'pods are as their namespace wants them': [
      account,
      labelled({ enforce: 'baseline' }),
      pod('a', [container(privileged)]),
      pod('a-', [container(privileged)], { hostNetwork: true, hostPID: true }, dryRun),
      pod('a', [container(privileged, 'x'), container({ ports: [{ containerPort: 1, hostPort: 2 }] }, 'y')], {
        initContainers: [container(privileged, 'z')],
        volumes: [{ name: 'v', hostPath: { path: '/' } }],
      }),
      pod('ok', [container()], {}, dryRun),
      labelled({ enforce: 'restricted', 'enforce-version': 'v1.19' }),
      pod('a', [container()]),
      pod('ok', [container(good)]),
      labelled({ 'enforce-version': 'latest' }),
      pod('a', [container()], { volumes: [{ name: 'v', nfs: { server: 's', path: '/' } }], hostUsers: false }),
      pod('fine', [container(good)], {}, dryRun),
      ...makers,
    ],
    'pods and what makes them are told of': [
      account,
      labelled({ warn: 'restricted', 'warn-version': 'v1.24', audit: 'baseline' }),
      pod('a', [container(privileged)], {}, dryRun),
      pod('a', [container()], { os: { name: 'windows' } }, dryRun),
      pod('a', [container(good)], {}, dryRun),
      ...makers,
      labelled({ warn: 'privileged', enforce: 'baseline' }),
      pod('a', [container()], {}, dryRun),
      makers[0]!,
    ],
    'pods that are there are told of when more is asked': [
      account,
      pod('a', [container(privileged)]),
      pod('b', [container(privileged)]),
      pod('c', [container(privileged)]),
      pod('d', [container()], { hostNetwork: true }),
      pod('e', [container(good)]),
      { ...labelled({ enforce: 'baseline' }, dryRun), settle: true },
      labelled({ enforce: 'restricted' }),
      labelled({ enforce: 'restricted', 'enforce-version': 'v1.7' }),
      labelled({ enforce: 'baseline' }),
      labelled({ enforce: 'privileged' }),
      labelled({ warn: 'restricted' }),
    ],
    'updates of pods are judged when they change what runs': [
      account,
      pod('a', [container(privileged)]),
      { ...labelled({ enforce: 'baseline' }), settle: true },
      {
        send: 'PATCH v1:pods/a',
        body: { metadata: { labels: { a: 'b' } } },
        headers: { ...mergePatch, ...asMetadata },
      },
      {
        send: 'PATCH v1:pods/a',
        body: { spec: { containers: [{ name: 'c', image: 'other' }] } },
        headers: { ...strategicPatch, ...asMetadata },
      },
      {
        send: 'PATCH v1:pods/a/ephemeralcontainers',
        body: { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
        headers: { ...strategicPatch, ...asMetadata },
      },
      {
        send: 'PATCH v1:pods/a/status',
        body: { status: { phase: 'Running' } },
        headers: { ...mergePatch, ...asMetadata },
      },
    ],
    'containers get what the range gives them': [
      account,
      range({
        type: 'Container',
        default: { cpu: '500m', memory: '1Gi' },
        defaultRequest: { cpu: '100m' },
        max: { cpu: '2' },
      }),
      pod('a', [container(), container(resources({ cpu: '1' }, { cpu: '1' }), 'd')], {
        initContainers: [container({}, 'i'), container(resources({ memory: '1Mi' }), 'j')],
      }),
      pod('b', [container(resources({ cpu: '1', memory: '1Gi' }, { cpu: '2', memory: '2Gi' }))]),
      pod('c', [container(resources({ cpu: '3' }, { cpu: '3' }))]),
    ],
    'containers keep to the range': [
      account,
      range({ type: 'Container', max: { cpu: '2' }, min: { cpu: '200m' }, maxLimitRequestRatio: { cpu: '3' } }),
      pod('a', [container(resources({ cpu: '100m' }, { cpu: '1' }))]),
      pod('a', [container(resources({ cpu: '100m' }, { cpu: '100m' }))]),
      pod('a', [container(resources({ cpu: '1' }, { cpu: '3500m' }))]),
      pod('a-', [container(resources({ cpu: '3' }, { cpu: '4' })), container(resources({ cpu: '0' }), 'd')]),
      pod('a', [container(resources({ cpu: '1' }))], {
        initContainers: [container(resources({ cpu: '250m' }, { cpu: '1' }), 'i')],
      }),
    ],
    'pods keep to the range': [
      account,
      range({ type: 'Pod', max: { memory: '2Gi' }, min: { cpu: '1' }, maxLimitRequestRatio: { memory: '1500m' } }),
      pod('a', [container()]),
      pod('a', [
        container(resources({ cpu: '500m', memory: '1Gi' }, { memory: '1Gi' })),
        container(resources({ memory: '1Gi' }, { memory: '2Gi' }), 'd'),
      ]),
      pod('a', [container(resources({ cpu: '1', memory: '1Gi' }, { memory: '1Gi' }))], {
        initContainers: [container(resources({ memory: '3Gi' }, { memory: '3Gi' }), 'i')],
      }),
      pod('a', [container(resources({ cpu: '1', memory: '1Gi' }, { memory: '1Gi' }))], {
        initContainers: [
          { ...container(resources({ memory: '1Gi' }, { memory: '2Gi' }), 's'), restartPolicy: 'Always' },
        ],
      }),
      pod('a', [container()], resources({ cpu: '2', memory: '1Gi' }, { cpu: '2', memory: '3Gi' })),
      pod('a', [container()], resources({ cpu: '2', memory: '1Gi' }, { cpu: '2', memory: '1Gi' })),
    ],
    'pods keep to the range when they are resized': [
      account,
      range({ type: 'Container', max: { cpu: '2' } }),
      pod('a', [container(resources({ cpu: '1' }, { cpu: '1' }))]),
      {
        send: 'PATCH v1:pods/a/resize',
        body: { spec: { containers: [{ name: 'c', ...resources({ cpu: '3' }, { cpu: '3' }) }] } },
        headers: { ...strategicPatch, ...asMetadata },
      },
    ],
    'claims keep to the range': [
      range({ type: 'PersistentVolumeClaim', max: { storage: '2Gi' }, min: { storage: '1Gi' } }),
      claim('a', '3Gi'),
      claim('a', '1Mi'),
      claim('a', '1Gi'),
      {
        send: 'PATCH v1:persistentvolumeclaims/a',
        body: { spec: resources({ storage: '5Gi' }) },
        headers: { ...mergePatch, ...asMetadata },
      },
    ],
    'objects are counted': [
      ...quota(
        { configmaps: '2', 'count/configmaps': '3', 'count/deployments.apps': '1' },
        { 'count/configmaps': '1' },
      ),
      configMap('a'),
      configMap('b', dryRun),
      configMap('b'),
      configMap('b'),
      configMap('c'),
      { send: 'DELETE v1:configmaps/a' },
      configMap('c'),
      used,
      { send: 'POST apps/v1:deployments', body: { metadata: { name: 'd' }, spec: { ...selected, replicas: 1 } } },
      { send: 'POST apps/v1:deployments', body: { metadata: { name: 'e' }, spec: selected }, settle: true },
      { send: 'PATCH apps/v1:deployments/d/scale', body: { spec: { replicas: 3 } }, headers: mergePatch },
      used,
    ],
    'quotas count as far as their status is known': [
      {
        send: 'POST v1:resourcequotas',
        body: { metadata: { name: 'q' }, spec: { hard: { secrets: '1', 'count/secrets': '1', pods: '1' } } },
      },
      { send: 'POST v1:secrets', body: { metadata: { name: 's' } }, settle: true },
      {
        send: 'PATCH v1:resourcequotas/q/status',
        body: { status: { hard: { secrets: '1', 'count/secrets': '1', pods: '1' }, used: { secrets: '0' } } },
        headers: mergePatch,
      },
      { send: 'POST v1:secrets', body: { metadata: { name: 's' } }, settle: true },
      { send: 'POST v1:configmaps', body: { metadata: { name: 's' } } },
    ],
    'pods use what they ask for': [
      account,
      ...quota(
        { pods: '10', 'requests.cpu': '2', 'limits.memory': '2Gi', 'requests.example.com/gpu': '1' },
        { pods: '1', 'requests.cpu': '500m' },
      ),
      pod('a', [container()]),
      pod('a', [container(resources({ cpu: '1' })), container(resources({}, { memory: '1Gi' }), 'd')], {
        initContainers: [container({}, 'i')],
      }),
      pod('a', [container(resources({ cpu: '2', memory: '1Gi' }, { memory: '3Gi' }))]),
      pod('a', [
        container(
          resources({ cpu: '1', memory: '1Gi', 'example.com/gpu': '2' }, { memory: '1Gi', 'example.com/gpu': '2' }),
        ),
      ]),
      pod('a', [container(resources({ cpu: '1', memory: '1Gi' }, { memory: '1Gi' }))], {}, dryRun),
      used,
      pod('a', [container(resources({ cpu: '1', memory: '1Gi' }, { memory: '1Gi' }))]),
      used,
      pod('b', [container(resources({ cpu: '1', memory: '1Gi' }, { memory: '1Gi' }))]),
      pod('c', [container()], resources({ cpu: '1' }, { memory: '1Gi' })),
      {
        send: 'PATCH v1:pods/a/resize',
        body: { spec: { containers: [{ name: 'c', ...resources({ cpu: '1800m' }) }] } },
        headers: { ...strategicPatch, ...asMetadata },
        settle: true,
      },
      {
        send: 'PATCH v1:pods/a/resize',
        body: { spec: { containers: [{ name: 'c', ...resources({ cpu: '1200m' }) }] } },
        headers: { ...strategicPatch, ...asMetadata },
      },
      { ...used, settle: true },
      pod('a', [container(resources({ cpu: '100m', memory: '1Mi' }, { memory: '1Mi' }))]),
    ],
    'quotas have scopes': [
      account,
      ...quota({ pods: '0' }, {}, { scopes: ['BestEffort'] }, 'best'),
      ...quota({ pods: '0' }, {}, { scopes: ['Terminating', 'NotBestEffort'] }, 'ends'),
      ...quota(
        { pods: '0' },
        {},
        {
          scopeSelector: {
            matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }],
          },
        },
        'high',
      ),
      ...quota(
        { pods: '0' },
        {},
        { scopeSelector: { matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] } },
        'near',
      ),
      pod('a', [container()]),
      pod('a', [container(resources({ cpu: '1' }))], { activeDeadlineSeconds: 5 }),
      pod('a', [container(resources({ cpu: '1' }))], { priorityClassName: 'system-node-critical' }),
      pod('a', [container(resources({ cpu: '1' }))], {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', namespaceSelector: {} }],
          },
        },
      }),
      pod('ok', [container(resources({ cpu: '1' }))], { priorityClassName: 'system-cluster-critical' }),
      {
        send: 'PATCH v1:pods/ok',
        body: { spec: { activeDeadlineSeconds: 5 } },
        headers: { ...mergePatch, ...asMetadata },
      },
    ],
    'services use ports and load balancers': [
      ...quota({ services: '3', 'services.nodeports': '2', 'services.loadbalancers': '1' }),
      service('a', 'NodePort', [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
        { name: 'c', port: 3 },
      ]),
      service('a', 'NodePort', [{ name: 'a', port: 1 }]),
      service('b', 'LoadBalancer', [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ]),
      service('b', 'LoadBalancer', [{ name: 'a', port: 1 }]),
      service('c', 'LoadBalancer', [{ name: 'a', port: 1 }]),
      service('c', 'ClusterIP', [{ name: 'a', port: 1 }]),
      {
        send: 'PATCH v1:services/c',
        body: { spec: { type: 'NodePort' } },
        headers: { ...mergePatch, ...asMetadata },
        settle: true,
      },
      {
        send: 'PATCH v1:services/c',
        body: { metadata: { labels: { a: 'b' } } },
        headers: { ...mergePatch, ...asMetadata },
      },
      service('d', 'ClusterIP', [{ name: 'a', port: 1 }]),
      used,
    ],
    'claims use storage': [
      ...quota({
        'requests.storage': '3Gi',
        persistentvolumeclaims: '5',
        'gold.storageclass.storage.k8s.io/requests.storage': '2Gi',
        'silver.storageclass.storage.k8s.io/persistentvolumeclaims': '0',
      }),
      ...quota(
        { persistentvolumeclaims: '0' },
        {},
        {
          scopeSelector: {
            matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] }],
          },
        },
        'fast',
      ),
      claim('a', '2500Mi'),
      claim('a', '1Gi'),
      claim('b', '1Gi', { storageClassName: 'silver' }),
      claim('b', '3Gi', { storageClassName: 'bronze' }),
      claim('b', '1Mi', { volumeAttributesClassName: 'fast' }),
      claim('b', '1Mi', { volumeAttributesClassName: 'slow' }),
      used,
    ],
    'claims for devices are counted': [
      ...quota({ 'gpu.deviceclass.resource.k8s.io/devices': '3', 'count/resourceclaims.resource.k8s.io': '5' }),
      {
        send: 'POST resource.k8s.io/v1:resourceclaims',
        body: {
          metadata: { name: 'a' },
          spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count: 4 } }] } },
        },
        settle: true,
      },
      {
        send: 'POST resource.k8s.io/v1:resourceclaims',
        body: {
          metadata: { name: 'a' },
          spec: {
            devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'All' } }] },
          },
        },
      },
      {
        send: 'POST resource.k8s.io/v1:resourceclaims',
        body: {
          metadata: { name: 'a' },
          spec: {
            devices: {
              requests: [
                {
                  name: 'r',
                  firstAvailable: [
                    { name: 'x', deviceClassName: 'gpu', count: 2 },
                    { name: 'y', deviceClassName: 'nic' },
                  ],
                },
              ],
            },
          },
        },
      },
      used,
    ],
    'objects of custom kinds are counted': [
      {
        send: 'POST apiextensions.k8s.io/v1::customresourcedefinitions',
        body: {
          metadata: { name: 'boats.{{ns}}.dev' },
          spec: {
            group: '{{ns}}.dev',
            scope: 'Namespaced',
            names: { plural: 'boats', kind: 'Boat' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        },
        headers: asMetadata,
      },
      ...quota({ 'count/boats.{{ns}}.dev': '1' }),
      {
        send: 'POST {{ns}}.dev/v1:boats',
        body: { apiVersion: '{{ns}}.dev/v1', kind: 'Boat', metadata: { name: 'a' } },
        settle: true,
      },
      {
        send: 'POST {{ns}}.dev/v1:boats',
        body: { apiVersion: '{{ns}}.dev/v1', kind: 'Boat', metadata: { name: 'b' } },
        settle: true,
      },
      used,
    ],
    'every quota has its say': [
      ...quota({ configmaps: '1' }, {}, {}, 'a'),
      ...quota({ configmaps: '5', secrets: '5' }, {}, {}, 'b'),
      configMap('x'),
      configMap('y'),
      used,
    ],
  },
};
