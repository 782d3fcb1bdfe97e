import { invalid, Path, semanticEqual } from '@coxswain/apimachinery';
import type { PodCertificateRequest } from '../../generated/certificates/v1beta1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';
import { formatLabels } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validatePodCertificateRequest } from './pod-certificate-request-spec.ts';
import { validatePodCertificateRequestStatus } from './pod-certificate-request-status.ts';

export function setPodCertificateRequestDefaults({ spec }: PodCertificateRequest): void {
  spec.maxExpirationSeconds ??= 24 * 60 * 60;
}

/** The spec as upstream's messages print it. */
const internalForm = internalFormOf(`
PodCertificateRequestSpec SignerName:s PodName:s PodUID:s ServiceAccountName:s ServiceAccountUID:s NodeName:s NodeUID:s
 MaxExpirationSeconds:*i PKIXPublicKey=pkixPublicKey:*s ProofOfPossession:*s StubPKCS10Request:*s
 UnverifiedUserAnnotations:{}s
`);

/** Returns the state of the request: the last of the final conditions, or Pending. */
function printState({ status }: PodCertificateRequest): string {
  const types = (status?.conditions ?? []).map(({ type }) => type);
  return types.findLast((type) => ['Issued', 'Denied', 'Failed'].includes(type)) ?? 'Pending';
}

/** Does not check that the user may sign for the signer: that needs an authorizer. */
export const podCertificateRequestStrategy: Strategy<PodCertificateRequest> = {
  allowUnconditionalUpdate: false,
  validate: validatePodCertificateRequest,
  validateUpdate: ({ spec }, old) =>
    semanticEqual(spec, old.spec)
      ? []
      : [invalid(Path.of('spec'), internalForm('PodCertificateRequestSpec', spec), 'field is immutable')],
  subresources: {
    status: {
      owns: ['status'],
      metadata: 'none',
      validateUpdate: validatePodCertificateRequestStatus,
    },
  },
  selectableFields: {
    'spec.signerName': ({ spec }) => spec.signerName,
    'spec.podName': ({ spec }) => spec.podName,
    'spec.nodeName': ({ spec }) => spec.nodeName,
  },
  table: {
    columns: columns(
      'Name',
      'PodName',
      'ServiceAccountName',
      'NodeName',
      'SignerName',
      'State',
      'UnverifiedUserAnnotations',
    ),
    row: (request) => {
      const { metadata, spec } = request;
      return [
        metadata.name ?? '',
        spec.podName,
        spec.serviceAccountName,
        spec.nodeName,
        spec.signerName,
        printState(request),
        formatLabels(spec.unverifiedUserAnnotations),
      ];
    },
  },
};
