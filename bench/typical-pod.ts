/** A pod as created by a Deployment and stored by a server: two containers, probes, volumes, a status. */
export const typicalPod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'web-7d4b9c6f5-x2x8z',
    generateName: 'web-7d4b9c6f5-',
    namespace: 'default',
    uid: '8f1c1f6e-6d0c-4a55-9a7a-3f2d7b1f0a11',
    resourceVersion: '184467',
    generation: 1,
    creationTimestamp: '2026-01-05T10:11:12Z',
    labels: { app: 'web', 'pod-template-hash': '7d4b9c6f5', tier: 'front' },
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9090' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-7d4b9c6f5',
        uid: 'b4b7e3f0-0f3e-4b0b-8a0e-7f6f1c1f6e6d',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    volumes: [
      { name: 'config', configMap: { name: 'web-config', defaultMode: 420 } },
      { name: 'cache', emptyDir: {} },
      {
        name: 'kube-api-access-abcde',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: ['web', 'sidecar'].map((name) => ({
      name,
      image: `registry.example/${name}:1.2.3`,
      args: ['--listen', ':8080'],
      ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
      env: [
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'web-secret', key: 'token' } } },
      ],
      resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
      volumeMounts: [
        { name: 'config', readOnly: true, mountPath: '/etc/web' },
        { name: 'cache', mountPath: '/var/cache' },
        { name: 'kube-api-access-abcde', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
      ],
      livenessProbe: {
        httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
        initialDelaySeconds: 5,
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
      readinessProbe: {
        httpGet: { path: '/readyz', port: 8080, scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
      securityContext: {
        capabilities: { drop: ['ALL'] },
        runAsNonRoot: true,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      },
    })),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    nodeName: 'node-1',
    securityContext: { runAsUser: 1000, fsGroup: 1000 },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
          },
        ],
      },
    },
    schedulerName: 'default-scheduler',
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  },
  status: {
    observedGeneration: 1,
    phase: 'Running',
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => ({
        type,
        observedGeneration: 1,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: '2026-01-05T10:11:14Z',
      }),
    ),
    hostIP: '10.0.0.4',
    hostIPs: [{ ip: '10.0.0.4' }],
    podIP: '10.244.1.17',
    podIPs: [{ ip: '10.244.1.17' }],
    startTime: '2026-01-05T10:11:12Z',
    containerStatuses: ['web', 'sidecar'].map((name) => ({
      name,
      state: { running: { startedAt: '2026-01-05T10:11:13Z' } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image: `registry.example/${name}:1.2.3`,
      imageID: `registry.example/${name}@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
      containerID: 'containerd://2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
      started: true,
    })),
    qosClass: 'Burstable',
  },
};
