import type { Container, Pod, PodSpec, ServiceAccount, Volume } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import { visitPodReferences } from '../../authorization/pod-references.ts';
import { clientsMistake } from '../../registry/clients-mistake.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { findObject } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { isMirrorPod } from '../pod/mirror-pod.ts';
import { mountableSecretProblem, podReferencesOf } from './mountable-secrets.ts';

/** A controller creates it in every namespace. A pod that is created right after its namespace waits for it. */
const defaultAccount = 'default';
const defaultAccountWaitMs = 1_000;
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumePrefix = 'kube-api-access-';

/** Sets the service account of pods, which must exist, and adds its token volume and image pull secrets. */
export function serviceAccount(context: Pick<AdmissionContext, 'listers' | 'client' | 'random'>): AdmissionPlugin {
  const accountOf = async (attributes: AdmissionAttributes, pod: Pod): Promise<ServiceAccount> => {
    const { namespace } = attributes;
    const name = pod.spec?.serviceAccountName ?? '';
    if (name === '')
      throw admissionForbidden(
        attributes,
        `no service account specified for pod ${namespace}/${pod.metadata.name ?? ''}`,
      );
    const account = await findAccount(context, attributes.clock, namespace, name);
    if (account) return account;
    throw admissionForbidden(
      attributes,
      `error looking up service account ${namespace}/${name}: serviceaccount ${quote(name)} not found`,
    );
  };

  const validate = async (attributes: AdmissionAttributes): Promise<void> => {
    const pod = attributes.object as Pod;
    const isUpdate = attributes.operation === 'UPDATE';
    if (isUpdate && attributes.subresource === '') return;
    if (!isUpdate && isMirrorPod(pod)) return validateMirrorPod(attributes, pod);
    const account = await accountOf(attributes, pod);
    if (!enforcesMountableSecrets(account)) return;
    const problem = mountableSecretProblem(account, podReferencesOf(pod, isUpdate));
    if (!problem) return;
    // Upstream's message does not name the pod for an update.
    throw isUpdate ? clientsMistake(problem) : admissionForbidden(attributes, problem);
  };

  return {
    name: 'ServiceAccount',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods', 'pods/ephemeralcontainers'],
    async admit(attributes) {
      const pod = attributes.object as Pod;
      if (attributes.operation !== 'CREATE' || !pod.spec) return;
      if (!isMirrorPod(pod)) {
        if (!pod.spec.serviceAccountName) pod.spec = withAccountName(pod.spec, defaultAccount);
        const account = await accountOf(attributes, pod);
        if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
          pod.spec = withToken(pod.spec, context.random);
        const { imagePullSecrets } = account;
        if (imagePullSecrets && !pod.spec.imagePullSecrets?.length)
          pod.spec = { ...pod.spec, imagePullSecrets: imagePullSecrets.map(({ name = '' }) => ({ name })) };
      }
      await validate(attributes);
    },
    validate,
  };
}

/** Also sets the deprecated `serviceAccount` field, as the API has both. */
const withAccountName = (spec: PodSpec, name: string): PodSpec => ({
  ...spec,
  serviceAccountName: name,
  serviceAccount: name,
});

async function findAccount(
  context: Pick<AdmissionContext, 'listers' | 'client'>,
  clock: Clock,
  namespace: string,
  name: string,
): Promise<ServiceAccount | undefined> {
  const find = () => findObject<ServiceAccount>(context, '', 'serviceaccounts', namespace, name);
  const found = await find();
  if (found || name !== defaultAccount) return found;
  await newAccount(context, clock, namespace, name);
  return find();
}

/** Resolves when the account is created, or after a timeout. */
function newAccount(
  { listers }: Pick<AdmissionContext, 'listers'>,
  clock: Clock,
  namespace: string,
  name: string,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      unfollow();
      resolve();
    };
    const unfollow = listers.lister<ServiceAccount>('', 'serviceaccounts').onChange((account) => {
      if (account?.metadata.name === name && account.metadata.namespace === namespace) done();
    });
    const timer = clock.setTimeout(done, defaultAccountWaitMs, { background: true });
  });
}

/** Mirror pods represent static pods of a node, and must not use objects of the API. */
function validateMirrorPod(attributes: AdmissionAttributes, pod: Pod): void {
  if (pod.spec?.serviceAccountName)
    throw admissionForbidden(attributes, 'a mirror pod may not reference service accounts');
  visitPodReferences(pod, (kind, name) => {
    if (kind === 'secret' && name !== undefined)
      throw admissionForbidden(attributes, 'a mirror pod may not reference secrets');
  });
  const sources = (pod.spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken))
    throw admissionForbidden(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
}

/** The texts that Go's strconv.ParseBool accepts as true. */
const trueTexts: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

const enforcesMountableSecrets = ({ metadata }: ServiceAccount): boolean =>
  trueTexts.has(metadata.annotations?.['kubernetes.io/enforce-mountable-secrets'] ?? '');

/** Mounts the token into every container without another mount at its path. */
function withToken(spec: PodSpec, random: AdmissionContext['random']): PodSpec {
  const { volumes = [], containers, initContainers } = spec;
  const existing = volumes.find(({ name }) => name.startsWith(volumePrefix));
  const name = existing?.name ?? `${volumePrefix}${random.nameSuffix()}`;
  const lacksMount = ({ volumeMounts = [] }: Container): boolean =>
    !volumeMounts.some((mount) => mount.mountPath === mountPath);
  const withMount = (container: Container): Container =>
    lacksMount(container)
      ? { ...container, volumeMounts: [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }] }
      : container;
  if (![...(initContainers ?? []), ...(containers ?? [])].some(lacksMount)) return spec;
  return {
    ...spec,
    ...(!existing && { volumes: [...volumes, tokenVolume(name)] }),
    ...(initContainers && { initContainers: initContainers.map(withMount) }),
    containers: (containers ?? []).map(withMount),
  };
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      // One hour and seven seconds, which distinguishes it from explicitly requested tokens.
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
});
