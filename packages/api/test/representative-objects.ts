import type { JsonObject } from './case.ts';

/** Small objects that cover the difficult cases of the encodings. */
export const representativeObjects: Readonly<Record<string, JsonObject>> = {
  'a pod with every kind of scalar': {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'enc-pod', labels: { b: '2', a: '1' }, annotations: { note: 'ümlaut \u2028 "quoted" <&>' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      hostNetwork: false,
      volumes: [
        { name: 'cm', configMap: { name: 'c', items: [{ key: 'k', path: 'p', mode: 0o400 }], optional: false } },
        { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '1.5Gi' } },
        { name: 'dw', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      ],
      containers: [
        {
          name: 'c',
          image: 'i',
          args: ['', 'x'],
          env: [
            { name: 'EMPTY', value: '' },
            { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          ],
          ports: [{ containerPort: 80, hostPort: 0 }],
          resources: { requests: { cpu: '100m', memory: '1000Ki' }, limits: { cpu: '0.1', 'example.com/gpu': '2' } },
          livenessProbe: { httpGet: { path: '/', port: 'http', httpHeaders: [{ name: 'X', value: 'y' }] } },
          readinessProbe: { tcpSocket: { port: 8080 }, successThreshold: 1 },
          securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'] } },
        },
      ],
      tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9007199254740991 }],
    },
  },
  'a deployment': {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'enc-deployment' },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'app', operator: 'In', values: ['x'] }] },
      strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  },
  'a secret with bytes': {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'enc-secret' },
    data: { z: 'AAEC/w==', a: '' },
  },
  'a config map that is empty': { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'enc-configmap' } },
  'a lease with micro times': {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'enc-lease' },
    spec: {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.600000Z',
      renewTime: '2026-01-02T03:04:05.123456Z',
    },
  },
  'a cluster role without rules': {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'enc-role' },
  },
  'a horizontal pod autoscaler': {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'enc-hpa' },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      metrics: [
        {
          type: 'External',
          external: { metric: { name: 'm', selector: {} }, target: { type: 'AverageValue', averageValue: '0.5' } },
        },
      ],
    },
  },
  'a webhook configuration': {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'enc-webhooks' },
    webhooks: [
      {
        name: 'a.b.example',
        clientConfig: { url: 'https://h.example/p' },
        rules: [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['*'], resources: ['*/*'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  },
  'a custom resource definition': {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.enc.example' },
    spec: {
      group: 'enc.example',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  default: { oars: 2, names: ['a'], nothing: {} },
                  properties: {
                    oars: { type: 'integer', maximum: 9, default: 2, enum: [1, 2, 8] },
                    names: { type: 'array', items: { type: 'string' } },
                    ratio: { type: 'number', maximum: 9.5 },
                    nothing: { type: 'object', additionalProperties: { type: 'string' } },
                    either: { 'x-kubernetes-int-or-string': true },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
  'a node': {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'enc-node' },
    spec: { podCIDRs: ['10.1.0.0/24'], podCIDR: '10.1.0.0/24', taints: [{ key: 'k', effect: 'NoSchedule' }] },
  },
  'a network policy': {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'enc-policy' },
    spec: {
      podSelector: {},
      ingress: [{}, { from: [{ namespaceSelector: {} }], ports: [{ port: 'http' }, { port: 1, endPort: 9 }] }],
    },
  },
  'an event': {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'enc-event' },
    involvedObject: { namespace: 'encodings', name: 'x' },
    eventTime: '2026-01-02T03:04:05.000001Z',
    series: { count: 2, lastObservedTime: '2026-01-02T03:04:05.100000Z' },
    type: 'Normal',
    reason: 'r',
    action: 'a',
    reportingComponent: 'k8s.io/x',
    reportingInstance: 'i',
  },
  'a controller revision': {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'enc-revision' },
    revision: 9007199254740991,
    data: { spec: { list: [null, true, 'x'], n: 1.5 } },
  },
};
