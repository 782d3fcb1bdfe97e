import type { Case, CaseSuite, JsonObject } from '../case.ts';

/** A case with these fields in the container of a pod. */
const container = (fields: JsonObject): Case => ({
  create: 'pod',
  change: (pod) => Object.assign(pod.spec.containers[0], fields),
});
const initContainers = (...containers: JsonObject[]): Case => ({
  create: 'pod',
  change: (pod) => {
    pod.spec.initContainers = containers.map((one, i) => ({ name: `init-${i}`, image: 'busybox:1', ...one }));
  },
});
const spec = (fields: JsonObject, containerFields: JsonObject = {}): Case => ({
  create: 'pod',
  change: (pod) => {
    Object.assign(pod.spec, fields);
    Object.assign(pod.spec.containers[0] ?? {}, containerFields);
  },
});
const images = [
  'nginx',
  'nginx:latest',
  'nginx:1.25',
  'example.com/nginx',
  'example.com:5000/a/nginx:latest',
  'localhost/nginx',
  `nginx@sha256:${'a'.repeat(64)}`,
  `nginx:latest@sha256:${'a'.repeat(64)}`,
  'nginx@sha256:abc',
  'Nginx',
  'Foo/nginx',
  'a..b',
  'a'.repeat(64),
  'nginx:la test',
];
const probe = { httpGet: { port: 80 } };

export const suite: CaseSuite = {
  bases: {
    pod: {
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
      },
    },
  },
  cases: {
    'a pod gets its defaults': { create: 'pod' },
    'probes, handlers, ports, variables and mounts get their defaults': spec(
      { volumes: [{ name: 'data' }], initContainers: [{ name: 'init', image: 'busybox' }] },
      {
        ports: [{ containerPort: 80 }, { containerPort: 81, protocol: 'UDP', hostPort: 82 }],
        env: [
          { name: 'A' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'C', valueFrom: { fileKeyRef: { volumeName: 'data', path: 'x', key: 'C' } } },
          { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        ],
        livenessProbe: { httpGet: { port: 'http' }, initialDelaySeconds: 0 },
        readinessProbe: { grpc: { port: 80 }, failureThreshold: 5 },
        startupProbe: { tcpSocket: { port: 80 } },
        lifecycle: { postStart: { httpGet: { port: 80, path: 'x' } }, preStop: { sleep: { seconds: 0 } } },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ),
    'host ports are those of containers on the host network': spec(
      { hostNetwork: true, initContainers: [{ name: 'init', image: 'busybox:1', ports: [{ containerPort: 81 }] }] },
      { ports: [{ containerPort: 80 }] },
    ),
    'the latest images are pulled always': {
      create: 'pod',
      change: (pod) => {
        pod.spec.containers = images.map((image, i) => ({ name: `c${i}`, image }));
      },
    },
    'a pod has containers': spec({ containers: [] }),
    'a container has name and image': spec({ containers: [{}] }),
    'names are labels and images have no spaces around': spec({
      containers: [
        { name: 'A', image: ' nginx' },
        { name: 'x'.repeat(64), image: 'nginx\t' },
      ],
      initContainers: [{ name: 'b_', image: 'nginx ' }],
    }),
    'names are used once': spec({
      containers: [
        { name: 'a', image: 'x' },
        { name: 'a', image: 'x' },
      ],
      initContainers: [
        { name: 'a', image: 'x' },
        { name: 'b', image: 'x' },
        { name: 'b', image: 'x' },
      ],
    }),
    'policies are known ones': container({ terminationMessagePolicy: 'X', imagePullPolicy: 'Y' }),
    'ports have numbers in range, protocols and unique names': container({
      ports: [
        { containerPort: 0 },
        { containerPort: 65536, hostPort: -1, protocol: 'X' },
        { name: 'Big', containerPort: 1 },
        { name: 'a--b', containerPort: 2 },
        { name: 'same', containerPort: 3 },
        { name: 'same', containerPort: 4 },
        { name: '123', containerPort: 5 },
      ],
    }),
    'ports of the host are used once': spec(
      {
        initContainers: [
          { name: 'i', image: 'x', ports: [{ containerPort: 1, hostPort: 1 }] },
          {
            name: 'j',
            image: 'x',
            ports: [
              { containerPort: 1, hostPort: 1 },
              { containerPort: 2, hostPort: 1 },
            ],
          },
        ],
      },
      {
        ports: [
          { containerPort: 1, hostPort: 1 },
          { containerPort: 2, hostPort: 1 },
          { containerPort: 3, hostPort: 1, hostIP: '127.0.0.1' },
          { containerPort: 4, hostPort: 1, protocol: 'UDP' },
        ],
      },
    ),
    'ports of the host network are the same inside and outside': spec(
      { hostNetwork: true },
      { ports: [{ containerPort: 1, hostPort: 2 }] },
    ),
    'variables have names and one source': container({
      env: [
        { name: '' },
        { name: 'a=b' },
        { name: 'ok with spaces' },
        { name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        { name: 'B', valueFrom: {} },
        { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'k' }, configMapKeyRef: { name: 's', key: 'k' } } },
        { name: 'D', valueFrom: { secretKeyRef: { name: 'S', key: '' } } },
        { name: 'E', valueFrom: { configMapKeyRef: { name: '', key: 'a b' } } },
        { name: 'F', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } },
        { name: 'G', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } },
        { name: 'H', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['x']" } } },
        { name: 'I', valueFrom: { resourceFieldRef: { resource: '' } } },
        { name: 'J', valueFrom: { resourceFieldRef: { resource: 'limits.x' } } },
        { name: 'K', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } },
        { name: 'L', valueFrom: { fileKeyRef: { volumeName: '', path: '', key: '' } } },
        { name: 'M', valueFrom: { fileKeyRef: { volumeName: 'A', path: '../x', key: 'a=b' } } },
        { name: 'é' },
      ],
    }),
    'variables are read from files of empty directories': spec(
      { volumes: [{ name: 'cm', configMap: { name: 'x' } }] },
      {
        env: [
          { name: 'A', valueFrom: { fileKeyRef: { volumeName: 'cm', path: 'x', key: 'A' } } },
          { name: 'B', valueFrom: { fileKeyRef: { volumeName: 'gone', path: 'x', key: 'B' } } },
        ],
      },
    ),
    'sources of variables have one name each': container({
      envFrom: [
        { prefix: 'a=', configMapRef: { name: 'a' } },
        { configMapRef: { name: 'A' } },
        { secretRef: { name: '' } },
        { secretRef: { name: 'a-' } },
        {},
        { configMapRef: { name: 'a' }, secretRef: { name: 'b' } },
      ],
    }),
    'mounts are of volumes of the pod at places of their own': spec(
      { volumes: [{ name: 'data' }, { name: 'claim', persistentVolumeClaim: { claimName: 'c' } }] },
      {
        volumeMounts: [
          { name: '', mountPath: '' },
          { name: 'gone', mountPath: '/a' },
          { name: 'data', mountPath: '/a' },
          { name: 'data', mountPath: '/b', subPath: '/x' },
          { name: 'data', mountPath: '/c', subPath: 'x/..', subPathExpr: '../x' },
          { name: 'data', mountPath: '/d', mountPropagation: 'Bidirectional' },
          { name: 'data', mountPath: '/e', mountPropagation: 'Sideways' },
          { name: 'data', mountPath: '/f', recursiveReadOnly: 'Enabled' },
          {
            name: 'data',
            mountPath: '/g',
            recursiveReadOnly: 'IfPossible',
            readOnly: true,
            mountPropagation: 'HostToContainer',
          },
          { name: 'data', mountPath: '/h', recursiveReadOnly: 'Maybe' },
          { name: 'claim', mountPath: '/dev/a' },
          { name: 'data', mountPath: '/i', recursiveReadOnly: 'Disabled' },
        ],
        volumeDevices: [
          { name: '', devicePath: '' },
          { name: 'data', devicePath: '/dev/x' },
          { name: 'gone', devicePath: '/dev/x' },
          { name: 'claim', devicePath: '/dev/a' },
          { name: 'claim', devicePath: '/dev/../b' },
        ],
      },
    ),
    'probes have one handler and counts that make sense': container({
      livenessProbe: {
        successThreshold: 2,
        timeoutSeconds: -1,
        periodSeconds: -1,
        failureThreshold: -1,
        initialDelaySeconds: -1,
      },
      readinessProbe: { exec: { command: ['x'] }, httpGet: { port: 80 }, terminationGracePeriodSeconds: 1 },
      startupProbe: { exec: {}, terminationGracePeriodSeconds: 0, successThreshold: -1 },
    }),
    'handlers are complete': container({
      livenessProbe: { httpGet: { port: 0, scheme: 'FTP', httpHeaders: [{ name: 'a b', value: 'x' }] } },
      readinessProbe: { tcpSocket: { port: 'not_a_port' } },
      startupProbe: { grpc: { port: 0 } },
      lifecycle: {
        postStart: {},
        preStop: { exec: { command: ['x'] }, tcpSocket: { port: 1 }, sleep: { seconds: 1 } },
      },
    }),
    'a container sleeps less than its grace period': container({
      lifecycle: { postStart: { sleep: { seconds: -1 } }, preStop: { sleep: { seconds: 31 } } },
    }),
    'stop signals are dropped while their feature is off': spec(
      { os: { name: 'linux' } },
      { lifecycle: { stopSignal: 'SIGUSR1' } },
    ),
    'containers that initialise have neither probes nor hooks': initContainers({
      livenessProbe: probe,
      readinessProbe: probe,
      startupProbe: probe,
      lifecycle: { preStop: { exec: { command: ['x'] } } },
    }),
    'sidecars have probes and hooks': initContainers({
      restartPolicy: 'Always',
      livenessProbe: { httpGet: { port: 0 } },
      readinessProbe: probe,
      startupProbe: probe,
      lifecycle: { preStop: { exec: {} } },
    }),
    'restart policies and rules of containers are known ones': spec({
      containers: [
        { name: 'a', image: 'x', restartPolicy: 'Sometimes' },
        {
          name: 'b',
          image: 'x',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
        },
        {
          name: 'c',
          image: 'x',
          restartPolicy: 'Never',
          restartPolicyRules: [
            { action: 'Jump', exitCodes: { operator: 'Near', values: Array.from({ length: 256 }, (_, i) => i) } },
            { action: 'RestartAllContainers' },
            { exitCodes: {} },
          ],
        },
        {
          name: 'd',
          image: 'x',
          restartPolicy: 'Never',
          restartPolicyRules: Array.from({ length: 21 }, () => ({
            action: 'Restart',
            exitCodes: { operator: 'NotIn', values: [1] },
          })),
        },
      ],
      initContainers: [
        { name: 'e', image: 'x', restartPolicy: 'Sometimes' },
        {
          name: 'f',
          image: 'x',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
        },
        {
          name: 'g',
          image: 'x',
          restartPolicy: 'Always',
          restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }],
        },
        { name: 'h', image: 'x', restartPolicy: 'OnFailure' },
      ],
    }),
    'resize policies name processor or memory once': spec(
      {
        restartPolicy: 'Never',
        initContainers: [
          { name: 'i', image: 'x', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        ],
      },
      {
        resizePolicy: [
          { resourceName: 'cpu', restartPolicy: 'NotRequired' },
          { resourceName: 'cpu', restartPolicy: 'RestartContainer' },
          { resourceName: '', restartPolicy: '' },
          { resourceName: 'disk', restartPolicy: 'Never' },
        ],
      },
    ),
    'ephemeral containers are not there from the start': spec({
      ephemeralContainers: [{ name: 'debug', image: 'busybox' }],
    }),
    'ephemeral containers are refused with all that is wrong with them': spec({
      ephemeralContainers: [
        {
          name: 'web',
          image: ' busybox ',
          targetContainerName: 'gone',
          ports: [{ containerPort: 1 }],
          resources: { limits: { cpu: '1' } },
          resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
          restartPolicy: 'Always',
          livenessProbe: probe,
          readinessProbe: probe,
          startupProbe: probe,
          lifecycle: {},
          volumeMounts: [{ name: 'x', mountPath: '/x', subPath: 'a', subPathExpr: 'b' }],
        },
      ],
    }),
  },
};
