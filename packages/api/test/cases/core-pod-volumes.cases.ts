import type { Case, CaseSuite, JsonObject } from '../case.ts';

/** A case with only these volumes in a pod, named a, b, c and so on unless they have names. */
const withVolumes = (...volumes: JsonObject[]): Case => ({
  create: 'pod',
  change: (pod) => {
    pod.spec.volumes = volumes.map((volume, i) => ({ name: String.fromCharCode(97 + i), ...volume }));
  },
});

const long = (length: number) => 'x'.repeat(length);
const projected = (...sources: JsonObject[]): JsonObject => ({ projected: { sources } });
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const everySource = {
  emptyDir: {},
  hostPath: { path: '/x' },
  gitRepo: { repository: 'x' },
  gcePersistentDisk: { pdName: 'x' },
  awsElasticBlockStore: { volumeID: 'x' },
  secret: { secretName: 'x' },
  nfs: { server: 'x', path: '/x' },
  iscsi: { targetPortal: 'x', iqn: 'iqn.2001-04.com.example:x', lun: 0 },
  glusterfs: { endpoints: 'x', path: 'x' },
  flocker: { datasetName: 'x' },
  persistentVolumeClaim: { claimName: 'x' },
  rbd: { monitors: ['x'], image: 'x' },
  cinder: { volumeID: 'x' },
  cephfs: { monitors: ['x'] },
  quobyte: { registry: 'x:1', volume: 'x' },
  downwardAPI: {},
  fc: { wwids: ['x'] },
  flexVolume: { driver: 'x' },
  configMap: { name: 'x' },
  azureFile: { secretName: 'x', shareName: 'x' },
  vsphereVolume: { volumePath: 'x' },
  photonPersistentDisk: { pdID: 'x' },
  portworxVolume: { volumeID: 'x' },
  azureDisk: { diskName: 'x', diskURI: 'https://x' },
  storageos: { volumeName: 'x' },
  projected: {},
  scaleIO: { gateway: 'x', system: 'x', volumeName: 'x', secretRef: { name: 'x' } },
  csi: { driver: 'x.example.com' },
  ephemeral: { volumeClaimTemplate: { spec: claimSpec } },
  image: { reference: 'x' },
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
    'one volume of every type gets its defaults and warnings': withVolumes(
      ...Object.entries(everySource).map(([type, source]) => ({ name: `v-${type.toLowerCase()}`, [type]: source })),
    ),
    'a volume without source is an empty directory': withVolumes({}),
    'only the first of several sources counts': withVolumes(everySource),
    'names of volumes are required, labels and unique': withVolumes(
      { name: '', emptyDir: {} },
      { name: 'Big', emptyDir: {} },
      { name: 'same', emptyDir: {} },
      { name: 'same', emptyDir: {} },
    ),
    'every required field of a source is asked for': withVolumes(
      ...Object.keys(everySource)
        .filter((type) => !['emptyDir', 'projected', 'downwardAPI', 'image'].includes(type))
        .map((type) => ({ name: `v-${type.toLowerCase()}`, [type]: {} })),
    ),
    'an empty directory has no negative size': withVolumes({ emptyDir: { sizeLimit: '-1' } }),
    'paths of the host do not step back and have a known type': withVolumes(
      { hostPath: { path: '/a/../b' } },
      { hostPath: { path: '/a..b', type: 'Nothing' } },
      { hostPath: { path: '/a', type: 'Directory' } },
    ),
    'a repository is checked out below': withVolumes(
      { gitRepo: { repository: 'x', directory: '/a' } },
      { gitRepo: { repository: 'x', directory: 'a/..' } },
    ),
    'partitions and units are in range': withVolumes(
      { gcePersistentDisk: { pdName: 'x', partition: 256 } },
      { awsElasticBlockStore: { volumeID: 'x', partition: -1 } },
      { iscsi: { targetPortal: 'x', iqn: 'eui.0123456789ABCDEF', lun: 256 } },
      { fc: { targetWWNs: ['x'], lun: -1 } },
    ),
    'modes of files are in range': withVolumes(
      { secret: { secretName: 'x', defaultMode: 512, items: [{ key: 'a', path: 'a', mode: -1 }] } },
      { configMap: { name: 'x', defaultMode: -1, items: [{ key: 'a', path: 'a', mode: 512 }] } },
      {
        downwardAPI: { defaultMode: 512, items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' }, mode: 512 }] },
      },
      { projected: { defaultMode: 512, sources: [] } },
    ),
    'items have keys and paths that stay inside': withVolumes({
      secret: {
        secretName: 'x',
        items: [
          { key: '', path: '' },
          { key: 'a', path: '/a' },
          { key: 'a', path: '../a' },
          { key: 'a', path: '..a' },
          { key: 'a', path: 'a/..' },
        ],
      },
    }),
    'a share of NFS is an absolute path': withVolumes({ nfs: { server: 'x', path: 'a' } }),
    'targets and initiators of iSCSI have names of their formats': withVolumes(
      { iscsi: { targetPortal: 'x', iqn: 'other', lun: 0 } },
      { iscsi: { targetPortal: 'x', iqn: 'iqn.x', lun: 0, initiatorName: 'x' } },
      { iscsi: { targetPortal: 'x', iqn: 'eui.x', lun: 0, initiatorName: 'iqn.x' } },
      { iscsi: { targetPortal: 'x', iqn: 'naa.x', lun: 0, chapAuthSession: true } },
      { iscsi: { targetPortal: long(64), iqn: `naa.${long(32)}`, lun: 0, initiatorName: 'naa.x' } },
      {
        iscsi: {
          targetPortal: 'x',
          iqn: 'iqn.2001-04.com.example:x',
          lun: 0,
          initiatorName: 'eui.x',
          chapAuthDiscovery: true,
        },
      },
    ),
    'a dataset of flocker has one name without slashes': withVolumes(
      { flocker: { datasetName: 'x', datasetUUID: 'x' } },
      { flocker: { datasetName: 'a/b' } },
    ),
    'secrets that are referred to have names': withVolumes(
      { cinder: { volumeID: 'x', secretRef: {} } },
      { storageos: { volumeName: 'X', volumeNamespace: 'Y', secretRef: {} } },
      { csi: { driver: 'x.example.com', nodePublishSecretRef: {} } },
      { csi: { driver: 'x.example.com', nodePublishSecretRef: { name: 'X' } } },
    ),
    'a registry of quobyte is a list of hosts with ports': withVolumes(
      { quobyte: { registry: 'a:1,b', volume: 'x' } },
      { quobyte: { registry: '[::1]:1,::1:2', volume: 'x' } },
      { quobyte: { registry: 'a:1', volume: 'x', tenant: long(65) } },
    ),
    'fibre channel has either names or identifiers': withVolumes(
      { fc: { targetWWNs: ['x'], wwids: ['y'] } },
      { fc: { targetWWNs: ['x'] } },
    ),
    'options of flex volumes leave out reserved domains': withVolumes(
      { flexVolume: { driver: 'x', options: { 'kubernetes.io/x': 'y' } } },
      { flexVolume: { driver: 'x', options: { 'A.K8s.io': 'y' } } },
      { flexVolume: { driver: 'x', options: { 'example.com/x': 'y' } } },
    ),
    'disks of Azure have known modes and kinds': withVolumes(
      { azureDisk: { diskName: 'x', diskURI: 'x', cachingMode: 'X', kind: 'X' } },
      { azureDisk: { diskName: 'x', diskURI: 'https://x', kind: 'Managed' } },
      { azureDisk: { diskName: 'x', diskURI: 'x', kind: 'Dedicated' } },
    ),
    'drivers of CSI have names of limited length': withVolumes(
      { csi: { driver: `${long(40)}.${long(40)}` } },
      { csi: { driver: 'Not_A.Name' } },
    ),
    'a claim is not one that the pod makes itself': withVolumes(
      { name: 'own', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } },
      { name: 'other', persistentVolumeClaim: { claimName: 'web-own' } },
    ),
    'the claim of an ephemeral volume has a valid name': {
      create: 'pod',
      change: (pod) => {
        pod.metadata.name = `web.${long(200)}`;
        pod.spec.volumes = [{ name: long(60), ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }];
      },
    },
    'a claim template has a spec and no other metadata than labels and annotations': withVolumes(
      { ephemeral: { volumeClaimTemplate: { metadata: { name: 'x', labels: { _: 'x' } }, spec: {} } } },
      { ephemeral: {} },
    ),
    'images of volumes are pulled by a known policy': withVolumes(
      { image: { reference: 'x', pullPolicy: 'Sometimes' } },
      { image: { reference: '' } },
      { image: { reference: 'x:1' } },
    ),
    'files of the downward API show what a pod knows': withVolumes({
      downwardAPI: {
        items: [
          { path: '' },
          { path: 'both', fieldRef: { fieldPath: 'metadata.labels' }, resourceFieldRef: { resource: 'limits.cpu' } },
          { path: 'ip', fieldRef: { fieldPath: 'status.podIP' } },
          { path: 'key', fieldRef: { fieldPath: "metadata.labels['a b']" } },
          { path: 'annotation', fieldRef: { fieldPath: "metadata.annotations['A B']" } },
          { path: 'name', fieldRef: { fieldPath: "metadata.name['x']" } },
          { path: 'unknown', fieldRef: { fieldPath: 'spec.unknown' } },
          { path: 'none', fieldRef: { fieldPath: '' } },
          { path: 'version', fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } },
          { path: 'host', fieldRef: { fieldPath: 'spec.host' } },
          { path: 'resource', resourceFieldRef: { containerName: 'web' } },
          { path: 'container', resourceFieldRef: { resource: 'limits.cpu' } },
          { path: 'other', resourceFieldRef: { containerName: 'web', resource: 'limits.other' } },
          { path: 'huge', resourceFieldRef: { containerName: 'web', resource: 'limits.hugepages-2Mi', divisor: '3' } },
          { path: 'cpu', resourceFieldRef: { containerName: 'web', resource: 'limits.cpu', divisor: '1k' } },
          { path: 'memory', resourceFieldRef: { containerName: 'web', resource: 'requests.memory', divisor: '1m' } },
          {
            path: 'disk',
            resourceFieldRef: { containerName: 'web', resource: 'limits.ephemeral-storage', divisor: '2' },
          },
          { path: 'fine', resourceFieldRef: { containerName: 'web', resource: 'limits.memory', divisor: '1Mi' } },
        ],
      },
    }),
    'projected sources are checked like volumes': withVolumes(
      projected(
        { secret: { items: [{ key: '', path: '/x' }] } },
        { configMap: { items: [{ key: 'a', path: 'a' }] } },
        { downwardAPI: { items: [{ path: 'b' }] } },
      ),
    ),
    'a projected source is one thing': withVolumes(projected({ secret: { name: 'x' }, configMap: { name: 'y' } }, {})),
    'files of a projected volume have different paths': withVolumes(
      projected(
        {
          secret: {
            name: 's',
            items: [
              { key: 'a', path: 'a' },
              { key: 'b', path: 'a' },
            ],
          },
        },
        { configMap: { name: 'c', items: [{ key: 'a', path: 'a' }] } },
        { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] } },
      ),
    ),
    'tokens of service accounts last ten minutes or more': {
      create: 'pod',
      change: (pod) => {
        pod.spec.serviceAccountName = 'default';
        pod.spec.volumes = [
          {
            name: 'a',
            projected: {
              sources: [
                { serviceAccountToken: { path: 'a', expirationSeconds: 599 } },
                { serviceAccountToken: { path: '', expirationSeconds: 4294967297 } },
                { serviceAccountToken: { path: '../a' } },
              ],
            },
          },
        ];
      },
    },
    'tokens need a service account': withVolumes(projected({ serviceAccountToken: { path: 'a' } })),
    'trust bundles and certificates are dropped while their features are off': withVolumes(
      projected(
        { clusterTrustBundle: { path: 'a' } },
        { podCertificate: { signerName: 'x', keyType: 'y' } },
        { secret: { name: 'x' } },
      ),
    ),
    'paths that lie inside each other are warned about': withVolumes(
      {
        configMap: {
          name: 'c',
          items: [
            { key: 'a', path: 'x' },
            { key: 'b', path: 'x/y/' },
          ],
        },
      },
      {
        secret: {
          secretName: 's',
          items: [
            { key: 'a', path: 'x' },
            { key: 'b', path: 'x' },
          ],
        },
      },
      {
        downwardAPI: {
          items: [
            { path: 'x/y', fieldRef: { fieldPath: 'metadata.name' } },
            { path: 'x', fieldRef: { fieldPath: 'metadata.name' } },
          ],
        },
      },
      projected(
        { secret: { name: 's', items: [{ key: 'a', path: 'x' }] } },
        {},
        { configMap: { name: 'c', items: [{ key: 'a', path: 'x/y' }] } },
        { downwardAPI: { items: [{ path: 'x/y/z', fieldRef: { fieldPath: 'metadata.name' } }] } },
      ),
    ),
  },
};
