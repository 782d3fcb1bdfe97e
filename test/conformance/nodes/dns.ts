import { corednsImage } from '../images/recipes.ts';
import { dnsAddress } from './topology.ts';

const namespace = 'kube-system';
const name = 'coredns';
const labels = { 'k8s-app': 'kube-dns' };

/** Names outside of the cluster do not exist: no other DNS server can be reached. They have a block of their own, because templates come first. */
const corefile = `cluster.local:53 in-addr.arpa:53 ip6.arpa:53 {
  errors
  health {
    lameduck 5s
  }
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 30
  }
  cache 30
  reload
}
.:53 {
  errors
  template ANY ANY . {
    rcode NXDOMAIN
  }
}
`;

/** The objects of the cluster's DNS, in the order in which they are created. */
export const dnsObjects = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'system:coredns' },
    rules: [
      { apiGroups: [''], resources: ['services', 'pods', 'namespaces', 'nodes'], verbs: ['list', 'watch', 'get'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'system:coredns' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { Corefile: corefile } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace, labels },
    spec: {
      clusterIP: dnsAddress,
      selector: labels,
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          priorityClassName: 'system-cluster-critical',
          dnsPolicy: 'Default',
          tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: labels },
            },
          ],
          containers: [
            {
              name,
              image: corednsImage,
              args: ['-conf', '/etc/coredns/Corefile'],
              ports: [
                { name: 'dns', containerPort: 53, protocol: 'UDP' },
                { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
              ],
              livenessProbe: {
                httpGet: { path: '/health', port: 8080 },
                initialDelaySeconds: 60,
                timeoutSeconds: 5,
                failureThreshold: 5,
              },
              readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
              volumeMounts: [{ name: 'config', mountPath: '/etc/coredns', readOnly: true }],
            },
          ],
          volumes: [{ name: 'config', configMap: { name } }],
        },
      },
    },
  },
] as const;
