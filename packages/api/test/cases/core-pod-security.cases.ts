import type { Case, CaseSuite, JsonObject } from '../case.ts';

const spec = (fields: JsonObject): Case => ({ create: 'pod', change: (pod) => Object.assign(pod.spec, fields) });
const pod = (securityContext: JsonObject, fields: JsonObject = {}): Case => spec({ ...fields, securityContext });
const container = (securityContext: JsonObject, fields: JsonObject = {}): Case => ({
  create: 'pod',
  change: (object) => {
    Object.assign(object.spec, fields);
    object.spec.containers[0].securityContext = securityContext;
  },
});
const annotated = (annotations: JsonObject, fields: JsonObject = {}): Case => ({
  create: 'pod',
  change: (object) => {
    object.metadata.annotations = annotations;
    Object.assign(object.spec, fields);
  },
});
const users = (...names: string[]): Case => ({
  create: 'pod',
  change: (object) => {
    object.spec.containers = names.map((runAsUserName, i) => ({
      name: `c${i}`,
      image: 'x',
      securityContext: { windowsOptions: { runAsUserName } },
    }));
  },
});
const appArmor = 'container.apparmor.security.beta.kubernetes.io/';
const seccomp = 'container.seccomp.security.alpha.kubernetes.io/';
const linuxPod = {
  appArmorProfile: { type: 'RuntimeDefault' },
  seLinuxOptions: { level: 'x' },
  seccompProfile: { type: 'RuntimeDefault' },
  fsGroup: 1,
  fsGroupChangePolicy: 'Always',
  sysctls: [{ name: 'a', value: 'b' }],
  runAsUser: 1,
  runAsGroup: 1,
  supplementalGroups: [1],
  supplementalGroupsPolicy: 'Merge',
  seLinuxChangePolicy: 'Recursive',
};
const linuxContainer = {
  appArmorProfile: { type: 'RuntimeDefault' },
  seLinuxOptions: { level: 'x' },
  seccompProfile: { type: 'RuntimeDefault' },
  capabilities: {},
  readOnlyRootFilesystem: true,
  privileged: false,
  allowPrivilegeEscalation: true,
  procMount: 'Default',
  runAsUser: 1,
  runAsGroup: 1,
};

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
    'identifiers of users and groups are in range': pod({
      fsGroup: -1,
      runAsUser: 2147483648,
      runAsGroup: -1,
      supplementalGroups: [1, -1, 2147483648],
    }),
    'policies of a pod are known ones': pod({
      fsGroupChangePolicy: 'X',
      supplementalGroupsPolicy: 'Y',
      seLinuxChangePolicy: 'MountOption',
      seccompProfile: { type: 'X' },
      appArmorProfile: { type: 'Y' },
    }),
    'types of profiles are required': pod({ seccompProfile: {}, appArmorProfile: {} }),
    'profiles of the host have paths': pod({
      seccompProfile: { type: 'Localhost' },
      appArmorProfile: { type: 'Localhost' },
    }),
    'profiles of the host stay below their folder': pod({
      seccompProfile: { type: 'Localhost', localhostProfile: '../x' },
      appArmorProfile: { type: 'Localhost', localhostProfile: ' x' },
    }),
    'profiles of the host may not be empty or endless': container({
      seccompProfile: { type: 'Localhost', localhostProfile: '/x' },
      appArmorProfile: { type: 'Localhost', localhostProfile: 'x'.repeat(4096) },
    }),
    'an empty profile is none': container({ appArmorProfile: { type: 'Localhost', localhostProfile: '' } }),
    'other profiles have no paths': pod({
      seccompProfile: { type: 'Unconfined', localhostProfile: 'x' },
      appArmorProfile: { type: 'Unconfined', localhostProfile: 'x' },
    }),
    'sysctls have names that are used once': pod({
      sysctls: [
        { name: '', value: 'x' },
        { name: 'A', value: 'x' },
        { name: 'a.b', value: 'x' },
        { name: 'a.b', value: 'y' },
        { name: 'a/b.c', value: 'x' },
      ],
    }),
    'sysctls of namespaces that the host shares are not the pods': pod(
      {
        sysctls: [
          'net.core.x',
          'net/ipv4/conf',
          'kernel.shmmax',
          'kernel.msgmax',
          'kernel.sem',
          'fs.mqueue.x',
          'kernel.other',
        ].map((name) => ({ name, value: '1' })),
      },
      { hostNetwork: true, hostIPC: true },
    ),
    'processes are shared inside the pod or with the host': spec({ hostPID: true, shareProcessNamespace: true }),
    'containers have identifiers in range and known mounts': container({
      runAsUser: -1,
      runAsGroup: 2147483648,
      procMount: 'X',
      seccompProfile: { type: 'X' },
      appArmorProfile: { type: 'RuntimeDefault', localhostProfile: 'x' },
    }),
    'an open proc needs user namespaces': container({ procMount: 'Unmasked' }),
    'an open proc is fine with user namespaces': container({ procMount: 'Unmasked' }, { hostUsers: false }),
    'privileged containers escalate': container({
      privileged: true,
      allowPrivilegeEscalation: false,
      capabilities: { add: ['CAP_SYS_ADMIN', 'NET_ADMIN'] },
    }),
    'user namespaces are not shared with those of the host': {
      create: 'pod',
      change: ({ spec: fields }) => {
        Object.assign(fields, { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true });
        fields.volumes = [{ name: 'a', persistentVolumeClaim: { claimName: 'b' } }];
        fields.containers[0].volumeDevices = [{ name: 'a', devicePath: '/dev/x' }];
      },
    },
    'options of Windows are of limited length and format': pod({
      windowsOptions: { gmsaCredentialSpecName: 'A', gmsaCredentialSpec: '', runAsUserName: '' },
    }),
    'users of Windows have names of their format': users(
      'a\\b\\c',
      'x\u0001',
      'Contoso\\user',
      '.bad\\user',
      'domain\\',
      `${'d'.repeat(256)}\\user`,
      'u'.repeat(105),
      '. .',
      'a:b',
    ),
    'all containers are processes of the host or none is': {
      create: 'pod',
      change: ({ spec: fields }) => {
        fields.securityContext = { windowsOptions: { hostProcess: true } };
        fields.containers = [
          { name: 'a', image: 'x', securityContext: { windowsOptions: { hostProcess: false } } },
          { name: 'b', image: 'x' },
        ];
      },
    },
    'a process of the host is on its network': container({ windowsOptions: { hostProcess: true } }),
    'a pod runs on a system that is known': spec({ os: { name: 'plan9' } }),
    'a pod says on which system it runs': spec({ os: {} }),
    'a pod on Linux has no options of Windows': {
      create: 'pod',
      change: ({ spec: fields }) => {
        fields.os = { name: 'linux' };
        fields.securityContext = { windowsOptions: {} };
        fields.containers[0].securityContext = { windowsOptions: { runAsUserName: 'x' } };
        fields.initContainers = [{ name: 'i', image: 'x', securityContext: { windowsOptions: {} } }];
      },
    },
    'a pod on Windows has nothing of Linux': {
      create: 'pod',
      change: ({ spec: fields }) => {
        Object.assign(fields, {
          os: { name: 'windows' },
          hostUsers: true,
          hostPID: true,
          hostIPC: true,
          shareProcessNamespace: false,
        });
        fields.securityContext = linuxPod;
        fields.containers[0].securityContext = linuxContainer;
        fields.resources = { limits: { cpu: '1' } };
      },
    },
    'mirror pods are on a node': annotated({ 'kubernetes.io/config.mirror': 'x' }),
    'costs of deletion are small integers': annotated({ 'controller.kubernetes.io/pod-deletion-cost': '+1' }),
    'costs of deletion have no leading zeroes': annotated({ 'controller.kubernetes.io/pod-deletion-cost': '01' }),
    'costs of deletion fit into 32 bits': annotated({ 'controller.kubernetes.io/pod-deletion-cost': '2147483648' }),
    'costs of deletion may be negative': annotated({ 'controller.kubernetes.io/pod-deletion-cost': '-2147483648' }),
    'tolerations in annotations are JSON': annotated({ 'scheduler.alpha.kubernetes.io/tolerations': '{' }),
    'tolerations in annotations are a list': annotated({ 'scheduler.alpha.kubernetes.io/tolerations': '{"a":1}' }),
    'tolerations in annotations are valid': annotated({
      'scheduler.alpha.kubernetes.io/tolerations': '[{"Key":"a b"},{"operator":"Exists","Value":"x"}]',
    }),
    'profiles of seccomp in annotations are known': annotated({
      'seccomp.security.alpha.kubernetes.io/pod': 'x',
      [`${seccomp}web`]: 'localhost/../x',
    }),
    'profiles of seccomp in annotations are out of use': annotated({
      'seccomp.security.alpha.kubernetes.io/pod': 'docker/default',
      [`${seccomp}web`]: 'localhost/x',
    }),
    'profiles of seccomp in annotations agree with fields': annotated(
      { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined', [`${seccomp}web`]: 'localhost/x' },
      {
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'web',
            image: 'x',
            securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'y' } },
          },
        ],
      },
    ),
    'profiles of AppArmor in annotations are of containers': annotated({ [`${appArmor}gone`]: 'runtime/default' }),
    'profiles of AppArmor in annotations are known': annotated({ [`${appArmor}web`]: 'x' }),
    'profiles of AppArmor in annotations become fields': annotated({ [`${appArmor}web`]: 'localhost/x' }),
    'profiles of AppArmor that are the pods are not repeated': annotated(
      { [`${appArmor}web`]: 'runtime/default' },
      { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
    ),
    'an empty profile of AppArmor in an annotation is warned about': annotated({ [`${appArmor}web`]: '' }),
    'profiles of AppArmor in annotations agree with fields': annotated(
      { [`${appArmor}web`]: 'localhost/x' },
      {
        containers: [
          {
            name: 'web',
            image: 'x',
            securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'y' } },
          },
        ],
      },
    ),
    'types of AppArmor in annotations agree with fields': annotated(
      { [`${appArmor}web`]: 'unconfined' },
      { containers: [{ name: 'web', image: 'x', securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }] },
    ),
    'annotations of init containers are dropped': annotated({ 'pod.beta.kubernetes.io/init-containers': '[]', a: 'b' }),
  },
};
