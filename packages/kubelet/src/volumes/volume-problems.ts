import type { KeyToPath, Pod, Volume } from '@coxswain/api/core/v1';
import type { ConfigSource } from './config-source.ts';

/** What keeps the pod's volumes from being mounted, a message for each; none when they can be. */
export async function volumeProblems(pod: Pod, source: ConfigSource): Promise<string[]> {
  const volumes = pod.spec?.volumes ?? [];
  const problems = await Promise.all(volumes.map((volume) => volumeProblem(pod, volume, source)));
  return problems.filter((problem) => problem !== undefined);
}

async function volumeProblem(pod: Pod, volume: Volume, source: ConfigSource): Promise<string | undefined> {
  const namespace = pod.metadata.namespace ?? '';
  const { configMap, secret, projected, persistentVolumeClaim, ephemeral } = volume;
  const claimName = persistentVolumeClaim?.claimName ?? (ephemeral && `${pod.metadata.name}-${volume.name}`);
  if (claimName !== undefined) return await claimProblem(namespace, claimName, volume.name, source);
  const problems: (string | undefined)[] = [];
  if (configMap) problems.push(await configMapProblem(namespace, configMap, source));
  if (secret) {
    const { secretName = '', items, optional } = secret;
    problems.push(await secretProblem(namespace, { name: secretName, items, optional }, source));
  }
  for (const part of projected?.sources ?? []) {
    if (part.configMap) problems.push(await configMapProblem(namespace, part.configMap, source));
    if (part.secret) problems.push(await secretProblem(namespace, part.secret, source));
  }
  const all = problems.filter((problem) => problem !== undefined);
  if (all.length === 0) return undefined;
  const text = all.length === 1 ? all[0] : `[${all.join(', ')}]`;
  return `MountVolume.SetUp failed for volume "${volume.name}" : ${text}`;
}

interface Reference {
  readonly name?: string | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
}

async function configMapProblem(namespace: string, { name = '', items, optional }: Reference, source: ConfigSource) {
  const object = await source.configMap(namespace, name);
  if (optional) return undefined;
  if (!object) return `configmap "${name}" not found`;
  const missing = (items ?? []).find(
    ({ key }) => object.data?.[key] === undefined && object.binaryData?.[key] === undefined,
  );
  return missing && `configmap references non-existent config key: ${missing.key}`;
}

async function secretProblem(namespace: string, { name = '', items, optional }: Reference, source: ConfigSource) {
  const object = await source.secret(namespace, name);
  if (optional) return undefined;
  if (!object) return `secret "${name}" not found`;
  const missing = (items ?? []).find(({ key }) => object.data?.[key] === undefined);
  return missing && `references non-existent secret key: ${missing.key}`;
}

/**
 * Differs from upstream: it tells of claims that cannot be used after two minutes of waiting, in words of its reconciler's
 * inner state; here people are told at once.
 */
async function claimProblem(namespace: string, name: string, volume: string, source: ConfigSource) {
  const claim = await source.claim(namespace, name);
  const tell = (why: string): string =>
    `Unable to attach or mount volumes: unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[${volume}]: error processing PVC ${namespace}/${name}: ${why}`;
  if (!claim) return tell(`failed to fetch PVC from API server: persistentvolumeclaim "${name}" not found`);
  if (claim.metadata.deletionTimestamp) return tell('PVC is being deleted');
  if (claim.status?.phase !== 'Bound' || !claim.spec?.volumeName) return tell('PVC is not bound');
  return undefined;
}
