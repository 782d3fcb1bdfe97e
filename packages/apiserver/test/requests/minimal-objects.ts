import type { JsonObject } from './scenario.ts';

/** A minimal valid object of a kind, with patches for it. */
export interface MinimalObject {
  /** In the form of `Call.send`: `apps/v1:deployments`, `v1::nodes`. */
  readonly collection: string;
  readonly kind: string;
  /** Everything but apiVersion, kind and metadata. */
  readonly content: JsonObject;
  /** A valid merge patch for a stored object. */
  readonly change?: JsonObject;
  /** A merge patch for the status. */
  readonly status?: JsonObject;
  /** The name, when it cannot be arbitrary. */
  readonly name?: string;
}

const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const selector = { matchLabels: { app: 'x' } };
const device = { name: 'd', exactly: { deviceClassName: 'dc.example.com' } };

/** A minimal object of nearly every stored kind. */
export const minimalObjects: readonly MinimalObject[] = [
  { collection: 'v1:configmaps', kind: 'ConfigMap', content: { data: { a: '1' } }, change: { data: { a: '2' } } },
  {
    collection: 'v1:secrets',
    kind: 'Secret',
    content: { stringData: { a: 'x' }, type: 'Opaque' },
    change: { data: { b: 'eA==' } },
  },
  {
    collection: 'v1:pods',
    kind: 'Pod',
    content: { spec: template.spec },
    change: { spec: { activeDeadlineSeconds: 9 } },
    status: { phase: 'Running', podIP: '10.1.2.3' },
  },
  {
    collection: 'v1:podtemplates',
    kind: 'PodTemplate',
    content: { template },
    change: { template: { metadata: { labels: { app: 'y' } } } },
  },
  {
    collection: 'v1:replicationcontrollers',
    kind: 'ReplicationController',
    content: { spec: { replicas: 1, selector: { app: 'x' }, template } },
    change: { spec: { replicas: 2 } },
    status: { replicas: 1 },
  },
  {
    collection: 'v1:services',
    kind: 'Service',
    content: { spec: { ports: [{ port: 80 }], selector: { app: 'x' } } },
    change: { spec: { selector: { app: 'y' } } },
    status: { loadBalancer: {} },
  },
  {
    collection: 'v1:endpoints',
    kind: 'Endpoints',
    content: { subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 80 }] }] },
    change: { subsets: [{ addresses: [{ ip: '10.9.9.8' }], ports: [{ port: 81 }] }] },
  },
  {
    collection: 'v1:persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    content: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    change: { metadata: { annotations: { a: 'b' } } },
    status: { phase: 'Pending' },
  },
  {
    collection: 'v1::persistentvolumes',
    kind: 'PersistentVolume',
    content: { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/p' } } },
    change: { spec: { persistentVolumeReclaimPolicy: 'Delete' } },
    status: { phase: 'Available' },
  },
  {
    collection: 'v1:limitranges',
    kind: 'LimitRange',
    content: { spec: { limits: [{ type: 'Pod', max: { cpu: '2' } }] } },
    change: { spec: { limits: [{ type: 'Pod', max: { cpu: '3' } }] } },
  },
  {
    collection: 'v1:resourcequotas',
    kind: 'ResourceQuota',
    content: { spec: { hard: { pods: '10' } } },
    change: { spec: { hard: { pods: '11' } } },
    status: { hard: { pods: '10' }, used: { pods: '0' } },
  },
  {
    collection: 'v1:serviceaccounts',
    kind: 'ServiceAccount',
    content: {},
    change: { automountServiceAccountToken: false },
  },
  {
    collection: 'v1:events',
    kind: 'Event',
    content: {
      involvedObject: { namespace: '{{ns}}', name: 'x', kind: 'Pod' },
      reason: 'r',
      message: 'm',
      type: 'Normal',
    },
    change: { count: 2 },
  },
  {
    collection: 'v1::nodes',
    kind: 'Node',
    content: {},
    change: { spec: { unschedulable: true } },
    status: { nodeInfo: { kubeletVersion: 'v1.36.0' } },
  },
  {
    collection: 'apps/v1:deployments',
    kind: 'Deployment',
    content: { spec: { replicas: 1, selector, template } },
    change: { spec: { replicas: 2 } },
    status: { replicas: 1, observedGeneration: 1 },
  },
  {
    collection: 'apps/v1:replicasets',
    kind: 'ReplicaSet',
    content: { spec: { replicas: 1, selector, template } },
    change: { spec: { replicas: 2 } },
    status: { replicas: 1 },
  },
  {
    collection: 'apps/v1:statefulsets',
    kind: 'StatefulSet',
    content: { spec: { serviceName: 's', selector, template } },
    change: { spec: { replicas: 2 } },
    status: { replicas: 1 },
  },
  {
    collection: 'apps/v1:daemonsets',
    kind: 'DaemonSet',
    content: { spec: { selector, template } },
    change: { spec: { minReadySeconds: 2 } },
    status: { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: 0 },
  },
  {
    collection: 'apps/v1:controllerrevisions',
    kind: 'ControllerRevision',
    content: { revision: 1, data: { a: 1 } },
    change: { revision: 2 },
  },
  {
    collection: 'batch/v1:jobs',
    kind: 'Job',
    content: { spec: { suspend: true, template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    change: { spec: { parallelism: 2 } },
    status: { active: 0 },
  },
  {
    collection: 'batch/v1:cronjobs',
    kind: 'CronJob',
    content: {
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
      },
    },
    change: { spec: { suspend: true } },
    status: { lastScheduleTime: '2020-01-01T00:00:00Z' },
  },
  {
    collection: 'autoscaling/v2:horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    content: { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } },
    change: { spec: { maxReplicas: 4 } },
    status: { currentReplicas: 1, desiredReplicas: 1 },
  },
  {
    collection: 'autoscaling/v1:horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    content: {
      spec: {
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      },
    },
    change: { spec: { maxReplicas: 4 } },
    status: { currentReplicas: 1, desiredReplicas: 1 },
  },
  {
    collection: 'policy/v1:poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    content: { spec: { minAvailable: 1, selector } },
    change: { spec: { minAvailable: '50%' } },
    status: { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  },
  {
    collection: 'networking.k8s.io/v1:ingresses',
    kind: 'Ingress',
    content: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    change: { spec: { ingressClassName: 'c' } },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
  },
  {
    collection: 'networking.k8s.io/v1::ingressclasses',
    kind: 'IngressClass',
    content: { spec: { controller: 'example.com/c' } },
    change: { metadata: { annotations: { a: 'b' } } },
  },
  {
    collection: 'networking.k8s.io/v1:networkpolicies',
    kind: 'NetworkPolicy',
    content: { spec: { podSelector: {} } },
    change: { spec: { ingress: [{}] } },
  },
  {
    collection: 'networking.k8s.io/v1::ipaddresses',
    kind: 'IPAddress',
    name: '203.0.113.7',
    content: { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } },
    change: { metadata: { annotations: { a: 'b' } } },
  },
  {
    collection: 'networking.k8s.io/v1::servicecidrs',
    kind: 'ServiceCIDR',
    content: { spec: { cidrs: ['198.51.100.0/24'] } },
    change: { metadata: { annotations: { a: 'b' } } },
    status: { conditions: [] },
  },
  {
    collection: 'discovery.k8s.io/v1:endpointslices',
    kind: 'EndpointSlice',
    content: { addressType: 'IPv4', endpoints: [{ addresses: ['10.9.9.9'] }], ports: [{ port: 80 }] },
    change: { endpoints: [{ addresses: ['10.9.9.8'] }] },
  },
  {
    collection: 'events.k8s.io/v1:events',
    kind: 'Event',
    content: {
      eventTime: '2020-01-02T03:04:05.000000Z',
      action: 'a',
      reason: 'r',
      note: 'n',
      type: 'Normal',
      regarding: { namespace: '{{ns}}', name: 'x' },
      reportingController: 'example.com/c',
      reportingInstance: 'i',
    },
    change: { series: { count: 2, lastObservedTime: '2020-01-02T03:04:06.000000Z' } },
  },
  {
    collection: 'rbac.authorization.k8s.io/v1:roles',
    kind: 'Role',
    content: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    change: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] },
  },
  {
    collection: 'rbac.authorization.k8s.io/v1:rolebindings',
    kind: 'RoleBinding',
    content: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'u' }],
    },
    change: { subjects: [{ kind: 'Group', name: 'g' }] },
  },
  {
    collection: 'rbac.authorization.k8s.io/v1::clusterroles',
    kind: 'ClusterRole',
    content: { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] },
    change: { rules: [{ nonResourceURLs: ['/y'], verbs: ['get'] }] },
  },
  {
    collection: 'rbac.authorization.k8s.io/v1::clusterrolebindings',
    kind: 'ClusterRoleBinding',
    content: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'none' } },
    change: { subjects: [{ kind: 'ServiceAccount', name: 's', namespace: 'n' }] },
  },
  {
    collection: 'storage.k8s.io/v1::storageclasses',
    kind: 'StorageClass',
    content: { provisioner: 'example.com/p' },
    change: { allowVolumeExpansion: true },
  },
  {
    collection: 'storage.k8s.io/v1::csidrivers',
    kind: 'CSIDriver',
    content: { spec: { attachRequired: false } },
    change: { spec: { requiresRepublish: true } },
  },
  {
    collection: 'storage.k8s.io/v1::csinodes',
    kind: 'CSINode',
    content: { spec: { drivers: [] } },
    change: { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: [] }] } },
  },
  {
    collection: 'storage.k8s.io/v1:csistoragecapacities',
    kind: 'CSIStorageCapacity',
    content: { storageClassName: 's', capacity: '1Gi' },
    change: { capacity: '2Gi' },
  },
  {
    collection: 'storage.k8s.io/v1::volumeattachments',
    kind: 'VolumeAttachment',
    content: { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    change: { metadata: { annotations: { a: 'b' } } },
    status: { attached: true },
  },
  {
    collection: 'storage.k8s.io/v1::volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    content: { driverName: 'd', parameters: { a: 'b' } },
    change: { metadata: { annotations: { a: 'b' } } },
  },
  {
    collection: 'scheduling.k8s.io/v1::priorityclasses',
    kind: 'PriorityClass',
    content: { value: 7 },
    change: { description: 'x' },
  },
  {
    collection: 'node.k8s.io/v1::runtimeclasses',
    kind: 'RuntimeClass',
    content: { handler: 'h' },
    change: { overhead: { podFixed: { cpu: '1m' } } },
  },
  {
    collection: 'coordination.k8s.io/v1:leases',
    kind: 'Lease',
    content: { spec: { holderIdentity: 'h', renewTime: '2020-01-02T03:04:05.000000Z' } },
    change: { spec: { holderIdentity: 'i' } },
  },
  {
    collection: 'coordination.k8s.io/v1beta1:leasecandidates',
    kind: 'LeaseCandidate',
    content: {
      spec: { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.36.0', strategy: 'OldestEmulationVersion' },
    },
    change: { spec: { binaryVersion: '1.37.0' } },
  },
  {
    collection: 'admissionregistration.k8s.io/v1::validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    content: {
      webhooks: [
        {
          name: 'a.b.example',
          clientConfig: { url: 'https://h.example/p' },
          rules: [{ operations: ['*'], apiGroups: ['none.example'], apiVersions: ['v1'], resources: ['x'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
    change: { webhooks: [] },
  },
  {
    collection: 'admissionregistration.k8s.io/v1::validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    content: {
      spec: {
        matchConstraints: {
          resourceRules: [{ operations: ['*'], apiGroups: ['none.example'], apiVersions: ['v1'], resources: ['x'] }],
        },
        validations: [{ expression: 'true' }],
      },
    },
    change: { spec: { failurePolicy: 'Ignore' } },
    status: { observedGeneration: 1 },
  },
  {
    collection: 'flowcontrol.apiserver.k8s.io/v1::prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    content: {
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    },
    change: { spec: { limited: { nominalConcurrencyShares: 2 } } },
    status: { conditions: [] },
  },
  {
    collection: 'resource.k8s.io/v1::deviceclasses',
    kind: 'DeviceClass',
    content: { spec: {} },
    change: { spec: { selectors: [{ cel: { expression: 'true' } }] } },
  },
  {
    collection: 'resource.k8s.io/v1:resourceclaims',
    kind: 'ResourceClaim',
    content: { spec: { devices: { requests: [device] } } },
    change: { metadata: { annotations: { a: 'b' } } },
    status: {},
  },
  {
    collection: 'resource.k8s.io/v1beta1:resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    content: { spec: { spec: { devices: { requests: [{ name: 'd', deviceClassName: 'dc.example.com' }] } } } },
    change: { metadata: { annotations: { a: 'b' } } },
  },
  {
    collection: 'resource.k8s.io/v1::resourceslices',
    kind: 'ResourceSlice',
    content: {
      spec: {
        driver: 'd.example.com',
        nodeName: 'n',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'd' }],
      },
    },
    change: { spec: { devices: [{ name: 'e' }] } },
  },
];
