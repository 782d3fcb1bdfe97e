import type { PodSpec, PodTemplateSpec } from '@coxswain/api/core/v1';
import { readJson } from '@coxswain/apimachinery/codec/json';
import type { ObjectMeta } from '@coxswain/apimachinery/meta';

/** At runtime a bigint, because the number exceeds 2^53. */
const int64 = (digits: string): number => readJson(digits) as number;

/** The templates by title. Their label `case` is `c` followed by their position in the list. */
export const namedTemplates = (): NamedTemplate[] =>
  Object.entries(templates).map(([title, { metadata, spec }], index) => {
    const name = `c${index}`;
    const labels = { ...metadata?.labels, case: name };
    const containers = [{ name: 'c', image: 'i' }];
    return { title, name, template: { metadata: { ...metadata, labels }, spec: { containers, ...spec } } };
  });

interface NamedTemplate {
  readonly title: string;
  readonly name: string;
  readonly template: PodTemplateSpec;
}

const templates: Readonly<Record<string, Template>> = {
  'nothing but a container': {},
  'quantities as people write them': {
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i',
          resources: {
            limits: {
              cpu: '1500m',
              memory: '1.5Gi',
              'ephemeral-storage': '8Gi',
              'example.com/a': '1e3',
              'example.com/b': '5k',
            },
            requests: { cpu: '0.1', memory: '1073741824', 'ephemeral-storage': '0' },
          },
        },
        {
          name: 'd',
          image: 'i',
          resources: { limits: { cpu: '2.0', memory: '1023Mi' }, requests: { cpu: '1m', memory: '2M' } },
        },
      ],
    },
  },
  'quantities of every size': {
    spec: {
      containers: [
        '1Ei',
        '3Pi',
        '9Ei',
        '12Ki',
        '1e3',
        '100e18',
        '1000000m',
        '9223372036854775807',
        '12345678901234567890',
        '123456789012345678901m',
        '100000000000000000000000000',
      ].map((memory, index) => ({ name: `c${index}`, image: 'i', resources: { limits: { memory } } })),
    },
  },
  'probes of every kind': {
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i',
          ports: [
            { name: 'http', containerPort: 80 },
            { containerPort: 53, protocol: 'UDP', hostIP: '127.0.0.1' },
          ],
          livenessProbe: { grpc: { port: 9000 }, initialDelaySeconds: 3, terminationGracePeriodSeconds: 7 },
          readinessProbe: { httpGet: { port: 'http', httpHeaders: [{ name: 'X-A', value: '' }] }, failureThreshold: 9 },
          startupProbe: { tcpSocket: { port: 80, host: 'h' }, periodSeconds: 1 },
        },
        {
          name: 'd',
          image: 'i',
          livenessProbe: { exec: { command: ['a', ''] } },
          readinessProbe: { grpc: { port: 1, service: 's' } },
        },
      ],
    },
  },
  'hooks and signals': {
    spec: {
      os: { name: 'linux' },
      containers: [
        {
          name: 'c',
          image: 'i:latest',
          lifecycle: {
            postStart: { exec: { command: ['x'] } },
            preStop: { sleep: { seconds: 5 } },
            stopSignal: 'SIGUSR1',
          },
          tty: true,
          stdin: true,
          stdinOnce: true,
          workingDir: '/w',
        },
        {
          name: 'd',
          image: 'i@sha256:0',
          lifecycle: { preStop: { httpGet: { port: 1, scheme: 'HTTPS', path: '/p' } } },
        },
      ],
    },
  },
  'variables from everywhere': {
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i',
          env: [
            { name: 'PLAIN', value: 'a b:{c} \n\t"\u2028é😀' },
            { name: 'EMPTY' },
            { name: 'FIELD', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
            { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
            {
              name: 'MEMORY',
              valueFrom: { resourceFieldRef: { resource: 'limits.memory', containerName: 'c', divisor: '1Mi' } },
            },
            { name: 'MAP', valueFrom: { configMapKeyRef: { name: 'm', key: 'k', optional: false } } },
            { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          ],
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'm', optional: true } }, { secretRef: { name: 's' } }],
        },
      ],
    },
  },
  'volumes of a node and of objects': {
    spec: {
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'b', emptyDir: { medium: 'Memory', sizeLimit: '8Gi' } },
        { name: 'c', emptyDir: { sizeLimit: '1500Mi' } },
        { name: 'd', hostPath: { path: '/a' } },
        { name: 'e', hostPath: { path: '/b', type: 'DirectoryOrCreate' } },
        {
          name: 'f',
          configMap: {
            name: 'm',
            items: [
              { key: 'k', path: 'p', mode: 256 },
              { key: 'l', path: 'q' },
            ],
          },
        },
        { name: 'g', secret: { secretName: 's', optional: true, defaultMode: 0 } },
        {
          name: 'h',
          downwardAPI: {
            items: [
              { path: 'p', fieldRef: { fieldPath: 'metadata.name' } },
              {
                path: 'q',
                mode: 292,
                resourceFieldRef: { containerName: 'c', resource: 'requests.memory', divisor: '1Ki' },
              },
            ],
          },
        },
        { name: 'i', persistentVolumeClaim: { claimName: 'c', readOnly: true } },
        { name: 'j', nfs: { server: 's', path: '/' } },
        { name: 'k', image: { reference: 'r', pullPolicy: 'Never' } },
        { name: 'l' },
      ],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeMounts: [
            { name: 'a', mountPath: '/a', subPath: 's' },
            {
              name: 'd',
              mountPath: '/d',
              mountPropagation: 'HostToContainer',
              readOnly: true,
              recursiveReadOnly: 'Disabled',
            },
            { name: 'e', mountPath: '/e', subPathExpr: '$(X)' },
          ],
          volumeDevices: [{ name: 'i', devicePath: '/dev/x' }],
        },
      ],
    },
  },
  'volumes of old': {
    spec: {
      volumes: [
        { name: 'a', gcePersistentDisk: { pdName: 'd', partition: 1, fsType: 'ext4' } },
        { name: 'b', awsElasticBlockStore: { volumeID: 'v', readOnly: true } },
        {
          name: 'c',
          iscsi: {
            targetPortal: 't',
            iqn: 'iqn.2001-04.com.example:storage',
            lun: 0,
            chapAuthSession: true,
            secretRef: { name: 's' },
          },
        },
        { name: 'd', fc: { wwids: ['w'] } },
        { name: 'e', fc: { targetWWNs: ['w', 'x'], lun: 0 } },
        { name: 'f', rbd: { monitors: ['m'], image: 'i' } },
        { name: 'g', cephfs: { monitors: ['m', 'n'] } },
        { name: 'h', flexVolume: { driver: 'a/b', options: { z: '1', a: '', '～': 'fullwidth', '😀': 'pair' } } },
        { name: 'i', azureDisk: { diskName: 'd', diskURI: 'https://blob/d.vhd' } },
        { name: 'j', azureFile: { secretName: 's', shareName: 'n' } },
        { name: 'k', vsphereVolume: { volumePath: 'v', storagePolicyID: 'p' } },
        { name: 'l', quobyte: { registry: 'r:1', volume: 'v' } },
        { name: 'm', portworxVolume: { volumeID: 'v' } },
        { name: 'n', scaleIO: { gateway: 'g', system: 's', secretRef: { name: 's' }, volumeName: 'v' } },
        { name: 'o', storageos: { volumeName: 'v' } },
        { name: 'p', photonPersistentDisk: { pdID: 'p' } },
        { name: 'q', cinder: { volumeID: 'v', secretRef: { name: 's' } } },
        { name: 'r', flocker: { datasetName: 'd' } },
        { name: 's', glusterfs: { endpoints: 'e', path: 'p' } },
        { name: 't', gitRepo: { repository: 'r' } },
      ],
    },
  },
  'a volume of a driver': {
    spec: {
      volumes: [
        {
          name: 'v',
          csi: {
            driver: 'd.example.com',
            fsType: '',
            readOnly: false,
            volumeAttributes: { b: '2', a: '1' },
            nodePublishSecretRef: { name: 's' },
          },
        },
      ],
    },
  },
  'projected volumes': {
    spec: {
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              { serviceAccountToken: { path: 't', audience: 'a' } },
              { configMap: { name: 'm', items: [{ key: 'k', path: 'k' }] } },
              { secret: { name: 's', optional: false } },
              { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.uid' } }] } },
              {
                clusterTrustBundle: {
                  signerName: 'e.example.com/s',
                  labelSelector: { matchLabels: { a: 'b' } },
                  path: 'c',
                },
              },
              { clusterTrustBundle: { signerName: 'e.example.com/s', labelSelector: {}, optional: true, path: 'd' } },
            ],
            defaultMode: 384,
          },
        },
        { name: 'w', projected: {} },
      ],
    },
  },
  'a claim of its own': {
    spec: {
      volumes: [
        {
          name: 'v',
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { labels: { b: '2', a: '1' } },
              spec: {
                accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
                storageClassName: '',
                selector: {
                  matchExpressions: [
                    { key: 'k', operator: 'In', values: ['v'] },
                    { key: 'l', operator: 'Exists' },
                  ],
                },
                dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
                resources: { requests: { storage: '64Gi' } },
              },
            },
          },
        },
      ],
    },
  },
  'affinities of every kind': {
    spec: {
      nodeSelector: { 'kubernetes.io/os': 'linux', a: '' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a', operator: 'Gt', values: ['1'] },
                  { key: 'b', operator: 'DoesNotExist' },
                ],
              },
              { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n'] }] },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] } },
          ],
        },
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: 'zone',
              labelSelector: { matchLabels: { a: 'b' } },
              namespaces: ['n'],
              matchLabelKeys: ['pod-template-hash'],
            },
          ],
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                topologyKey: 'host',
                namespaceSelector: {},
                labelSelector: { matchExpressions: [{ key: 'k', operator: 'Exists' }] },
              },
            },
          ],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          minDomains: 2,
          labelSelector: { matchLabels: { a: 'b' } },
        },
        {
          maxSkew: 2,
          topologyKey: 'host',
          whenUnsatisfiable: 'ScheduleAnyway',
          nodeAffinityPolicy: 'Ignore',
          nodeTaintsPolicy: 'Honor',
        },
      ],
    },
  },
  'tolerations with and without seconds': {
    spec: {
      tolerations: [
        { operator: 'Exists' },
        { key: 'a', value: 'b', effect: 'NoSchedule' },
        { key: 'c', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 },
        { key: 'd', operator: 'Equal', effect: 'NoExecute', tolerationSeconds: -1 },
      ],
    },
  },
  'security contexts': {
    spec: {
      securityContext: {
        runAsUser: 0,
        runAsGroup: 2147483647,
        runAsNonRoot: false,
        fsGroup: 1,
        fsGroupChangePolicy: 'OnRootMismatch',
        supplementalGroups: [3, 2],
        supplementalGroupsPolicy: 'Strict',
        sysctls: [{ name: 'net.a', value: '1' }],
        seccompProfile: { type: 'Localhost', localhostProfile: 'p' },
        appArmorProfile: { type: 'RuntimeDefault' },
        seLinuxOptions: { level: 's0:c1' },
        seLinuxChangePolicy: 'Recursive',
      },
      containers: [
        {
          name: 'c',
          image: 'i',
          securityContext: {
            privileged: false,
            capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: true,
            procMount: 'Default',
          },
        },
        {
          name: 'd',
          image: 'i',
          securityContext: { windowsOptions: { gmsaCredentialSpecName: 'g', runAsUserName: 'u', hostProcess: false } },
        },
        { name: 'e', image: 'i', securityContext: { capabilities: {} } },
      ],
    },
  },
  'containers before the others': {
    spec: {
      initContainers: [
        { name: 'a', image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '10m' } } },
        { name: 'b', image: 'i', command: ['sh', '-c', 'exit 0'], args: [''], imagePullPolicy: 'Never' },
      ],
    },
  },
  'the network of the host': {
    spec: {
      hostNetwork: true,
      hostPID: true,
      hostIPC: true,
      hostname: 'h',
      subdomain: 's',
      setHostnameAsFQDN: true,
      dnsPolicy: 'None',
      dnsConfig: {
        nameservers: ['1.1.1.1'],
        searches: ['a'],
        options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
      },
      hostAliases: [{ ip: '10.0.0.1', hostnames: ['a', 'b'] }, { ip: '10.0.0.2' }],
      containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }],
    },
  },
  'who runs it and where': {
    spec: {
      serviceAccountName: 'a',
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: 's' }, { name: 't' }],
      schedulerName: 'other',
      nodeName: 'n',
      runtimeClassName: 'r',
      priorityClassName: 'p',
      preemptionPolicy: 'Never',
      readinessGates: [{ conditionType: 'example.com/ready' }],
      shareProcessNamespace: true,
      hostUsers: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 0,
    },
  },
  'gates and overhead': {
    spec: {
      schedulingGates: [{ name: 'example.com/g' }],
      runtimeClassName: 'r',
      overhead: { cpu: '250m', memory: '120Mi' },
    },
  },
  'claims of devices': {
    spec: {
      resourceClaims: [
        { name: 'a', resourceClaimName: 'x' },
        { name: 'b', resourceClaimTemplateName: 'y' },
      ],
      containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'a' }, { name: 'b', request: 'r' }] } }],
    },
  },
  'resources of the pod': {
    spec: {
      resources: { limits: { cpu: '2', memory: '16Gi' }, requests: { cpu: '1' } },
      containers: [
        { name: 'c', image: 'i', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
      ],
    },
  },
  'integers beyond doubles': {
    spec: {
      terminationGracePeriodSeconds: int64('9007199254740993'),
      tolerations: [
        { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: int64('9223372036854775807') },
      ],
    },
  },
  'metadata of all kinds': {
    metadata: {
      name: 'n',
      generateName: 'g-',
      namespace: 'other',
      uid: 'u',
      generation: 3,
      labels: { 'b.example.com/x': '', a: 'A', B: 'b' },
      annotations: { z: '{"a": [1, 2]}', 'kubectl.kubernetes.io/restartedAt': '2024-01-02T03:04:05Z', a: 'é😀' },
      finalizers: ['example.com/f'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true }],
    },
  },
  'empty lists and maps': {
    metadata: { annotations: {}, finalizers: [] },
    spec: {
      nodeSelector: {},
      tolerations: [],
      volumes: [],
      imagePullSecrets: [],
      initContainers: [],
      hostAliases: [],
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] }, podAffinity: {} },
      dnsConfig: { options: [] },
      containers: [
        {
          name: 'c',
          image: 'i',
          command: [],
          args: [],
          env: [],
          envFrom: [],
          ports: [],
          resources: { limits: {}, requests: {} },
          securityContext: {},
        },
      ],
    },
  },
};

interface Template {
  readonly metadata?: ObjectMeta;
  readonly spec?: Partial<PodSpec>;
}
