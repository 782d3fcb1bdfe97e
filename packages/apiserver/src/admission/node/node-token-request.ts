import type { TokenRequest } from '@coxswain/api/authentication/v1';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';
import type { CSIDriver } from '@coxswain/api/storage/v1';
import { quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { AdmissionAttributes } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { aggregateMessages } from '../aggregate-messages.ts';
import { cachedObject } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** Throws unless a node requests a token for a pod that runs on it, with an audience that the pod uses. */
export async function checkNodeToken(
  attributes: AdmissionAttributes,
  nodeName: string,
  context: AdmissionContext,
): Promise<void> {
  const refuse = (why: string): never => {
    throw admissionForbidden(attributes, why);
  };
  const { spec } = attributes.object as TokenRequest;
  const reference = spec?.boundObjectRef;
  if (!reference?.name || reference.apiVersion !== 'v1' || reference.kind !== 'Pod')
    return refuse('node requested token not bound to a pod');
  if (!reference.uid) refuse('node requested token with a pod binding without a uid');
  const pod = await cachedObject<Pod>(context, '', 'pods', attributes.namespace, reference.name);
  if (reference.uid !== pod.metadata.uid)
    refuse(
      `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (pod.spec?.nodeName !== nodeName) refuse('node requested token bound to a pod scheduled on a different node');
  if (!context.features.enabled('ServiceAccountNodeAudienceRestriction')) return;
  const problem = await audienceProblem(attributes, spec?.audiences ?? [], pod, context);
  if (problem) refuse(problem);
}

async function audienceProblem(
  { user, namespace, name }: AdmissionAttributes,
  audiences: readonly string[],
  pod: Pod,
  context: AdmissionContext,
): Promise<string | undefined> {
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences';
  const audience = audiences[0] ?? '';
  const { found, problems } = await podUses(context, pod, audience);
  if (found) return undefined;
  if (problems.length > 0) return `error validating audience ${quote(audience)}: ${aggregateMessages(problems)}`;
  const { decision } = await context.authorizer.authorize({
    user,
    verb: 'request-serviceaccounts-token-audience',
    resourceRequest: true,
    apiGroup: '',
    apiVersion: 'v1',
    // Not an actual resource: rules contain the audience, or `*` for all audiences.
    resource: audience,
    subresource: '',
    namespace,
    name,
    path: '',
  });
  if (decision === 'allow') return undefined;
  return `audience ${quote(audience)} not found in pod spec volume, ${user.username} is not authorized to request tokens for this audience`;
}

/** Whether one of the pod's volumes is a token with the audience, or has a CSI driver that requests such tokens. */
async function podUses(
  context: AdmissionContext,
  pod: Pod,
  audience: string,
): Promise<{ found: boolean; problems: string[] }> {
  const problems: string[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    const projected = volume.projected?.sources ?? [];
    if (projected.some(({ serviceAccountToken: token }) => token && (token.audience ?? '') === audience))
      return { found: true, problems };
    try {
      const driver = await driverOf(context, pod, volume);
      if (driver === undefined) continue;
      const { spec } = await cachedObject<CSIDriver>(context, 'storage.k8s.io', 'csidrivers', '', driver);
      if (spec.tokenRequests?.some((request) => request.audience === audience)) return { found: true, problems };
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  return { found: false, problems };
}

/** In-tree volume types and the CSI drivers they were migrated to. */
const migrated = [
  ['gcePersistentDisk', 'pd.csi.storage.gke.io'],
  ['awsElasticBlockStore', 'ebs.csi.aws.com'],
  ['cinder', 'cinder.csi.openstack.org'],
  ['azureDisk', 'disk.csi.azure.com'],
  ['azureFile', 'file.csi.azure.com'],
  ['vsphereVolume', 'csi.vsphere.vmware.com'],
  ['portworxVolume', 'pxd.portworx.com'],
] as const satisfies readonly (readonly [keyof Volume, string])[];

async function driverOf(context: AdmissionContext, pod: Pod, volume: Volume): Promise<string | undefined> {
  const { ephemeral, persistentVolumeClaim, csi } = volume;
  const { namespace = '', name } = pod.metadata;
  if (ephemeral?.volumeClaimTemplate) return claimDriver(context, namespace, `${name}-${volume.name}`);
  if (persistentVolumeClaim) return claimDriver(context, namespace, persistentVolumeClaim.claimName);
  return csi?.driver ?? migrated.find(([source]) => volume[source])?.[1];
}

async function claimDriver(context: AdmissionContext, namespace: string, name: string): Promise<string | undefined> {
  const claim = await cachedObject<PersistentVolumeClaim>(context, '', 'persistentvolumeclaims', namespace, name);
  const volume = await cachedObject<PersistentVolume>(
    context,
    '',
    'persistentvolumes',
    '',
    claim.spec?.volumeName ?? '',
  );
  const { spec } = volume;
  return spec?.csi?.driver ?? migrated.find(([source]) => spec?.[source])?.[1];
}
