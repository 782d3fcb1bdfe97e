import type { Case, CaseSuite, JsonObject } from '../case.ts';

const spec = (fields: JsonObject): Case => ({ create: 'pod', change: (pod) => Object.assign(pod.spec, fields) });
const nodeAffinity = (fields: JsonObject): Case => spec({ affinity: { nodeAffinity: fields } });
const podTerms = (...terms: JsonObject[]): JsonObject => ({ requiredDuringSchedulingIgnoredDuringExecution: terms });
const podPreferences = (...terms: JsonObject[]): JsonObject => ({
  preferredDuringSchedulingIgnoredDuringExecution: terms,
});
const requirement = (key: string, operator: string, ...values: string[]): JsonObject => ({ key, operator, values });
const spread = (fields: JsonObject): JsonObject => ({
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...fields,
});

export const suite: CaseSuite = {
  bases: {
    pod: {
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', labels: { app: 'web', tier: 'front' } },
        spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
      },
    },
  },
  cases: {
    'labels that select nodes are labels': spec({ nodeSelector: { 'a b': 'c d' } }),
    'a required node affinity has terms': nodeAffinity({ requiredDuringSchedulingIgnoredDuringExecution: {} }),
    'requirements on nodes have operators with fitting values': nodeAffinity({
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              requirement('a', 'In'),
              requirement('a', 'Exists', 'x'),
              requirement('a', 'Gt'),
              requirement('a', 'Lt', '1', '2'),
              requirement('a', 'Near', 'x'),
              requirement('a b', 'NotIn', 'c d'),
              requirement('', 'DoesNotExist'),
            ],
            matchFields: [
              requirement('metadata.name', 'In'),
              requirement('metadata.name', 'NotIn', 'a', 'b'),
              requirement('metadata.name', 'Exists'),
              requirement('metadata.namespace', 'In', 'a'),
              requirement('metadata.name', 'In', 'A B'),
            ],
          },
          {},
        ],
      },
    }),
    'preferred nodes have weights, and may have values that no label has': nodeAffinity({
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: [requirement('a', 'In', 'c d')] } },
      ],
    }),
    'weights are from 1 to 100': spec({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: {} },
            { weight: 101, preference: { matchExpressions: [requirement('a b', 'In', 'c d')] } },
          ],
        },
        podAffinity: podPreferences({ weight: 0, podAffinityTerm: { topologyKey: 'a' } }),
        podAntiAffinity: podPreferences({ weight: 101, podAffinityTerm: { topologyKey: '' } }),
      },
    }),
    'terms on pods have topology keys, namespaces and selectors': spec({
      affinity: {
        podAffinity: podTerms(
          { topologyKey: '' },
          { topologyKey: 'a b', namespaces: ['A', 'b.c'] },
          { topologyKey: 'a', labelSelector: { matchLabels: { 'a b': 'c' } } },
          { topologyKey: 'a', labelSelector: { matchExpressions: [requirement('a', 'In', 'c d')] } },
          { topologyKey: 'a', namespaceSelector: { matchExpressions: [requirement('a', 'Near')] } },
        ),
        podAntiAffinity: podTerms({
          topologyKey: 'a',
          labelSelector: { matchExpressions: [requirement('', 'Exists', 'x')] },
        }),
      },
    }),
    'keys of labels that match go into the selectors': spec({
      affinity: {
        podAffinity: {
          ...podTerms({
            topologyKey: 'a',
            labelSelector: {},
            matchLabelKeys: ['app'],
            mismatchLabelKeys: ['tier', 'gone'],
          }),
          ...podPreferences({
            weight: 1,
            podAffinityTerm: {
              topologyKey: 'a',
              labelSelector: { matchExpressions: [requirement('x', 'Exists')] },
              matchLabelKeys: ['gone'],
              mismatchLabelKeys: ['app'],
            },
          }),
        },
        podAntiAffinity: podTerms({
          topologyKey: 'a',
          labelSelector: { matchLabels: { x: 'y' } },
          matchLabelKeys: ['tier'],
        }),
      },
      topologySpreadConstraints: [spread({ matchLabelKeys: ['tier', 'gone'] })],
    }),
    'keys of labels stand on one side only': spec({
      affinity: {
        podAffinity: podTerms(
          { topologyKey: 'a', matchLabelKeys: ['app'], mismatchLabelKeys: ['tier'] },
          { topologyKey: 'a', labelSelector: {}, matchLabelKeys: ['a b'] },
          { topologyKey: 'a', labelSelector: {}, matchLabelKeys: ['x'], mismatchLabelKeys: ['x'] },
          { topologyKey: 'a', labelSelector: { matchLabels: { app: 'x' } }, matchLabelKeys: ['app'] },
        ),
      },
    }),
    'spread constraints make sense': spec({
      topologySpreadConstraints: [
        spread({ maxSkew: 0 }),
        spread({ topologyKey: '' }),
        spread({ topologyKey: 'b', whenUnsatisfiable: 'Wait' }),
        spread({ topologyKey: 'c', minDomains: 0 }),
        spread({ topologyKey: 'd', minDomains: 1, whenUnsatisfiable: 'ScheduleAnyway' }),
        spread({ topologyKey: 'e', nodeAffinityPolicy: 'X', nodeTaintsPolicy: 'Y' }),
        spread({ topologyKey: 'f', labelSelector: { matchExpressions: [requirement('a', 'In')] } }),
        spread({ topologyKey: 'g', matchLabelKeys: ['a b'] }),
        spread({ topologyKey: 'h', matchLabelKeys: ['app'] }),
        spread({ topologyKey: 'i', labelSelector: undefined, matchLabelKeys: ['app'] }),
        spread({ topologyKey: 'c' }),
      ],
    }),
    'tolerations have operators, keys and effects that fit': spec({
      tolerations: [
        { operator: 'Equal' },
        { key: 'a b', operator: 'Exists' },
        { key: 'a', operator: 'Exists', value: 'x' },
        { key: 'a', value: 'c d' },
        { key: 'a', operator: 'Near' },
        { key: 'a', operator: 'Lt', value: '1' },
        { key: 'a', operator: 'Exists', effect: 'NoDance' },
        { key: 'a', operator: 'Exists', tolerationSeconds: 1 },
        { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -1 },
        { operator: 'Exists' },
      ],
    }),
    'gates have qualified names and stand once': spec({
      nodeName: 'node',
      schedulingGates: [{ name: 'a b' }, { name: 'x' }, { name: 'x' }, { name: '' }],
    }),
    'gates of readiness have qualified types': spec({
      readinessGates: [{ conditionType: 'a b' }, { conditionType: 'x' }],
    }),
    'names in a pod are valid': spec({
      serviceAccountName: 'A',
      nodeName: 'B',
      hostname: 'C',
      subdomain: 'a.b',
      priorityClassName: 'D',
      runtimeClassName: 'E',
      preemptionPolicy: 'Always',
      activeDeadlineSeconds: 0,
      restartPolicy: 'Sometimes',
      dnsPolicy: 'X',
      schedulerName: 'anything goes',
    }),
    'deadlines fit into 32 bits': spec({ activeDeadlineSeconds: 2147483648 }),
    'service accounts have two names for one thing': spec({ serviceAccount: 'old' }),
    'the newer name of a service account wins': spec({ serviceAccount: 'old', serviceAccountName: 'new' }),
    'negative grace periods become one second': spec({ terminationGracePeriodSeconds: -5 }),
    'hostnames are overridden within limits': spec({
      hostnameOverride: `A.${'b'.repeat(70)}`,
      setHostnameAsFQDN: true,
      hostNetwork: true,
    }),
    'aliases of hosts are addresses and names': spec({
      hostAliases: [{ ip: 'x', hostnames: ['A', 'b'] }, { ip: '010.0.0.1', hostnames: ['b'] }, { ip: '::1' }],
    }),
    'resolvers have few addresses and searches': spec({
      dnsConfig: {
        nameservers: ['1.1.1.1', 'x', '::1', '1.1.1.01'],
        searches: ['.', 'a.', 'b_c', 'D', ...Array.from({ length: 30 }, (_, i) => `s${i}`)],
        options: [{ name: '' }, { name: 'ndots', value: '1' }],
      },
    }),
    'the list of searches is of limited length': spec({
      dnsConfig: {
        searches: Array.from(
          { length: 10 },
          (_, i) => `${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(60)}.a${i}`,
        ),
      },
    }),
    'a pod without resolver of the cluster brings its own': spec({ dnsPolicy: 'None' }),
    'a pod with its own resolver has addresses': spec({ dnsPolicy: 'None', dnsConfig: {} }),
    'claims of resources have names and one source': {
      create: 'pod',
      change: (pod) => {
        pod.spec.resourceClaims = [
          { name: '' },
          { name: 'A', resourceClaimName: 'x' },
          { name: 'b', resourceClaimName: 'X', resourceClaimTemplateName: 'Y' },
          { name: 'b', resourceClaimTemplateName: 'y' },
        ];
        pod.spec.containers[0].resources = {
          claims: [
            { name: '' },
            { name: 'b', request: 'R' },
            { name: 'b', request: 'r' },
            { name: 'b', request: 'r' },
            { name: 'b' },
            { name: 'b' },
            { name: 'gone' },
          ],
        };
      },
    },
    'containers use only claims that the pod has': {
      create: 'pod',
      change: (pod) => {
        pod.spec.containers[0].resources = { claims: [{ name: 'gone' }] };
      },
    },
    'pods that mirror files have no claims': {
      create: 'pod',
      change: (pod) => {
        pod.metadata.annotations = { 'kubernetes.io/config.mirror': 'x' };
        pod.spec.nodeName = 'node';
        pod.spec.resourceClaims = [{ name: 'a', resourceClaimName: 'b' }];
      },
    },
    'groups of pods are dropped while their feature is off': spec({ schedulingGroup: { podGroupName: 'x' } }),
  },
};
