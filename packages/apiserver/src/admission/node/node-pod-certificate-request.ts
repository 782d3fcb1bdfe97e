import type { PodCertificateRequest } from '@coxswain/api/certificates/v1beta1';
import type { Node, Pod, ServiceAccount } from '@coxswain/api/core/v1';
import { isNotFound, type KubernetesObject, quote } from '@coxswain/apimachinery';
import { clientsMistake } from '../../registry/clients-mistake.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { cachedObject } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { isMirrorPod } from '../pod/mirror-pod.ts';

/** Throws unless a node requests a certificate for a pod that runs on it, with correct details. */
export async function checkPodCertificateRequest(
  attributes: AdmissionAttributes,
  nodeName: string,
  context: AdmissionContext,
): Promise<void> {
  const refuse = (why: string): never => {
    throw admissionForbidden(attributes, why);
  };
  const { operation, subresource, namespace, object } = attributes;
  if (!context.features.enabled('PodCertificateRequest')) refuse('PodCertificateRequest feature gate is disabled');
  if (operation !== 'CREATE') refuse(`unexpected operation ${operation}`);
  if (subresource !== '') refuse(`unexpected subresource ${subresource}`);
  const { spec } = object as PodCertificateRequest;
  const find = <T extends KubernetesObject>(what: string, resource: string, in_: string, name: string) =>
    named<T>(what, in_ ? `${in_}/${name}` : name, () => cachedObject<T>(context, '', resource, in_, name));
  const shownPod = quote(`${namespace}/${spec.podName}`);
  const aboutPod = `PodCertificateRequest for pod ${shownPod}`;

  if (spec.nodeName !== nodeName)
    refuse(
      `PodCertificateRequest.Spec.NodeName=${quote(spec.nodeName)}, which is not the requesting node ${quote(nodeName)}`,
    );
  const node = await find<Node>('node', 'nodes', '', spec.nodeName);
  if (node.metadata.uid !== spec.nodeUID)
    throw clientsMistake(
      `${aboutPod} names node UID ${quote(spec.nodeUID)}, inconsistent with the running node (${quote(node.metadata.uid ?? '')})`,
    );
  const pod = await find<Pod>('pod', 'pods', namespace, spec.podName);
  if (pod.metadata.uid !== spec.podUID)
    throw clientsMistake(
      `${aboutPod} contains pod UID (${quote(spec.podUID)}) which differs from running pod ${quote(pod.metadata.uid ?? '')}`,
    );
  if (pod.spec?.nodeName !== spec.nodeName)
    refuse(`pod ${shownPod} is not running on node ${quote(spec.nodeName)} named in the PodCertificateRequest`);
  if (isMirrorPod(pod)) refuse(`pod ${shownPod} is a mirror pod`);
  const { serviceAccountName = '' } = pod.spec ?? {};
  if (spec.serviceAccountName !== serviceAccountName)
    refuse(
      `${aboutPod} contains serviceAccountName (${quote(spec.serviceAccountName)}) that differs from running pod (${quote(serviceAccountName)})`,
    );
  const account = await find<ServiceAccount>('service account', 'serviceaccounts', namespace, serviceAccountName);
  if (account.metadata.uid !== spec.serviceAccountUID)
    throw clientsMistake(
      `${aboutPod} names service account UID ${quote(spec.serviceAccountUID)}, which differs from the running service account (${quote(account.metadata.uid ?? '')})`,
    );
}

async function named<T>(what: string, name: string, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof Error) || !isNotFound(error)) throw error;
    throw clientsMistake(
      `while retrieving ${what} ${quote(name)} named in the PodCertificateRequest: ${error.message}`,
      { cause: error },
    );
  }
}
